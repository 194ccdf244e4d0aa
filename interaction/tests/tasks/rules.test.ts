import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { InMemoryTaskStore, serveTasks, startTool, taskIds, tasks, updateTask } from "parley-mcp/tasks";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { authenticate } from "../../src/http/waiter.js";
import { verifies } from "../../src/verifies.js";

const RELATED_TASK = "io.modelcontextprotocol/related-task";
const identity = { name: "studio", version: "1.0.0" };
const extensions = [tasks];
const task = { mode: "optional", pollIntervalMs: 50 } as const;
const forever = () => new Promise<string>(() => undefined);
const schema = z.object({ dish: z.string() });

interface Requesting {
  request(method: string, params?: object): Promise<Record<string, unknown>>;
}

async function start(client: Requesting, name: string): Promise<string> {
  const { task: created } = await client.request("tools/call", { name, task: {} });
  return (created as { taskId: string }).taskId;
}

verifies(
  ["tasks:auth:context-isolation", "tasks:limits:principal"],
  "tasks of one principal are -32602 for another one and absent from its list, and the limit counts each principal alone",
  async () => {
    const server = new McpServer({
      ...identity,
      tasks: serveTasks({ store: new InMemoryTaskStore({ maxTasksPerPrincipal: 1 }) }),
    });
    server.tool("render", { task }, forever);
    await using host = await hostHttp(server, { authenticate });
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const connect = (user: string) =>
        Client.connect({ url: host.url, headers: { "x-user": user } }, { ...identity, extensions, revision });
      await using ann = await connect(`ann ${revision}`);
      await using bob = await connect(`bob ${revision}`);

      const { taskId = "" } = await startTool(ann, "render");
      const reading = revision === "2025-11-25" ? ["tasks/result"] : [];
      for (const method of ["tasks/get", "tasks/cancel", ...reading]) {
        await expect(bob.request(method, { taskId })).rejects.toMatchObject({ code: -32602 });
      }
      expect(await ann.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
      await expect(startTool(ann, "render")).rejects.toMatchObject({ code: 429 });
      if (revision !== "2025-11-25") continue;
      expect(await ann.request("tasks/list")).toMatchObject({ tasks: [{ taskId }] });
      expect(await bob.request("tasks/list")).toMatchObject({ tasks: [] });
    }
  },
);

verifies(
  "tasks:auth:context-isolation",
  "another principal can neither answer the questions of a task nor listen to the task",
  async () => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task }, async (_args, context) => {
      const { content } = await context.elicit({ message: "Dish?", schema }, { key: "dish" });
      return `One ${content?.dish}`;
    });
    await using host = await hostHttp(server, { authenticate });
    const elicit = () => ({ action: "accept" as const, content: { dish: "soup" } });
    const connect = (user: string) =>
      Client.connect({ url: host.url, headers: { "x-user": user } }, { ...identity, extensions, elicit });
    await using ann = await connect("ann");
    await using bob = await connect("bob");

    const handle = await startTool(ann, "order");
    const taskId = String(handle.taskId);
    await vi.waitFor(async () => expect(await handle.status()).toEqual({ status: "input_required" }));
    const inputResponses = { dish: { action: "accept", content: { dish: "poison" } } };
    await expect(bob.request(updateTask, { taskId, inputResponses })).rejects.toMatchObject({ code: -32602 });
    await using heard = await bob.listen({ extensions: [taskIds.of([taskId])] });
    expect(taskIds.honoredIn(heard.honored)).toBeUndefined();

    expect((await handle.result()).content).toEqual([{ type: "text", text: "One soup" }]);
  },
);

verifies(
  "tasks:request-cancel:no-task-cancel",
  "notifications/cancelled for a call that was answered with a task leaves the task working",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, forever);
    const client = await connect(server, { extensions });

    const handle = await startTool(client, "render");
    const [requestId] = wire
      .from("client")
      .flatMap((message) =>
        "method" in message && message.method === "tools/call" && "id" in message ? [message.id] : [],
      );
    expect(requestId).toBeDefined();
    await client.notify("notifications/cancelled", { requestId });
    expect((await handle.status()).status).toBe("working");
  },
);

verifies(
  "tasks:side-channel:sampling",
  "a sampling request of a task waits for an open tasks/result, and names its related task",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("wish", { task }, async (_args, context) => {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Wish" } }];
      return JSON.stringify((await context.sample({ messages, maxTokens: 9 })).content);
    });
    const content = { type: "text" as const, text: "Bon appétit" };
    const sample = vi.fn(() => ({ role: "assistant" as const, model: "m", content }));
    const client = await connect(server, { sample });

    const taskId = await start(client, "wish");
    await vi.waitFor(async () => {
      expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
    });
    expect(sample).not.toHaveBeenCalled();
    const result = await client.request("tasks/result", { taskId });
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify(content) }]);
    const asked = wire
      .from("server")
      .find((message) => "method" in message && message.method === "sampling/createMessage");
    expect(asked).toMatchObject({ params: { _meta: { [RELATED_TASK]: { taskId } } } });
  },
);

verifies(
  "tasks:side-channel:drop-on-cancel",
  "tasks/cancel drops an unsent question, which rejects in the handler",
  async ({ connect }) => {
    const refused = deferred<unknown>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task }, async (_args, context) => {
      const asked = context.elicit({ message: "Dish?", schema });
      asked.catch(refused.resolve);
      return (await asked).action;
    });
    const elicit = vi.fn(() => ({ action: "cancel" as const }));
    const client = await connect(server, { elicit });

    const taskId = await start(client, "order");
    await vi.waitFor(async () => {
      expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
    });
    await client.request("tasks/cancel", { taskId });
    await expect(client.request("tasks/result", { taskId })).rejects.toMatchObject({ code: -32602 });
    expect(await refused.promise).toMatchObject({ code: "request-aborted" });
    expect(elicit).not.toHaveBeenCalled();
  },
);

verifies(
  "tasks:related-task:by-param",
  "tasks/get and tasks/cancel ignore related-task metadata in params, and their answers contain none",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, forever);
    const client = await connect(server);

    const [taskId, other] = [await start(client, "render"), await start(client, "render")];
    const params = { taskId, _meta: { [RELATED_TASK]: { taskId: other } } };
    expect(await client.request("tasks/get", params)).toMatchObject({ taskId });
    expect(await client.request("tasks/cancel", params)).toMatchObject({ taskId, status: "cancelled" });
    expect(await client.request("tasks/get", { taskId: other })).toMatchObject({ status: "working" });
    expect(JSON.stringify(wire.from("server"))).not.toContain(RELATED_TASK);
  },
);

verifies(
  "tasks:tool-level:client",
  "a client adds the param task only for a tool that requires a task",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("glance", () => "at once");
    const plain = await connect(server, { extensions });
    await startTool(plain, "glance");
    server.tool("render", { task: "required" }, () => "done");
    const client = await connect(server, { extensions });

    await startTool(client, "glance");
    await startTool(client, "render");
    const called = wire
      .from("client")
      .flatMap((message) => ("method" in message && message.method === "tools/call" ? [message.params] : []));
    expect(called.map((params) => params?.task)).toEqual([undefined, undefined, {}]);
  },
);

verifies(
  "tasks:polling",
  "a client that follows a task waits for the pollIntervalMs of the server before it polls",
  async ({ connect }) => {
    const polls: number[] = [];
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    const finish = deferred<string>();
    server.tool("render", { task: { mode: "required", pollIntervalMs: 200 } }, () => finish.promise);
    server.use((call, next) => {
      if (call.method === "tasks/get" && polls.push(performance.now()) === 2) finish.resolve("done");
      return next();
    });
    const client = await connect(server, { extensions });

    const started = performance.now();
    const result = await client.callTool("render");
    expect(result.content).toEqual([{ type: "text", text: "done" }]);
    expect((polls[0] ?? 0) - started).toBeGreaterThanOrEqual(195);
  },
);

verifies("tasks:limits", "a call over maxTasks is refused with 429", async ({ connect }) => {
  const store = new InMemoryTaskStore({ maxTasks: 2 });
  const server = new McpServer({ ...identity, tasks: serveTasks({ store }) });
  server.tool("render", { task }, forever);
  const client = await connect(server, { extensions });

  await startTool(client, "render");
  await startTool(client, "render");
  await expect(startTool(client, "render")).rejects.toMatchObject({ code: 429 });
});

verifies(
  "tasks:limits:bytes",
  "a call whose params exceed maxBytes as parsed JSON is refused with 429",
  async ({ connect }) => {
    const store = new InMemoryTaskStore({ maxBytes: 400_000, maxBytesPerPrincipal: 400_000 });
    const server = new McpServer({ ...identity, tasks: serveTasks({ store }) });
    server.tool("render", { task, input: { type: "object" } }, forever);
    const client = await connect(server, { extensions });

    await startTool(client, "render", { text: "x".repeat(60_000) });
    const parts = new Array(20_000).fill({});
    await expect(startTool(client, "render", { parts })).rejects.toMatchObject({ code: 429 });
  },
);

verifies(
  "tasks:expiry",
  "a task that is older than its ttlMs is unknown, and the signal of its handler aborts",
  async ({ connect }) => {
    const stopped = deferred<unknown>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: { ...task, ttlMs: 100 } }, (_args, { signal }) => {
      signal.addEventListener("abort", () => stopped.resolve(signal.reason));
      return forever();
    });
    const client = await connect(server, { extensions });

    const handle = await startTool(client, "render");
    expect(await stopped.promise).toMatchObject({ code: "request-timeout" });
    await expect(handle.status()).rejects.toMatchObject({ code: -32602 });
  },
);
