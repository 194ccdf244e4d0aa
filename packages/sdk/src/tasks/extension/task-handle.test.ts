import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { receivedError } from "../../errors/protocol-error.js";
import { reopenTask, startTool, type TaskClient } from "./task-handle.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client whose server has no store for the first `failures` reads of a task. */
function clientOf(failures: number) {
  let reads = 0;
  const request = async () => {
    reads += 1;
    if (reads > failures) return { taskId: "t", status: "working" };
    throw receivedError(429, "A store of the server is not available", { limit: "server", retryAfterMs: 1_000 });
  };
  const resumeCall = async () => ({ content: [] });
  const client = { revision: "2026-07-28", declares: () => true, request, resumeCall } as unknown as TaskClient;
  return { client, reads: () => reads };
}

it("repeats the first read of a task whose result is awaited", async () => {
  const { client, reads } = clientOf(2);
  const result = reopenTask(client, { tool: "render", taskId: "t" }).result();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await result).toEqual({ content: [] });
  expect(reads()).toBe(3);
});

it("repeats it no more once the caller has aborted", async () => {
  const { client, reads } = clientOf(2);
  const caller = new AbortController();
  const result = reopenTask(client, { tool: "render", taskId: "t" }).result({ signal: caller.signal });
  const rejected = expect(result).rejects.toThrow("enough");
  await vi.advanceTimersByTimeAsync(500);
  caller.abort(new Error("enough"));
  await rejected;
  expect(reads()).toBe(1);
});

it.each([
  [{}, {}],
  [{ ttlMs: 5_000 }, { ttl: 5_000 }],
])("sends the time of %o to a server of 2025-11-25 as the task %o", async (options, task) => {
  const startCall = vi.fn(async () => ({ task: { taskId: "t", status: "working" } }));
  const client = { revision: "2025-11-25", declares: () => true, startCall } as unknown as TaskClient;

  const handle = await startTool(client, "render", { pages: 3 }, options);

  expect(handle.taskId).toBe("t");
  expect(startCall).toHaveBeenCalledWith("tools/call", { name: "render", arguments: { pages: 3 }, task }, {});
});

it("rejects a refused cancellation in 2025-11-25, unless the task has ended", async () => {
  let status = "working";
  const request = async (method: unknown) => {
    if (method === "tasks/cancel") throw receivedError(-32602, "Not now", undefined);
    return { taskId: "t", status };
  };
  const client = { revision: "2025-11-25", declares: () => true, request } as unknown as TaskClient;
  const handle = reopenTask(client, { tool: "render", taskId: "t" });

  await expect(handle.cancel()).rejects.toThrow("Not now");

  status = "completed";
  await expect(handle.cancel()).resolves.toBeUndefined();
});
