import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { receivedError } from "../../errors/protocol-error.js";
import { type MethodDefinition, nameOf } from "../../routing/method-definition.js";
import type { ExtensionRequestOptions } from "../../routing/result-type.js";
import { createDeferred } from "../../runtime/deferred.js";
import type { JsonObject } from "../../runtime/json.js";
import { followTask, type TaskCall } from "./follow-task.js";
import type { DetailedTask, TaskState } from "./task-messages.js";

const CREATED: TaskState = {
  taskId: "t1",
  status: "working",
  createdAt: "2026-07-28T00:00:00.000Z",
  lastUpdatedAt: "2026-07-28T00:00:00.000Z",
  ttlMs: null,
};
const QUESTION = { method: "elicitation/create", params: {} };
const DONE = { status: "completed", result: { content: [] } };

/** A call whose server shows these states of the task, one per poll; the last one again and again. */
function calling(states: readonly object[], options: { answer?: TaskCall["answer"]; signal?: AbortSignal } = {}) {
  const sent: [string, JsonObject][] = [];
  const left = [...states];
  const request = async (definition: string | MethodDefinition, params: JsonObject) => {
    const method = nameOf(definition);
    sent.push([method, params]);
    const state = left.length > 1 ? left.shift() : left[0];
    return method === "tasks/get" ? { ...CREATED, ...state } : {};
  };
  const answer = vi.fn(options.answer ?? (async () => ({ action: "decline" })));
  // One implementation of two overloads.
  const call: TaskCall = {
    request: request as unknown as TaskCall["request"],
    answer,
    listen: async () => undefined,
    signal: options.signal ?? new AbortController().signal,
    onProgress: undefined,
    mode: "call",
    maxInputRequests: 8,
  };
  return { call, sent, answer, methods: () => sent.map(([method]) => method) };
}

type Request = (
  method: string | MethodDefinition,
  params: JsonObject,
  options?: ExtensionRequestOptions,
) => Promise<JsonObject>;

/** The call, with a server that answers as `answer` makes of its results. */
function answering(
  call: TaskCall,
  answer: (method: string, result: JsonObject, signal?: AbortSignal) => JsonObject | Promise<JsonObject>,
): TaskCall {
  const request = call.request as unknown as Request;
  const replaced: Request = async (method, params, options) =>
    answer(nameOf(method), await request(method, params, options), options?.signal);
  return { ...call, request: replaced as unknown as TaskCall["request"] };
}

const asking = (...keys: string[]) => ({
  status: "input_required",
  inputRequests: Object.fromEntries(keys.map((key) => [key, QUESTION])),
});

/** Follows the task while the clock runs. */
async function follow(call: TaskCall, created: DetailedTask = CREATED): Promise<JsonObject> {
  const following = followTask(created, call);
  following.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(600_000);
  return following;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("polls until the task has a result", async () => {
  const { call, methods } = calling([{}, {}, DONE]);
  expect(await follow(call)).toEqual({ content: [] });
  expect(methods()).toEqual(["tasks/get", "tasks/get", "tasks/get"]);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  [undefined, 1_000],
  [1, 50],
  [3_000, 3_000],
  [86_400_000, 60_000],
])("polls at the interval %s of the server within bounds", async (pollIntervalMs, waited) => {
  const { call, sent } = calling([DONE]);
  const following = followTask({ ...CREATED, pollIntervalMs }, call);
  await vi.advanceTimersByTimeAsync(waited - 1);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await following;
});

it("throws the error of a failed task", async () => {
  const { call } = calling([{ status: "failed", error: { code: -32603, message: "no disk" } }]);
  await expect(follow(call)).rejects.toMatchObject({ code: -32603, message: "no disk" });
});

it.each([
  [{}, "The task t1 was cancelled"],
  [{ statusMessage: "by an operator" }, "The task t1 was cancelled: by an operator"],
])("throws for a task that was cancelled with %j", async (state, message) => {
  const { call } = calling([{ status: "cancelled", ...state }]);
  await expect(follow(call)).rejects.toMatchObject({ code: "request-aborted", message });
});

it("answers each question once", async () => {
  const { call, sent, answer } = calling([asking("a"), {}, asking("a", "b"), {}, asking("a", "b"), DONE]);
  await follow(call);
  const updates = sent.filter(([method]) => method === "tasks/update").map(([, params]) => params.inputResponses);
  expect(updates).toEqual([{ a: { action: "decline" } }, { b: { action: "decline" } }]);
  expect(answer).toHaveBeenCalledTimes(2);
});

it("sends an answer again that the server could not take", async () => {
  const { call, sent } = calling([asking("name"), asking("name"), asking("name"), DONE]);
  let isAway = true;
  const failing = answering(call, (method, result) => {
    if (method !== "tasks/update" || !isAway) return result;
    isAway = false;
    throw receivedError(429, "A store is not available", { limit: "server", retryAfterMs: 1_000 });
  });
  expect(await follow(failing)).toEqual({ content: [] });
  const updates = sent.filter(([method]) => method === "tasks/update").map(([, { inputResponses }]) => inputResponses);
  expect(updates).toEqual([{ name: { action: "decline" } }, { name: { action: "decline" } }]);
});

it("asks nobody if the server shows more questions at once than a client answers, and cancels the task", async () => {
  const { call, answer, methods } = calling([asking(...Array.from({ length: 9 }, (_, index) => `q${index}`))]);
  await expect(follow(call)).rejects.toMatchObject({
    code: "too-large",
    message: expect.stringContaining("9 questions at once, 8 are allowed; raise maxInputRequests"),
  });
  expect(answer).not.toHaveBeenCalled();
  expect(methods().at(-1)).toBe("tasks/cancel");
});

it("gives up a task that asks without end, and cancels it", async () => {
  let count = 0;
  const { call, answer, methods } = calling([
    {
      status: "input_required",
      get inputRequests() {
        count += 1;
        return { [`q${count}`]: QUESTION };
      },
    },
  ]);
  const following = followTask({ ...CREATED, pollIntervalMs: 50 }, call);
  following.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(3_600_000);
  await expect(following).rejects.toMatchObject({ code: "too-many-rounds" });
  expect(answer).toHaveBeenCalledTimes(1_024);
  expect(methods().at(-1)).toBe("tasks/cancel");
});

it("cancels a task whose question the client cannot answer, and throws why", async () => {
  const cause = new Error("no handler");
  const { call, methods } = calling([asking("a")], { answer: () => Promise.reject(cause) });
  await expect(follow(call)).rejects.toBe(cause);
  expect(methods()).toEqual(["tasks/get", "tasks/cancel"]);
});

it("throws the error of a handler and cancels the task while a poll is not answered", async () => {
  const cause = new Error("no handler");
  const handler = createDeferred<JsonObject>();
  const { call, methods } = calling([asking("a")], { answer: () => handler.promise });
  const hanging = answering(call, (method, result, signal) => {
    if (method !== "tasks/get" || methods().length === 1) return result;
    return new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("the poll was aborted")));
    });
  });
  const following = followTask(CREATED, hanging);
  following.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(2_500);

  handler.reject(cause);

  await expect(following).rejects.toBe(cause);
  expect(methods()).toEqual(["tasks/get", "tasks/get", "tasks/cancel"]);
});

it("sends no answer again once the task is over", async () => {
  const { call, methods } = calling([asking("a"), DONE]);
  const refusing = answering(call, (method, result) => {
    if (method === "tasks/update") throw receivedError(429, "busy", { limit: "server", retryAfterMs: 1_500 });
    return result;
  });

  expect(await follow(refusing)).toEqual({ content: [] });
  expect(methods()).toEqual(["tasks/get", "tasks/update", "tasks/get"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("cancels a task whose server refuses the answer", async () => {
  const { call, methods } = calling([asking("a")]);
  const refusing = answering(call, (method, result) => {
    if (method === "tasks/update") throw receivedError(-32602, "not so", undefined);
    return result;
  });

  await expect(follow(refusing)).rejects.toMatchObject({ code: -32602 });
  expect(methods()).toEqual(["tasks/get", "tasks/update", "tasks/cancel"]);
});

it.each(["a poll", "an answer"])("cancels the task if its caller gives up during %s", async (during) => {
  const controller = new AbortController();
  const options = { signal: controller.signal, answer: () => new Promise<JsonObject>(() => undefined) };
  const { call, methods } = calling([during === "a poll" ? {} : asking("a")], options);
  const following = followTask(CREATED, call);
  following.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(1_500);
  controller.abort(new Error("changed my mind"));
  await expect(following).rejects.toThrow("changed my mind");
  expect(methods()).toEqual(["tasks/get", "tasks/cancel"]);
  expect(vi.getTimerCount()).toBe(0);
});

it.each(["an abort", "a question that the client cannot answer"])(
  "leaves a resumed task alone after %s",
  async (what) => {
    const controller = new AbortController();
    const answer = () => Promise.reject(new Error("nobody is there"));
    const { call, methods } = calling([asking("a")], { signal: controller.signal, answer });
    if (what === "an abort") controller.abort(new Error("changed my mind"));
    await expect(follow({ ...call, mode: "resume" })).rejects.toThrow();
    expect(methods()).not.toContain("tasks/cancel");
  },
);

it("reports each new status message as progress", async () => {
  const onProgress = vi.fn();
  const { call } = calling([{ statusMessage: "a" }, { statusMessage: "a" }, {}, { statusMessage: "b" }, DONE]);
  await follow({ ...call, onProgress });
  expect(onProgress.mock.calls).toEqual([[{ progress: 1, message: "a" }], [{ progress: 2, message: "b" }]]);
});

it("asks nobody if the callback for progress aborts the call", async () => {
  const controller = new AbortController();
  const { call, answer, methods } = calling([{ ...asking("a"), statusMessage: "half" }], { signal: controller.signal });
  const onProgress = () => controller.abort(new Error("enough"));
  await expect(follow({ ...call, onProgress })).rejects.toThrow("enough");
  expect(answer).not.toHaveBeenCalled();
  expect(methods()).toEqual(["tasks/get", "tasks/cancel"]);
});

it("throws the reason of the abort although the server cannot be told", async () => {
  const controller = new AbortController();
  const request = () => Promise.reject(new Error("gone"));
  const { call } = calling([{}], { signal: controller.signal });
  const following = followTask(CREATED, { ...call, request });
  controller.abort(new Error("changed my mind"));
  await expect(following).rejects.toThrow("changed my mind");
});

it("rejects with the reason of its caller, although the aborted poll failed otherwise", async () => {
  const caller = new AbortController();
  const { call } = calling([DONE], { signal: caller.signal });
  const request = async () => {
    caller.abort(new Error("enough"));
    throw new Error("connection lost");
  };
  await expect(follow({ ...call, request } as unknown as TaskCall)).rejects.toThrow("enough");
});
