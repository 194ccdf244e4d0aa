import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Task } from "../../protocol/tasks.js";
import type { ExtensionCall, ExtensionRequestOptions } from "../../routing/result-type.js";
import type { JsonObject } from "../../runtime/json.js";
import { callAsLegacyTask, legacyTaskIn } from "./legacy-task-calls.js";

const CREATED: Task = {
  taskId: "t1",
  status: "working",
  createdAt: "2025-11-25T00:00:00.000Z",
  lastUpdatedAt: "2025-11-25T00:00:00.000Z",
  ttl: null,
  pollInterval: 100,
};
const RESULT = { content: [] };

type Answer = JsonObject | Error | Promise<JsonObject>;
type Answers = (method: string, options: ExtensionRequestOptions) => Answer;

/** A call of a tool, of a server that answers its requests like this. */
function calling(given: Partial<ExtensionCall> = {}, answers: Answers = () => ({})) {
  const methods: string[] = [];
  const request = async (method: string, _params: JsonObject, options: ExtensionRequestOptions = {}) => {
    methods.push(method);
    const answer = answers(method, options);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const call = {
    mode: "call",
    revision: "2025-11-25",
    serverCapabilities: { tasks: { requests: { tools: { call: {} } } } },
    params: { name: "render" },
    taskSupport: async () => "required",
    request,
    signal: new AbortController().signal,
    ...given,
  } as unknown as ExtensionCall;
  return { call, methods };
}

const created = () => vi.fn(async () => ({ task: { ...CREATED } }) as JsonObject);

/** Runs a call while the clock does. */
async function run(call: ExtensionCall, send: () => Promise<JsonObject> = created()): Promise<JsonObject> {
  const running = callAsLegacyTask(call, send);
  running.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  return running;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("refuses an answer about another task", async () => {
  const { call, methods } = calling({}, () => ({ ...CREATED, taskId: "t2", status: "completed" }));
  await expect(run(call)).rejects.toMatchObject({ code: "invalid-result" });
  expect(methods).toEqual(["tasks/get"]);
});

describe("a call", () => {
  it.each<Partial<ExtensionCall>>([
    { revision: "2026-07-28" },
    { revision: "2025-06-18" },
    { serverCapabilities: undefined },
    { serverCapabilities: { tasks: {} } },
    { taskSupport: async () => "optional" },
    { taskSupport: async () => undefined },
  ])("is sent as it is with %j", async (given) => {
    const send = vi.fn(async () => RESULT);
    expect(await run(calling(given).call, send)).toBe(RESULT);
    expect(send.mock.calls.flat()).not.toContainEqual(expect.anything());
  });

  it("that only starts a task keeps its time to live, and is not followed", async () => {
    const { call, methods } = calling({ mode: "start", params: { name: "render", task: { ttl: 5 } } });
    const send = created();
    expect(await run(call, send)).toEqual({ task: CREATED });
    expect(send).toHaveBeenCalledWith({ name: "render", task: { ttl: 5 } });
    expect(methods).toEqual([]);
  });

  it("that starts a tool without tasks is sent without task", async () => {
    const params = { name: "glance", task: {} };
    for (const serverCapabilities of [undefined, { tasks: { requests: { tools: { call: {} } } } }]) {
      const { call } = calling({ mode: "start", params, serverCapabilities, taskSupport: async () => undefined });
      const send = vi.fn(async () => RESULT);
      expect(await run(call, send)).toBe(RESULT);
      expect(send).toHaveBeenCalledWith({ name: "glance" });
    }
  });
});

describe("a followed task", () => {
  it("is polled until it has a result", async () => {
    const states = [{}, { statusMessage: "half" }, { status: "completed" }];
    const onProgress = vi.fn();
    const { call, methods } = calling({ onProgress }, (method) =>
      method === "tasks/get" ? { ...CREATED, ...states.shift() } : RESULT,
    );
    expect(await run(call)).toBe(RESULT);
    expect(methods).toEqual(["tasks/get", "tasks/get", "tasks/get", "tasks/result"]);
    expect(onProgress).toHaveBeenCalledWith({ progress: 1, message: "half" });
  });

  it("opens no tasks/result if the callback for progress aborts the call", async () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error("enough"));
    const { call, methods } = calling({ onProgress, signal: controller.signal }, () => ({
      ...CREATED,
      status: "input_required",
      statusMessage: "half",
    }));
    await expect(run(call)).rejects.toThrow("enough");
    expect(methods).toEqual(["tasks/get", "tasks/cancel"]);
  });

  it("is not polled again once its result has arrived during a poll", async () => {
    let answer: (result: JsonObject) => void = () => undefined;
    const { call, methods } = calling({}, (method) => {
      if (method !== "tasks/get") return new Promise((resolve) => (answer = resolve));
      answer(RESULT);
      return { ...CREATED, status: "input_required" };
    });
    expect(await run(call, async () => ({ task: { ...CREATED, status: "input_required" } }))).toBe(RESULT);
    expect(methods).toEqual(["tasks/result", "tasks/get"]);
  });

  it("throws for a task that was cancelled", async () => {
    const { call } = calling({}, () => ({ ...CREATED, status: "cancelled", statusMessage: "by an operator" }));
    await expect(run(call)).rejects.toMatchObject({ code: "request-aborted", message: /by an operator/ });
  });

  it("keeps one tasks/result open while it needs input, without a timeout", async () => {
    let answer: (result: JsonObject) => void = () => undefined;
    const opened: ExtensionRequestOptions[] = [];
    const { call, methods } = calling({}, (method, options) => {
      if (method === "tasks/get") return { ...CREATED, status: "input_required" };
      opened.push(options);
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    const running = callAsLegacyTask(call, created());
    await vi.advanceTimersByTimeAsync(350);
    expect(methods).toEqual(["tasks/get", "tasks/result", "tasks/get", "tasks/get"]);
    expect(opened[0]?.timeoutMs).toBe(Number.POSITIVE_INFINITY);
    answer(RESULT);
    expect(await running).toBe(RESULT);
    expect(opened[0]?.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("opens a tasks/result that failed again after the next poll", async () => {
    let polls = 0;
    const { call, methods } = calling({}, (method) => {
      if (method === "tasks/result") return polls < 3 ? new Error("lost") : RESULT;
      polls += 1;
      return { ...CREATED, status: "input_required" };
    });
    expect(await run(call)).toBe(RESULT);
    expect(methods.join(" ")).toBe("tasks/get tasks/result tasks/get tasks/result tasks/get tasks/result");
  });

  it.each([
    ["call", ["tasks/get", "tasks/cancel"]],
    ["resume", ["tasks/get"]],
  ] as const)("is cancelled if the caller of a %s gives up: %j", async (mode, sent) => {
    const controller = new AbortController();
    const { call, methods } = calling({ mode, signal: controller.signal }, (method) =>
      method === "tasks/cancel" ? new Error("gone") : { ...CREATED },
    );
    const running = callAsLegacyTask(call, created());
    running.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(150);
    controller.abort(new Error("changed my mind"));
    await expect(running).rejects.toThrow("changed my mind");
    expect(methods).toEqual(sent);
  });
});

it("finds no task in a result with content, whatever else that has", () => {
  expect(legacyTaskIn({ task: CREATED })).toEqual(CREATED);
  expect(legacyTaskIn({ ...RESULT, task: CREATED })).toBeUndefined();
  expect(legacyTaskIn({ task: "t1" })).toBeUndefined();
});
