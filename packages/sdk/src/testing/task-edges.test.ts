import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/protocol-error.js";
import type { JsonObject } from "../runtime/json.js";
import { McpServer } from "../server/mcp-server.js";
import type { ServerContext } from "../server/server-context.js";
import type { McpServerOptions } from "../server/server-options.js";
import { taskIds } from "../tasks/extension/task-ids.js";
import { getTask } from "../tasks/extension/task-methods.js";
import { tasks } from "../tasks/extension/tasks-extension.js";
import { InMemoryTaskStore } from "../tasks/in-memory-task-store.js";
import { connectInProcess } from "./connect-in-process.js";

/** A client of a server whose tool runs as a task. */
async function setUp(act: (context: ServerContext) => unknown, options: Partial<McpServerOptions> = {}) {
  const onError = vi.fn();
  const store = new InMemoryTaskStore();
  const server = new McpServer({ name: "studio", version: "1.0.0", onError, tasks: { store }, ...options });
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

describe("a handler inside a task", () => {
  it("sends no requests, and no notifications after its end", async () => {
    const kept: ServerContext[] = [];
    const { client } = await setUp(async (context) => {
      kept.push(context);
      await context.notify("notifications/message", { level: "info", data: "heard by nobody" });
      await context.request("roots/list");
    });
    expect(await finished(client)).toMatchObject({ status: "completed", result: { isError: true } });
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

  it("fails its task with a result that cannot be sent, and reports it", async () => {
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
  const server = new McpServer({ name: "studio", version: "1.0.0", tasks: { store } });
  server.tool("render", { task: "optional" }, () => "done");
  const create = store.create.bind(store);
  // A worker of another process finishes the task at once.
  store.create = async (record) => {
    await create(record);
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
