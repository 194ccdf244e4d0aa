/** Tasks of 2025-11-25 between implementations: the official client with our server, and our client with the official server. */
import { Client as OfficialClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer as OfficialServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { receiveTasks, reopenTask, serveTasks, startTool, tasks } from "parley-mcp/tasks";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { listen } from "../servers/http-listener.js";

const identity = { name: "interop", version: "1.0.0" };
const text = (value: string) => [{ type: "text", text: value }];

describe("the official client with our server", () => {
  async function connect(): Promise<AsyncDisposable & { readonly client: OfficialClient }> {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    const task = { mode: "required", pollIntervalMs: 50 } as const;
    server.tool("render", { input: z.object({ pages: z.number() }), task }, async ({ pages }, context) => {
      await context.progress(1, 2, "Rendering");
      return `${pages} pages`;
    });
    server.tool("ask", { task }, async (_args, context) => {
      const { content } = await context.elicit({ message: "Your name?", schema: z.object({ name: z.string() }) });
      return `Hello ${content?.name}`;
    });
    server.tool("hang", { task }, () => new Promise<string>(() => undefined));
    const serving = await serveHttp(server, { port: 0 });
    const client = new OfficialClient(identity, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)));
    // The client looks up in its last list whether a tool runs as a task.
    await client.listTools();
    return {
      client,
      async [Symbol.asyncDispose]() {
        await client.close();
        await serving.close();
      },
    };
  }

  async function messagesOf(client: OfficialClient, name: string, args: Record<string, unknown>) {
    const kinds: string[] = [];
    for await (const message of client.experimental.tasks.callToolStream({ name, arguments: args })) {
      if (message.type === "error") throw message.error;
      if (message.type === "result") return { kinds, content: message.result.content };
      if (!kinds.includes(message.type)) kinds.push(message.type);
    }
    return { kinds, content: undefined };
  }

  test("starts a task, polls it and gets its result", async () => {
    await using connected = await connect();
    const { kinds, content } = await messagesOf(connected.client, "render", { pages: 3 });
    expect(kinds[0]).toBe("taskCreated");
    expect(content).toEqual(text("3 pages"));
  });

  test("answers a question of a task", async () => {
    await using connected = await connect();
    expect((await messagesOf(connected.client, "ask", {})).content).toEqual(text("Hello Ada"));
  });

  test("lists and cancels tasks, and reads that one is cancelled", async () => {
    await using connected = await connect();
    const { experimental } = connected.client;
    const stream = experimental.tasks.callToolStream({ name: "hang", arguments: {} });
    const { value: created } = await stream.next();
    if (created?.type !== "taskCreated") throw new Error(`expected a task, got ${JSON.stringify(created)}`);
    const { taskId } = created.task;
    await experimental.tasks.cancelTask(taskId);
    expect((await experimental.tasks.getTask(taskId)).status).toBe("cancelled");
    await stream.return();
  });
});

describe("questions as tasks of the client", () => {
  const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };

  test("of the official client, asked by our server", async () => {
    const server = new McpServer(identity);
    server.tool("ask", async (_args, context) => {
      const question = { message: "Your name?", schema: z.object({ name: z.string() }) };
      const { content } = await context.elicit(question, { task: true });
      return `Hello ${content?.name}`;
    });
    const serving = await serveHttp(server, { port: 0 });
    const taskStore = new InMemoryTaskStore();
    const requests = { elicitation: { create: {} } };
    const client = new OfficialClient(identity, {
      capabilities: { elicitation: {}, tasks: { requests, cancel: {}, list: {} } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    });
    const created: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, async (request, extra) => {
      if (!extra.taskStore) throw new Error(`${request.method} came without a task`);
      const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 50 });
      created.push(task.taskId);
      await extra.taskStore.storeTaskResult(task.taskId, "completed", { action: "accept", content: { name: "Ada" } });
      return { task };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)));

    expect((await client.callTool({ name: "ask" })).content).toEqual(text("Hello Ada"));
    expect(created).toHaveLength(1);
    taskStore.cleanup();
    await client.close();
    await serving.close();
  });

  test("of our client, asked by the official server", async () => {
    const server = new OfficialServer(identity, { taskMessageQueue: new InMemoryTaskMessageQueue() });
    const kinds: string[] = [];
    server.registerTool("ask", {}, async ({ requestId }) => {
      const params = { message: "Your name?", requestedSchema };
      const options = { task: { ttl: 60_000 }, relatedRequestId: requestId };
      for await (const message of server.server.experimental.tasks.elicitInputStream(params, options)) {
        kinds.push(message.type);
        if (message.type === "error") throw message.error;
        if (message.type === "result")
          return { content: [{ type: "text", text: `Hello ${message.result.content?.name}` }] };
      }
      return { content: [] };
    });
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
    await server.connect(transport);
    await using listener = await listen((request, response) => transport.handleRequest(request, response));
    if (listener.endpoint.kind === "stdio") throw new Error("the listener serves HTTP");
    const elicit = () => ({ action: "accept" as const, content: { name: "Ada" } });
    const received = { elicit, tasks: receiveTasks({ pollIntervalMs: 50 }) };
    const client = await Client.connect({ url: listener.endpoint.url }, { ...identity, ...received });

    expect((await client.callTool("ask")).content).toEqual(text("Hello Ada"));
    expect(kinds[0]).toBe("taskCreated");
    await client.close();
    await server.close();
  });
});

describe("our client with the official server", () => {
  /** @param isFinished resolves when tasks may end */
  async function serve(isFinished: Promise<void>): Promise<AsyncDisposable & { readonly url: string }> {
    const taskStore = new InMemoryTaskStore();
    const server = new OfficialServer(identity, {
      capabilities: { tasks: { requests: { tools: { call: {} } }, cancel: {}, list: {} } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    });
    server.experimental.tasks.registerToolTask(
      "render",
      { inputSchema: { pages: z.number() }, execution: { taskSupport: "required" } },
      {
        async createTask({ pages }, extra) {
          const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 50 });
          const result = { content: [{ type: "text" as const, text: `${pages} pages` }] };
          void isFinished.then(() => extra.taskStore.storeTaskResult(task.taskId, "completed", result));
          return { task };
        },
        getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
        async getTaskResult(_args, extra) {
          return CallToolResultSchema.parse(await extra.taskStore.getTaskResult(extra.taskId));
        },
      },
    );
    server.experimental.tasks.registerToolTask(
      "ask",
      { execution: { taskSupport: "required" } },
      {
        async createTask(extra) {
          const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 50 });
          const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
          const params = { message: "Your name?", requestedSchema };
          const asked = (async () => {
            await extra.taskStore.updateTaskStatus(task.taskId, "input_required");
            const options = { relatedTask: { taskId: task.taskId } };
            const request = { method: "elicitation/create" as const, params };
            const { content } = await extra.sendRequest(request, ElicitResultSchema, options);
            const result = { content: [{ type: "text" as const, text: `Hello ${content?.name}` }] };
            await extra.taskStore.storeTaskResult(task.taskId, "completed", result);
          })();
          asked.catch((error: Error) => extra.taskStore.updateTaskStatus(task.taskId, "failed", error.message));
          return { task };
        },
        getTask: (extra) => extra.taskStore.getTask(extra.taskId),
        async getTaskResult(extra) {
          return CallToolResultSchema.parse(await extra.taskStore.getTaskResult(extra.taskId));
        },
      },
    );
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
    await server.connect(transport);
    const listener = await listen((request, response) => transport.handleRequest(request, response));
    if (listener.endpoint.kind === "stdio") throw new Error("the listener serves HTTP");
    return {
      url: listener.endpoint.url,
      async [Symbol.asyncDispose]() {
        await server.close();
        await listener[Symbol.asyncDispose]();
      },
    };
  }

  test("callTool follows the task of a tool that needs one", async () => {
    await using serving = await serve(Promise.resolve());
    const client = await Client.connect({ url: serving.url }, { ...identity, extensions: [tasks] });
    expect((await client.callTool("render", { pages: 3 })).content).toEqual(text("3 pages"));
    await client.close();
  });

  test("startTool hands out a handle that is stored and reopened", async () => {
    let finish = (): void => undefined;
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await using serving = await serve(isFinished);
    const client = await Client.connect({ url: serving.url }, { ...identity, extensions: [tasks] });
    const stored = JSON.stringify(await startTool(client, "render", { pages: 3 }));
    const handle = reopenTask(client, JSON.parse(stored));
    expect((await handle.status()).status).toBe("working");
    finish();
    expect((await handle.result()).content).toEqual(text("3 pages"));
    await client.close();
  });

  test("answers a question of a task", async () => {
    await using serving = await serve(Promise.resolve());
    const elicit = ({ message }: { message: string }) => ({ action: "accept" as const, content: { name: message } });
    const client = await Client.connect({ url: serving.url }, { ...identity, extensions: [tasks], elicit });
    expect((await client.callTool("ask")).content).toEqual(text("Hello Your name?"));
    await client.close();
  });

  test("cancels a task, and its result rejects", async () => {
    await using serving = await serve(new Promise<void>(() => undefined));
    const client = await Client.connect({ url: serving.url }, { ...identity, extensions: [tasks] });
    const handle = await startTool(client, "render", { pages: 3 });
    await handle.cancel();
    expect((await handle.status()).status).toBe("cancelled");
    await expect(handle.result()).rejects.toMatchObject({ code: "request-aborted" });
    await client.close();
  });
});
