import { McpServer, ProtocolError } from "parley-mcp/server";
import { serveTasks, startTool, tasks } from "parley-mcp/tasks";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "studio", version: "1.0.0" };
const task = { mode: "required", pollIntervalMs: 50 } as const;
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

verifies(
  "tasks:followed",
  "callTool follows a task, answers its question once, and returns its result or throws its error",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task }, async (_args, context) => {
      const { content } = await context.elicit({ message: "Dish?", schema: z.object({ dish: z.string() }) });
      return `One ${content?.dish}`;
    });
    server.tool("fail", { task }, () => {
      throw new ProtocolError(-1, "Out of stock", { data: { left: 0 } });
    });
    const elicit = vi.fn(() => ({ action: "accept" as const, content: { dish: "soup" } }));
    const client = await connect(server, { extensions: [tasks], elicit });

    expect(await client.callTool("order")).toMatchObject(text("One soup"));
    expect(elicit).toHaveBeenCalledTimes(1);
    await expect(client.callTool("fail")).rejects.toMatchObject({
      code: -1,
      message: "Out of stock",
      data: { left: 0 },
    });
  },
);

verifies(
  "tasks:followed:while-asked",
  "a task that is cancelled while its user thinks rejects the call and aborts the handler of the question",
  async ({ connect }) => {
    const asked = deferred<AbortSignal>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task }, async (_args, context) => {
      await context.elicit({ message: "Dish?", schema: z.object({ dish: z.string() }) });
    });
    const elicit = (_params: unknown, { signal }: { signal?: AbortSignal | undefined }) => {
      if (signal) asked.resolve(signal);
      return new Promise<never>(() => undefined);
    };
    const client = await connect(server, { extensions: [tasks], elicit });
    const handle = await startTool(client, "order");
    const outcome = expect(handle.result()).rejects.toMatchObject({ code: "request-aborted" });
    const signal = await asked.promise;

    await handle.cancel();

    await outcome;
    expect(signal.reason).toMatchObject({ message: expect.stringContaining(`${handle.taskId} was cancelled`) });
  },
);

verifies(
  "tasks:followed:closed",
  "a call whose task is followed rejects as soon as the client closes, and the handler goes on",
  async ({ connect }) => {
    const started = deferred<void>();
    const finish = deferred<string>();
    const aborted = vi.fn();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: { ...task, pollIntervalMs: 60_000 } }, (_args, { signal }) => {
      signal.addEventListener("abort", aborted);
      started.resolve();
      return finish.promise;
    });
    const client = await connect(server, { extensions: [tasks] });
    const call = client.callTool("render");
    const outcome = expect(call).rejects.toMatchObject({
      code: "connection-closed",
      message: "The client was closed before the call was finished",
    });
    await started.promise;
    // The answers of a server come in order, so the client has the task.
    await client.listTools();
    await client.close();

    await outcome;
    expect(aborted).not.toHaveBeenCalled();
    finish.resolve("done");
  },
);

verifies(
  "tasks:followed:malformed-question",
  "callTool rejects for a malformed question of a task, asks no handler of the client, and cancels the task",
  async ({ openServer }) => {
    const asked = () => {
      throw new Error("must not be asked");
    };
    const handlers = { elicit: asked, sample: asked, listRoots: asked };
    const capabilities = { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
    const { peer, client } = await openServer(capabilities, { ...handlers, extensions: [tasks] });
    const created = {
      taskId: "0123456789",
      createdAt: "2026-07-28T00:00:00.000Z",
      lastUpdatedAt: "2026-07-28T00:00:00.000Z",
      ttlMs: null,
      pollIntervalMs: 1,
    };
    const questions = [
      [{ method: "tools/list", params: {} }, "question.method"],
      [{ method: "elicitation/create", params: { message: 7 } }, "question.params"],
      [{ method: "sampling/createMessage", params: { messages: "Hello", maxTokens: 1 } }, "question.params"],
    ] as const;

    for (const [question, complaint] of questions) {
      const outcome = expect(client.callTool("render")).rejects.toMatchObject({
        code: "invalid-result",
        message: expect.stringContaining(complaint),
      });
      await peer.respond(await peer.receive(), { ...created, status: "working", resultType: "task" });
      const inputRequests = { q: question };
      await peer.respond(await peer.receive(), { ...created, status: "input_required", inputRequests });
      let next = await peer.receive();
      // Since the task is unfinished, the client listens to it.
      while (next.method !== "tasks/cancel") next = await peer.receive();
      await peer.respond(next, {});
      await outcome;
    }
  },
);

verifies(
  "tasks:followed:aborted",
  "an aborted call and a question that the client cannot answer both cancel the task and abort its handler",
  async ({ connect }) => {
    const polled = deferred<void>();
    const stopped = deferred<unknown>();
    const refused = deferred<unknown>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, (_args, { signal }) => {
      signal.addEventListener("abort", () => stopped.resolve(signal.reason));
      return new Promise<string>(() => undefined);
    });
    server.tool("ask", { task }, async (_args, context) => {
      context.signal.addEventListener("abort", () => refused.resolve(context.signal.reason));
      return (await context.elicit({ message: "Dish?", schema: z.object({ dish: z.string() }) })).action;
    });
    server.use((call, next) => {
      if (call.method === "tasks/get") polled.resolve();
      return next();
    });
    const elicit = () => {
      throw new Error("nobody is there");
    };
    const client = await connect(server, { extensions: [tasks], elicit, onError: () => undefined });
    const controller = new AbortController();

    const call = client.callTool("render", {}, { signal: controller.signal });
    await polled.promise;
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    expect(await stopped.promise).toMatchObject({ code: "request-aborted" });
    await expect(client.callTool("ask")).rejects.toThrow();
    expect(await refused.promise).toMatchObject({ code: "request-aborted" });
  },
);
