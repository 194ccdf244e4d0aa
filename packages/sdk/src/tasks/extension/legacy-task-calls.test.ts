import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../../errors/protocol-error.js";
import type { Task } from "../../protocol/tasks.js";
import type { ExtensionCall, ExtensionRequestOptions } from "../../routing/result-type.js";
import type { JsonObject } from "../../runtime/json.js";
import { callAsLegacyTask } from "./legacy-task-calls.js";

const CREATED: Task = {
  taskId: "t1",
  status: "working",
  createdAt: "2025-11-25T00:00:00.000Z",
  lastUpdatedAt: "2025-11-25T00:00:00.000Z",
  ttl: null,
  pollInterval: 100,
};
const RESULT = { content: [] };
const REFUSED = new ProtocolError(-32601, "runs only as a task");

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

  it("of a tool that is not listed is sent again with task if the tool turns out to need one", async () => {
    const taskSupport = vi.fn<ExtensionCall["taskSupport"]>(async ({ lists }) => (lists ? "required" : undefined));
    const { call } = calling({ mode: "start", taskSupport: async () => undefined });
    const send = vi.fn<(params?: JsonObject) => Promise<JsonObject>>(async (params) => {
      if (params?.task === undefined) throw REFUSED;
      return { task: { ...CREATED } };
    });
    await expect(run(call, send)).rejects.toBe(REFUSED);
    const { call: other } = calling({ taskSupport }, () => ({ ...CREATED, status: "completed" }));
    await run(other, send);
    expect(send).toHaveBeenLastCalledWith({ name: "render", task: {} });
  });

  it("that fails for another reason is not sent again", async () => {
    const error = new ProtocolError(-32602, "no such tool");
    const send = vi.fn(() => Promise.reject(error));
    await expect(run(calling({ taskSupport: async () => undefined }).call, send)).rejects.toBe(error);
    expect(send).toHaveBeenCalledTimes(1);
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
