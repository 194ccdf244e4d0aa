import { McpServer, ProtocolError } from "parley-mcp/server";
import { reopenTask, serveTasks, startTool, tasks } from "parley-mcp/tasks";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "studio", version: "1.0.0" };
const task = { mode: "optional", pollIntervalMs: 50 } as const;
const extensions = [tasks];
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const schema = z.object({ dish: z.string() });

verifies(
  "tasks:handle:started",
  "startTool resolves while the handler runs, and the handle reads the status and the result later",
  async ({ connect }) => {
    const finish = deferred<string>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { input: z.object({ pages: z.number() }), task }, async ({ pages }, context) => {
      await context.progress(1, pages, "Rendering");
      return finish.promise;
    });
    const client = await connect(server, { extensions });

    const handle = await startTool(client, "render", { pages: 3 });
    expect(handle.taskId).toEqual(expect.any(String));
    expect((await handle.status()).status).toBe("working");
    const onProgress = vi.fn();
    const result = handle.result({ onProgress });
    await vi.waitFor(() => expect(onProgress).toHaveBeenCalledWith({ progress: 1, message: "Rendering" }));
    finish.resolve("done");
    expect(await result).toMatchObject(text("done"));
    expect(await handle.status()).toEqual({ status: "completed" });
    expect(await handle.result()).toMatchObject(text("done"));
  },
);

verifies(
  "tasks:question-timeout",
  "an elicitation inside a task rejects with request-timeout after its own timeoutMs, and the task goes on",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    const { signal } = new AbortController();
    server.tool("order", { task }, async (_args, context) => {
      const ask = (key: string, options: object) => context.elicit({ message: key, schema }, { key, ...options });
      const asked = [ask("dish", { timeoutMs: 1 }), ask("drink", { timeoutMs: 1, signal })];
      const codes = await Promise.all(asked.map((answer) => answer.catch(({ code }) => code)));
      await expect(ask("dessert", { timeoutMs: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
      return codes.join(" and ");
    });
    const client = await connect(server, { extensions, elicit: () => new Promise<never>(() => undefined) });

    const handle = await startTool(client, "order");
    await vi.waitFor(async () => expect(await handle.status()).toEqual({ status: "completed" }));
    expect(await handle.result()).toMatchObject(text("request-timeout and request-timeout"));
  },
);

verifies(
  "tasks:handle:questions",
  "a question of a started task waits until a client awaits the result, and the handlers of that client answer it",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task }, async (_args, context) => {
      const { content } = await context.elicit({ message: "Dish?", schema });
      return `One ${content?.dish}`;
    });
    const elicit = vi.fn(() => ({ action: "accept" as const, content: { dish: "soup" } }));
    const client = await connect(server, { extensions, elicit });

    const handle = await startTool(client, "order");
    await vi.waitFor(async () => expect((await handle.status()).status).toBe("input_required"));
    expect(elicit).not.toHaveBeenCalled();
    expect(await handle.result()).toMatchObject(text("One soup"));
    expect(elicit).toHaveBeenCalledTimes(1);
  },
);

verifies(
  "tasks:handle:reopened",
  "reopenTask in another client reads the result of a handle from the JSON form of the handle",
  async ({ connect }) => {
    const finish = deferred<string>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, () => finish.promise);
    const first = await connect(server, { extensions });
    const second = await connect(server, { extensions });

    const stored = JSON.stringify(await startTool(first, "render"));
    await first.close();
    const handle = reopenTask(second, JSON.parse(stored));
    const result = handle.result();
    finish.resolve("done");
    expect(await result).toMatchObject(text("done"));
    const unknown = reopenTask(second, { tool: "render", taskId: "0".repeat(40) });
    await expect(unknown.result()).rejects.toMatchObject({ code: -32602 });
  },
);

verifies(
  "tasks:handle:outcomes",
  "a handle shows that its task has failed or was cancelled, and its result rejects with the reason",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("fail", { task }, () => {
      throw new ProtocolError(-1, "Out of stock", { data: { left: 0 } });
    });
    server.tool("render", { task }, () => new Promise<string>(() => undefined));
    const client = await connect(server, { extensions });

    const failed = await startTool(client, "fail");
    await expect(failed.result()).rejects.toMatchObject({ code: -1, data: { left: 0 } });
    expect(await failed.status()).toEqual({ status: "failed", statusMessage: "Out of stock" });
    const cancelled = await startTool(client, "render");
    await cancelled.cancel();
    await cancelled.cancel();
    expect((await cancelled.status()).status).toBe("cancelled");
    await expect(cancelled.result()).rejects.toMatchObject({ code: "request-aborted" });
  },
);

verifies(
  "tasks:handle:aborted",
  "an aborted wait for a result leaves the task running, and the handle can be awaited again",
  async ({ connect }) => {
    const finish = deferred<string>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, () => finish.promise);
    const client = await connect(server, { extensions });

    const handle = await startTool(client, "render");
    const controller = new AbortController();
    const result = handle.result({ signal: controller.signal });
    controller.abort();
    await expect(result).rejects.toMatchObject({ code: "request-aborted" });
    finish.resolve("done");
    expect(await handle.result()).toMatchObject(text("done"));
  },
);

verifies(
  "tasks:handle:at-once",
  "startTool for a tool that answers at once gives a completed handle, whose JSON form contains the result",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, () => "done");
    server.tool("glance", { output: z.object({ size: z.number() }) }, () => ({ size: 3 }));
    const client = await connect(server, { extensions });

    const handle = await startTool(client, "glance");
    expect(handle.taskId).toBeUndefined();
    expect(await handle.status()).toEqual({ status: "completed" });
    await handle.cancel();
    expect((await handle.result()).structuredContent).toEqual({ size: 3 });
    const reopened = reopenTask(client, JSON.parse(JSON.stringify(handle)));
    expect((await reopened.result()).structuredContent).toEqual({ size: 3 });
  },
);

verifies(
  "tasks:handle:checked",
  "a client that checks all output also checks the results of started tasks and of reopened handles",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    const output = z.object({ size: z.number() });
    server.tool("render", { task, output }, () => ({ size: 3 }));
    server.tool("glance", { output }, () => ({ size: 3 }));

    for (const tool of ["render", "glance"]) {
      const client = await connect(server, { extensions, outputChecks: "always" });
      const handle = await startTool(client, tool);
      expect((await handle.result()).structuredContent).toEqual({ size: 3 });
      for (const result of [{ foo: 1 }, { content: [], structuredContent: { size: "3" } }]) {
        const reopened = reopenTask(client, { tool, result });
        await expect(reopened.result()).rejects.toMatchObject({ code: "invalid-result" });
      }
    }
  },
);

verifies(
  "tasks:handle:misuse",
  "startTool and reopenTask throw with advice for a client without the extension, and reopenTask for a malformed handle",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, () => "done");
    const plain = await connect(server);
    const client = await connect(server, { extensions });

    await expect(startTool(plain, "render")).rejects.toThrow("give it extensions: [tasks]");
    expect(() => reopenTask(plain, { tool: "render", taskId: "t" })).toThrow("give it extensions: [tasks]");
    for (const stored of [undefined, {}, { taskId: "t" }, { tool: "render" }, { tool: "render", taskId: 1 }]) {
      expect(() => reopenTask(client, stored as never)).toThrow("store JSON.stringify(handle)");
    }
  },
);

verifies(
  "tasks:followed:legacy-required",
  "callTool of 2025-11-25 adds the param task for a tool that requires a task, although the tool was not listed before",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: { mode: "required", pollIntervalMs: 50 } }, async (_args, context) => {
      const { content } = await context.elicit({ message: "Dish?", schema });
      return `One ${content?.dish}`;
    });
    server.tool("glance", { task }, () => "at once");
    const elicit = () => ({ action: "accept" as const, content: { dish: "soup" } });
    const client = await connect(server, { extensions, elicit });

    expect(await client.callTool("render")).toMatchObject(text("One soup"));
    expect(await client.callTool("render")).toMatchObject(text("One soup"));
    expect(await client.callTool("glance")).toMatchObject(text("at once"));
    const called = wire
      .from("client")
      .flatMap((message) => ("method" in message && message.method === "tools/call" ? [message.params] : []));
    expect(called.map((params) => params?.task)).toEqual([{}, {}, undefined]);
  },
);

verifies(
  "tasks:followed:legacy-aborted",
  "an aborted callTool of 2025-11-25 cancels its task, and the signal of the handler aborts",
  async ({ connect }) => {
    const polled = deferred<void>();
    const stopped = deferred<void>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: { mode: "required", pollIntervalMs: 50 } }, (_args, { signal }) => {
      signal.addEventListener("abort", () => stopped.resolve());
      return new Promise<string>(() => undefined);
    });
    server.use((call, next) => {
      if (call.method === "tasks/get") polled.resolve();
      return next();
    });
    const client = await connect(server, { extensions });
    const controller = new AbortController();

    const call = client.callTool("render", {}, { signal: controller.signal });
    await polled.promise;
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await stopped.promise;
  },
);

verifies(
  "tasks:followed:listens",
  "a client that follows a task listens to its changes instead of polling",
  async ({ connect, wire }) => {
    const halves = [deferred<void>(), deferred<void>()] as const;
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: { mode: "required", pollIntervalMs: 50 } }, async (_args, context) => {
      await halves[0].promise;
      await context.progress(1, 2, "Half");
      await halves[1].promise;
      return "done";
    });
    const client = await connect(server, { extensions });
    const count = (text: string) =>
      JSON.stringify([...wire.from("client"), ...wire.from("server")]).split(text).length - 1;

    const onProgress = vi.fn();
    const result = client.callTool("render", {}, { onProgress });
    await vi.waitFor(() => expect(count('"notifications/subscriptions/acknowledged"')).toBe(1));
    await vi.waitFor(() => expect(count('"tasks/get"')).toBe(2));
    halves[0].resolve();
    await vi.waitFor(() => expect(onProgress).toHaveBeenCalledWith({ progress: 1, message: "Half" }));
    halves[1].resolve();
    expect(await result).toMatchObject(text("done"));
    expect(count('"tasks/get"')).toBe(2);
  },
);

verifies(
  "logging:message:after-request",
  "a handler sends no log message after its call was answered with a task",
  async ({ connect, wire, revision }) => {
    const server = new McpServer({ ...identity, capabilities: { logging: {} }, tasks: serveTasks() });
    server.tool("render", { task }, async (_args, { log }) => {
      log.info("Rendering");
      return "done";
    });
    const client = await connect(server, { extensions });

    expect(await client.callTool("render", {}, { logLevel: "debug" })).toMatchObject(text("done"));
    // Legacy clients run no optional task by themselves: their call is still in progress.
    const logged = wire.methods("server").filter((method) => method === "notifications/message");
    expect(logged).toHaveLength(revision === "2026-07-28" ? 0 : 1);
  },
);
