import { defineExtension, defineMethod, defineResultType, McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";
import { identity, job, jobStatus, jobs, renderer, text } from "./jobs.fixture.js";

verifies(
  "extensions:server:claimed-result",
  "a handler that returns a result type of an extension to a client without it fails the call",
  async ({ connect, era }) => {
    const server = new McpServer({ ...identity, extensions: [jobs] });
    server.tool("render", {}, () => job.of({ id: "1" }));
    const client = await connect(server);

    await expect(client.callTool("render")).rejects.toMatchObject({
      name: "ProtocolError",
      code: era === "modern" ? -32021 : -32602,
      message: expect.stringContaining("com.example/jobs"),
      data: { requiredCapabilities: { extensions: { "com.example/jobs": {} } } },
    });
  },
);

verifies(
  "extensions:server:claimed-result-checked",
  "a wrong result of an extension's kind fails the call and is reported, whether a handler or a middleware made it",
  async ({ connect }) => {
    const reported: unknown[] = [];
    const server = new McpServer({ ...identity, extensions: [jobs], onError: ({ cause }) => reported.push(cause) });
    server.tool("wrong", {}, () => job.of({ id: 7 as never }));
    server.handle("acme/own", () => ({ resultType: "job", id: "1" }));
    server.use((call, next) => (call.params.name === "odd" ? { resultType: "telepathy" } : next()));
    const client = await connect(server, { extensions: [jobs] });

    expect(await client.callTool("wrong")).toMatchObject({ isError: true });
    await expect(client.request("acme/own")).rejects.toMatchObject({ code: -32603 });
    expect(await client.callTool("odd")).toMatchObject({ isError: true });
    expect(reported).toMatchObject([
      { code: "invalid-result", message: expect.stringContaining("result.id: ") },
      { code: "invalid-result", message: expect.stringContaining('acme/own was answered with a result of type "job"') },
      { code: "invalid-result", message: expect.stringContaining('"telepathy"') },
    ]);
  },
);

verifies(
  "extensions:client:capability-ad:legacy-omits-claimed",
  "a legacy conversation has no extension with result types: none is declared, and its methods are unknown to both sides",
  async ({ connect, wire }) => {
    const server = renderer();
    server.handle("acme/own", () => ({ resultType: "mine" }));
    const client = await connect(server, { extensions: [jobs] });
    const insisting = await connect(server, { capabilities: { extensions: { "com.example/jobs": {} } } });

    expect(client.serverCapabilities?.extensions).toBeUndefined();
    expect(wire.from("client")[0]).toMatchObject({ method: "initialize", params: { capabilities: {} } });
    expect(JSON.stringify(wire.connections[0]?.entries[0])).not.toContain("com.example/jobs");
    expect(await client.callTool("render", { page: 7 })).toEqual(text("page 7 at once"));
    expect(await insisting.callTool("render", { page: 7 })).toEqual(text("page 7 at once"));
    await expect(client.request(jobStatus, { id: "1" })).rejects.toMatchObject({ code: "capability-not-supported" });
    await expect(insisting.request("acme/job", { id: "1" })).rejects.toMatchObject({ code: -32601 });
    expect(await client.request("acme/own")).toEqual({ resultType: "mine" });
  },
);

verifies(
  "extensions:moved-methods:legacy",
  "2025-11-25 clients get tasks/get from the handler by name, with the extension and without",
  async ({ connect }) => {
    const params = z.object({ taskId: z.string() });
    const getTask = defineMethod("tasks/get", { params, result: z.object({ state: z.string() }) });
    const tasks = defineExtension("io.modelcontextprotocol/tasks", { methods: [getTask] });
    const task = { taskId: "1", status: "working", createdAt: "2026-01-01T00:00:00Z", ttl: null };
    const server = new McpServer({ ...identity, extensions: [tasks] });
    server.handle(getTask, () => {
      throw new Error("must not run");
    });
    server.handle("tasks/get", () => ({ ...task, lastUpdatedAt: task.createdAt }));

    for (const options of [{ extensions: [tasks] }, {}]) {
      const client = await connect(server, options);
      expect(client.serverCapabilities).toMatchObject({ tasks: {} });
      expect(await client.request("tasks/get", { taskId: "1" })).toMatchObject(task);
    }
  },
);

verifies(
  "extensions:moved-methods:official",
  "only an official extension can define tasks/get, and the error of others says so",
  () => {
    for (const name of ["tasks/get", "tasks/cancel"]) {
      const methods = [defineMethod(name, { params: z.object({}), result: z.object({}) })];
      expect(defineExtension("io.modelcontextprotocol/tasks", { methods }).methods).toEqual(methods);
      expect(() => defineExtension("com.example/tasks", { methods })).toThrow(
        expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(name) }),
      );
    }
  },
);

verifies(
  "extensions:moved-methods",
  "the tasks extension defines tasks/get in the modern era, while 2025-11-25 keeps its own",
  { judge: "no-valid-form" },
  async ({ connect }) => {
    const params = z.object({ taskId: z.string() });
    const getTask = defineMethod("tasks/get", { params, result: z.looseObject({ status: z.string() }) });
    const cancelTask = defineMethod("tasks/cancel", { params, result: z.object({}) });
    const task = defineResultType("task", {
      methods: ["tools/call"],
      result: z.looseObject({ taskId: z.string() }),
      settle: async ({ taskId }, { request }) => (await request(getTask, { taskId })).result as object,
    });
    const tasks = defineExtension("io.modelcontextprotocol/tasks", {
      methods: [getTask, cancelTask],
      resultTypes: [task],
    });
    const server = new McpServer({ ...identity, extensions: [tasks] });
    server.tool("slow", {}, (_args, context) => (context.extension(tasks) ? task.of({ taskId: "1" }) : "at once"));
    server.handle(getTask, ({ taskId }) => ({ taskId, status: "completed", result: text("later") }));
    server.handle(cancelTask, () => ({}));

    const client = await connect(server, { extensions: [tasks] });
    expect(await client.callTool("slow")).toMatchObject(text("later"));
    expect(await client.request(cancelTask, { taskId: "1" })).toEqual({});

    const stranger = await connect(server);
    await expect(stranger.request("tasks/get", { taskId: "1" })).rejects.toMatchObject({
      code: "method-not-in-revision",
    });
    const legacy = await connect(server, { revisions: ["2025-11-25"], extensions: [tasks] });
    expect(legacy.serverCapabilities).toEqual({ tools: { listChanged: true } });
    expect(await legacy.callTool("slow")).toEqual(text("at once"));
    await expect(legacy.request("tasks/get", { taskId: "1" })).rejects.toMatchObject({ code: -32601 });
  },
);
