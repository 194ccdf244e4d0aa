import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { gate } from "../hosting/http/legacy/http-fakes.fixture.js";
import type { JsonObject } from "../runtime/json.js";
import { McpServer } from "../server/mcp-server.js";
import type { ServerContext } from "../server/server-context.js";
import type { McpServerOptions } from "../server/server-options.js";
import { serveTasks } from "../server/tasks/serve-tasks.js";
import { startTool } from "../tasks/extension/task-handle.js";
import { taskIds } from "../tasks/extension/task-ids.js";
import { getTask } from "../tasks/extension/task-methods.js";
import { tasks } from "../tasks/extension/tasks-extension.js";
import { InMemoryTaskStore } from "../tasks/in-memory-task-store.js";
import { connectInProcess } from "./connect-in-process.js";

/** A client of a server whose tool runs as a task. */
async function setUp(act: (context: ServerContext) => unknown, options: Partial<McpServerOptions> = {}) {
  const onError = vi.fn();
  const store = new InMemoryTaskStore();
  const server = new McpServer({ name: "studio", version: "1.0.0", onError, tasks: serveTasks({ store }), ...options });
  server.tool("render", { task: "required" }, async (_args, context) => (await act(context)) as string);
  const client = await connectInProcess(server, { extensions: [tasks], onError: () => undefined });
  onTestFinished(() => client.close());
  return { server, client, store, onError };
}

async function finished(client: Client): Promise<JsonObject> {
  const { taskId } = await client.request("tools/call", { name: "render" });
  return vi.waitFor(async () => {
    const task: JsonObject = await client.request("tasks/get", { taskId });
    expect(["completed", "failed"]).toContain(task.status);
    return task;
  });
}

it("reads a task once for the streams that hear of a change together", async () => {
  const half = gate();
  const { server, client, store } = await setUp(async (context) => {
    await half.passed;
    await context.progress(1, 2, "half");
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  });
  const { taskId } = await client.request("tools/call", { name: "render" });
  const others = await Promise.all(
    Array.from({ length: 5 }, () => connectInProcess(server, { extensions: [tasks], onError: () => undefined })),
  );
  onTestFinished(async () => void (await Promise.all(others.map((other) => other.close()))));
  const streams = await Promise.all(
    others.map((other) => other.listen({ extensions: [taskIds.of([String(taskId)])] })),
  );
  const get = vi.spyOn(store, "get");
  half.open();
  const heard = await Promise.all(streams.map(async (stream) => (await stream[Symbol.asyncIterator]().next()).value));
  expect(heard.map((change) => change && taskIds.read(change)?.statusMessage)).toEqual(others.map(() => "half"));
  // One read by the change itself.
  expect(get).toHaveBeenCalledTimes(2);
  await client.request("tasks/cancel", { taskId });
});

describe("a handler inside a task", () => {
  it("sends no requests, and no notifications after its end", async () => {
    const kept: ServerContext[] = [];
    const { client } = await setUp(async (context) => {
      kept.push(context);
      await context.notify("acme/step", { data: "heard by nobody" });
      return context.request("roots/list").catch(({ code }: { code: string }) => `refused: ${code}`);
    });
    expect(await finished(client)).toMatchObject({
      status: "completed",
      result: { content: [{ text: "refused: method-not-in-revision" }] },
    });
    await expect(kept[0]?.notify("acme/late")).rejects.toMatchObject({ code: "context-ended" });
    await expect(kept[0]?.request("roots/list")).rejects.toMatchObject({ code: "method-not-in-revision" });
  });

  it("fails its task with a code that the specification leaves to authors", async () => {
    const { client } = await setUp(() => {
      throw new ProtocolError(-32_042, "a code of another revision");
    });
    const { status, error } = await finished(client);
    expect(status).toBe("failed");
    expect(error).toMatchObject({ message: "a code of another revision" });
    expect(error).not.toMatchObject({ code: -32_042 });
  });

  it("completes its task with isError if its result cannot be sent, and reports it", async () => {
    const { client, onError } = await setUp(() => ({ content: [], _meta: { "not a key!": 1 } }));
    expect(await finished(client)).toMatchObject({ status: "completed", result: { isError: true } });
    expect(onError.mock.calls[0]?.[0].cause.message).toContain("result._meta");
  });

  it("completes its task with members that other results know", async () => {
    const { client } = await setUp(() => ({ content: [], ttlMs: -1 }));
    expect(await finished(client)).toMatchObject({ status: "completed", result: { ttlMs: -1 } });
  });

  it("completes its task with isError if its result is not finished, and reports it", async () => {
    const { client, onError } = await setUp(() => ({ content: [], resultType: "acme/part" }));
    expect(await finished(client)).toMatchObject({ status: "completed", result: { isError: true } });
    expect(onError.mock.calls[0]?.[0].cause.message).toContain('a task ends with a finished result, got "acme/part"');
  });
});

it("reports no failure of a handler whose task was cancelled", async () => {
  const [begun, failed] = [gate(), gate()];
  const { client, onError } = await setUp(({ signal }) => {
    begun.open();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(new Error("stopped"));
        failed.open();
      });
    });
  });
  const { taskId } = await client.request("tools/call", { name: "render" });
  await begun.passed;
  await client.request("tasks/cancel", { taskId });
  await failed.passed;
  await new Promise(setImmediate);
  expect(onError).not.toHaveBeenCalled();
});

describe("a subscription to tasks", () => {
  it("reads no more tasks than a stream may have topics", async () => {
    const { client, store } = await setUp(() => "", { maxSubscribedResources: 2 });
    const read = vi.spyOn(store, "get");
    const ids = ["a", "b", "c"].map((letter) => letter.repeat(40));
    await expect(client.listen({ extensions: [taskIds.of(ids)] })).rejects.toMatchObject({ code: -32602 });
    expect(read).not.toHaveBeenCalled();
    const { honored } = await client.listen({ extensions: [taskIds.of(ids.slice(1))] });
    expect(taskIds.honoredIn(honored)).toBeUndefined();
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("fails if the store does", async () => {
    const { client, store } = await setUp(() => "");
    vi.spyOn(store, "get").mockRejectedValue(new Error("disk full"));
    const filter = taskIds.of(["a".repeat(40)]);
    await expect(client.listen({ extensions: [filter] })).rejects.toMatchObject({ code: -32603 });
    await expect(client.request(getTask, { taskId: "a".repeat(40) })).rejects.toMatchObject({ code: -32603 });
  });
});

it("refuses startTask if the task is cancelled before its turn", async () => {
  const refusals: unknown[] = [];
  const server = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ maxRunning: 1 }) });
  server.tool("hang", { task: "required" }, () => new Promise<string>(() => undefined));
  server.tool("later", { task: { mode: "required", starts: "later" } }, async (_args, context) => {
    await context.startTask().catch((error: unknown) => refusals.push(error));
    return "done";
  });
  const client = await connectInProcess(server, { extensions: [tasks], onError: () => undefined });
  onTestFinished(() => client.close());

  await client.request("tools/call", { name: "hang" });
  const { taskId } = await client.request("tools/call", { name: "later" });
  expect(refusals).toEqual([]);
  await client.request("tasks/cancel", { taskId });
  await vi.waitFor(() => expect(refusals).toHaveLength(1));
  expect(refusals).toMatchObject([
    { code: "request-aborted", message: `The task ${taskId} was over before its handler could go on` },
  ]);
});

it("starts tasks that wait for their turn, however few callers may wait for the end of a task", async () => {
  const refusals: unknown[] = [];
  const server = new McpServer({
    name: "studio",
    version: "1.0.0",
    tasks: serveTasks({ maxRunning: 1, maxWaiters: 1 }),
  });
  server.tool("hold", { task: "required" }, (_args, { signal }) => {
    return new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  server.tool("later", { task: { mode: "required", starts: "later", pollIntervalMs: 50 } }, async (_args, context) => {
    await context.startTask().catch((error: unknown) => refusals.push(error));
    return `in ${context.taskId}`;
  });
  const client = await connectInProcess(server, { extensions: [tasks], onError: () => undefined });
  onTestFinished(() => client.close());

  const held = await startTool(client, "hold");
  const waiting = [await startTool(client, "later"), await startTool(client, "later")];
  await held.cancel();
  for (const handle of waiting)
    expect((await handle.result()).content).toMatchObject([{ text: `in ${handle.taskId}` }]);
  expect(refusals).toEqual([]);
});

it("runs a call without arguments again after a restart, and fails the call of a tool that is gone", async () => {
  const store = new InMemoryTaskStore();
  const tool = (server: McpServer, name: string, handler: (args: unknown) => Promise<string> | string) =>
    server.tool(name, { task: { mode: "required", rerun: true } }, handler);
  const first = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ store }) });
  for (const name of ["kept", "gone"]) tool(first, name, () => new Promise(() => undefined));
  const before = await connectInProcess(first, { extensions: [tasks] });
  const { taskId: kept } = await before.request("tools/call", { name: "kept" });
  const { taskId: gone } = await before.request("tools/call", { name: "gone" });
  await before.close();
  await first.close();

  const second = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ store }) });
  tool(second, "kept", (args) => JSON.stringify(args));
  const after = await connectInProcess(second, { extensions: [tasks] });
  onTestFinished(() => after.close());
  await vi.waitFor(async () => {
    expect(await after.request("tasks/get", { taskId: kept })).toMatchObject({ result: { content: [{ text: "{}" }] } });
  });
  expect(await after.request("tasks/get", { taskId: gone })).toMatchObject({
    status: "failed",
    error: { code: -32603 },
  });
});

it("calls onStart before it reads the tasks of an earlier process, and onClose at its end", async () => {
  const calls: string[] = [];
  const store = new InMemoryTaskStore();
  vi.spyOn(store, "abandoned").mockImplementation(async function* () {
    calls.push("abandoned");
    yield* [];
  });
  const { server, client } = await setUp(() => "done", {
    tasks: serveTasks({ store }),
    onStart: async () => {
      await new Promise(setImmediate);
      calls.push("onStart");
    },
    onClose: async () => {
      await new Promise(setImmediate);
      calls.push("onClose");
    },
  });
  await client.listTools();
  expect(calls).toEqual(["onStart", "abandoned"]);
  await client.close();
  await server.close();
  expect(calls).toEqual(["onStart", "abandoned", "onClose"]);
});

it("searches a shared store at an interval from its start to its close", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const memory = new InMemoryTaskStore();
  const abandonedByOthers = vi.fn(() => memory.abandoned());
  const store = Object.assign(memory, { abandonedByOthers });
  const { server, client } = await setUp(() => "done", { tasks: serveTasks({ store }) });
  await client.listTools();
  vi.advanceTimersByTime(29_999);
  expect(abandonedByOthers).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(abandonedByOthers).toHaveBeenCalledTimes(1);
  await client.close();
  await server.close();
  expect(vi.getTimerCount()).toBe(0);
});
