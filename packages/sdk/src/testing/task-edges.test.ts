import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { Client } from "../client/client.js";
import type { ClientOptions } from "../client/client-options.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { gate } from "../hosting/http/legacy/http-fakes.fixture.js";
import type { JsonObject } from "../runtime/json.js";
import { inputRequired } from "../server/input/input-required.js";
import { McpServer } from "../server/mcp-server.js";
import type { ServerContext } from "../server/server-context.js";
import type { McpServerOptions } from "../server/server-options.js";
import { serveTasks } from "../server/tasks/serve-tasks.js";
import { startTool } from "../tasks/extension/task-handle.js";
import { taskIds } from "../tasks/extension/task-ids.js";
import { getTask } from "../tasks/extension/task-methods.js";
import { tasks } from "../tasks/extension/tasks-extension.js";
import { InMemoryTaskStore } from "../tasks/in-memory-task-store.js";
import type { TaskRecord } from "../tasks/task-record.js";
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
});

describe("a subscription to tasks", () => {
  it("reads no more tasks than a stream may have topics", async () => {
    const { client, store } = await setUp(() => "", { maxSubscribedResources: 2 });
    const read = vi.spyOn(store, "get");
    const ids = ["a", "b", "c"].map((letter) => letter.repeat(40));
    await expect(client.listen({ extensions: [taskIds.of(ids)] })).rejects.toMatchObject({ code: -32602 });
    expect(read).not.toHaveBeenCalled();
  });

  it("fails if the store does", async () => {
    const { client, store } = await setUp(() => "");
    vi.spyOn(store, "get").mockRejectedValue(new Error("disk full"));
    const filter = taskIds.of(["a".repeat(40)]);
    await expect(client.listen({ extensions: [filter] })).rejects.toMatchObject({ code: -32603 });
    await expect(client.request(getTask, { taskId: "a".repeat(40) })).rejects.toMatchObject({ code: -32603 });
  });
});

it("forgets the connection of a legacy task that ends before its call is answered", async () => {
  const store = new InMemoryTaskStore();
  const server = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ store }) });
  server.tool("render", { task: "optional" }, () => "done");
  const create = store.create.bind(store);
  // A worker of another process finishes the task at once.
  store.create = async (record, input) => {
    await create(record, input);
    await store.replace({ ...record, status: "completed", result: { content: [] }, version: 2, visibleVersion: 2 });
  };
  const heard: unknown[] = [];
  const client = await connectInProcess(server, { revision: "2025-11-25" });
  onTestFinished(() => client.close());
  client.onNotification("notifications/tasks/status", (params) => void heard.push(params));
  const { task } = await client.request("tools/call", { name: "render", task: {} });
  const { taskId } = task as { taskId: string };
  const record = await store.get(taskId);
  await store.replace({ ...record, version: 3, visibleVersion: 3 } as never);
  await new Promise(setImmediate);
  expect(heard).toEqual([]);
});

const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** A legacy client of a server whose tool runs as a task. */
async function setUpLegacy(act: (context: ServerContext) => unknown, clientOptions: Partial<ClientOptions> = {}) {
  const store = new InMemoryTaskStore();
  const onError = () => undefined;
  const server = new McpServer({
    name: "studio",
    version: "1.0.0",
    onError,
    tasks: serveTasks({ store, statusIntervalMs: 1 }),
  });
  server.tool("render", { task: "optional" }, async (_args, context) => (await act(context)) as string);
  const client = await connectInProcess(server, { revision: "2025-11-25", onError, ...clientOptions });
  onTestFinished(() => client.close());
  const start = async (): Promise<string> => {
    const { task } = await client.request("tools/call", { name: "render", task: {} });
    return (task as { taskId: string }).taskId;
  };
  return { client, store, start };
}

describe("a handler inside a legacy task", () => {
  it("notifies the client of its call, and goes on without it", async () => {
    const closed = gate();
    const { client, store, start } = await setUpLegacy(async (context) => {
      await context.notify("acme/step", { step: 1, _meta: { "acme/a": 1 } });
      await context.progress(3);
      await closed.passed;
      await context.notify("acme/step", { step: 2 });
      return "done";
    });
    const heard: unknown[] = [];
    client.onNotification("acme/step", (params) => void heard.push(params));

    const taskId = await start();
    await vi.waitFor(async () => {
      expect(await client.request("tasks/get", { taskId })).toMatchObject({ statusMessage: "3" });
    });
    await client.close();
    closed.open();
    await vi.waitFor(async () => expect(await store.get(taskId)).toMatchObject({ status: "completed" }));
    expect((await store.get(taskId))?.result).toMatchObject({ content: [{ text: "done" }] });
    expect(heard).toEqual([{ step: 1, _meta: { "acme/a": 1, [RELATED_TASK]: { taskId } } }]);
  });

  it("asks with and without params, and keeps the metadata of its questions and its result", async () => {
    const asked: unknown[] = [];
    const question = {
      method: "elicitation/create",
      params: { message: "Sure?", requestedSchema: { type: "object", properties: {} }, _meta: { "acme/a": 1 } },
    } as const;
    const { client, start } = await setUpLegacy(
      async (context) => {
        const roots = await context.listRoots();
        if (context.inputResponses === undefined) return inputRequired({ inputRequests: { sure: question } });
        return { content: [{ type: "text", text: roots[0]?.uri }], _meta: { "acme/b": 2 } };
      },
      {
        listRoots: () => [{ uri: "file:///a" }],
        elicit: (params) => {
          asked.push(params);
          return { action: "accept" };
        },
      },
    );

    const taskId = await start();
    expect(await client.request("tasks/result", { taskId })).toEqual({
      content: [{ type: "text", text: "file:///a" }],
      _meta: { "acme/b": 2, [RELATED_TASK]: { taskId } },
    });
    expect(asked).toMatchObject([{ _meta: { "acme/a": 1, [RELATED_TASK]: { taskId } } }]);
  });

  it("is asked again by the next tasks/result after one was cancelled", async () => {
    const asked = gate();
    const elicit = vi.fn<() => Promise<{ action: "accept" }>>(async () => ({ action: "accept" }));
    elicit.mockImplementationOnce(() => {
      asked.open();
      return new Promise(() => undefined);
    });
    const { client, start } = await setUpLegacy(
      async (context) => (await context.elicit({ message: "Sure?", schema: z.object({}) })).action,
      { elicit },
    );

    const taskId = await start();
    const leaving = new AbortController();
    const left = client.request("tasks/result", { taskId }, { signal: leaving.signal });
    await asked.passed;
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect(await client.request("tasks/result", { taskId })).toMatchObject({ content: [{ text: "accept" }] });
    expect(elicit).toHaveBeenCalledTimes(2);
  });
});

describe("a legacy task", () => {
  it("asks a question that is stored while tasks/result begins to wait", async () => {
    const asking = gate();
    const { client, store, start } = await setUpLegacy(
      async (context) => {
        await asking.passed;
        return (await context.elicit({ message: "Sure?", schema: z.object({}) })).action;
      },
      { elicit: () => ({ action: "accept" }) },
    );

    const taskId = await start();
    const before = await store.get(taskId);
    vi.spyOn(store, "get").mockImplementationOnce(async () => {
      asking.open();
      await vi.waitFor(async () => expect(await store.get(taskId)).toMatchObject({ status: "input_required" }));
      return before;
    });
    expect(await client.request("tasks/result", { taskId })).toMatchObject({ content: [{ text: "accept" }] });
  });

  it("is notified of by the clock of the tasks", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const finish = gate();
    const server = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ now: () => 1_000 }) });
    server.tool("render", { task: "optional" }, () => finish.passed.then(() => "done"));
    const client = await connectInProcess(server, { revision: "2025-11-25" });
    onTestFinished(() => client.close());
    const heard: unknown[] = [];
    client.onNotification("notifications/tasks/status", ({ status }) => void heard.push(status));

    await client.request("tools/call", { name: "render", task: {} });
    await vi.advanceTimersByTimeAsync(10_000);
    finish.open();
    await new Promise(setImmediate);
    expect(heard).toEqual(["completed"]);
  });

  it("is refused if the param is no object", async () => {
    const { client } = await setUpLegacy(() => "done");
    const call = client.request("tools/call", { name: "render", task: 7 });
    await expect(call).rejects.toMatchObject({ code: -32602 });
  });

  it("is created although its store cannot be read right after", async () => {
    const { client, store, start } = await setUpLegacy(() => new Promise(() => undefined));
    const read = vi.spyOn(store, "get").mockRejectedValue(new Error("disk full"));
    const taskId = await start();
    expect(taskId).toMatch(/^[0-9a-f]{40}$/);
    read.mockRestore();
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
  });

  it("that a worker cancelled without a message has a reason all the same", async () => {
    const { client, store, start } = await setUpLegacy(() => new Promise(() => undefined));
    const taskId = await start();
    const { version, visibleVersion, ...record } = (await store.get(taskId)) as TaskRecord;
    const next = { version: version + 1, visibleVersion: visibleVersion + 1 };
    await store.replace({ ...record, ...next, status: "cancelled" });
    await expect(client.request("tasks/result", { taskId })).rejects.toMatchObject({
      code: -32602,
      message: "The task was cancelled",
    });
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
