import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RequestOptions } from "../../dispatch/dispatcher.js";
import type { InputRequest } from "../../protocol/input-required.js";
import type { RequestContext } from "../../routing/request-context.js";
import type { JsonObject } from "../../runtime/json.js";
import { askAsTask, runsAsTask } from "./task-question.js";

const QUESTION: InputRequest = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
const TASK = {
  taskId: "t1",
  status: "working",
  createdAt: "2025-11-25T00:00:00.000Z",
  lastUpdatedAt: "2025-11-25T00:00:00.000Z",
  ttl: 5_000,
  pollInterval: 100,
};
const CREATED = { task: TASK };
const ANSWER = { role: "assistant" };

/** A context whose client answers so, by method. */
function asking(answers: (method: string) => JsonObject | Error) {
  const request = vi.fn(async (method: string, _params?: JsonObject, _options?: RequestOptions) => {
    const answer = answers(method);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const { signal } = new AbortController();
  const context = { request, signal } as unknown as RequestContext;
  return { context, request, methods: () => request.mock.calls.map(([method]) => method) };
}

async function ask(context: RequestContext, options: Partial<Parameters<typeof askAsTask>[2]> = {}) {
  const asked = askAsTask(context, QUESTION, { timeoutMs: 5_000, ...options });
  asked.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  return asked;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ["sampling/createMessage", { sampling: { createMessage: {} } }, true],
  ["sampling/createMessage", { elicitation: { create: {} } }, false],
  ["elicitation/create", { elicitation: { create: {} } }, true],
  ["elicitation/create", undefined, false],
  ["roots/list", { sampling: { createMessage: {} } }, false],
] as const)("%s is a task of a client with %j: %s", (method, requests, isTask) => {
  const clientCapabilities = { tasks: { requests } };
  expect(runsAsTask({ method }, { revision: "2025-11-25", clientCapabilities })).toBe(isTask);
  expect(runsAsTask({ method }, { revision: "2025-06-18", clientCapabilities })).toBe(false);
});

it("polls the task and fetches its answer", async () => {
  const states = [{}, { status: "completed" }];
  const { context, request, methods } = asking((method) => {
    if (method === "tasks/get") return { ...TASK, ...states.shift() };
    return method === "tasks/result" ? ANSWER : CREATED;
  });
  expect(await ask(context)).toBe(ANSWER);
  expect(methods()).toEqual(["sampling/createMessage", "tasks/get", "tasks/get", "tasks/result"]);
  expect(request.mock.calls[0]?.[1]).toEqual({ ...QUESTION.params, task: { ttl: 5_000 } });
});

it("takes an answer that comes at once", async () => {
  const { context, request } = asking(() => ANSWER);
  expect(await ask(context, { timeoutMs: Number.POSITIVE_INFINITY })).toBe(ANSWER);
  expect(request.mock.calls[0]?.[1]).toMatchObject({ task: {} });
});

it("gives the task up after its time", async () => {
  const { context, methods } = asking((method) => (method === "tasks/get" ? TASK : CREATED));
  await expect(ask(context, { timeoutMs: 250 })).rejects.toMatchObject({ code: "request-timeout" });
  expect(methods().at(-1)).toBe("tasks/cancel");
});

it("gives the task up if its asker does", async () => {
  const controller = new AbortController();
  const { context, methods } = asking((method) => {
    if (method === "tasks/cancel") return new Error("gone");
    if (method === "tasks/get") controller.abort(new Error("changed my mind"));
    return method === "tasks/get" ? TASK : CREATED;
  });
  await expect(ask(context, { signal: controller.signal })).rejects.toThrow("changed my mind");
  expect(methods().at(-1)).toBe("tasks/cancel");
});

it("rejects for a task that was cancelled", async () => {
  const { context } = asking((method) => (method === "tasks/get" ? { ...TASK, status: "cancelled" } : CREATED));
  await expect(ask(context)).rejects.toMatchObject({ code: "request-aborted" });
});

it.each(["sampling/createMessage", "tasks/get"])("refuses a malformed task in the answer to %s", async (malformed) => {
  const { context } = asking((method) => {
    const task = { ...TASK, ...(method === malformed && { status: "odd" }) };
    return method === "tasks/get" ? task : { task };
  });
  await expect(ask(context)).rejects.toMatchObject({
    code: "invalid-result",
    message: expect.stringContaining(`${malformed}: `),
  });
});
