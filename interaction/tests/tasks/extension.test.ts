import { inputRequired, McpServer, ProtocolError, type ServerContext, ToolError } from "parley-mcp/server";
import { cancelTask, getTask, serveTasks, taskIds, tasks, updateTask } from "parley-mcp/tasks";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { reached } from "../../src/task-status.js";
import { verifies } from "../../src/verifies.js";

const EXTENSION = "io.modelcontextprotocol/tasks";
const identity = { name: "studio", version: "1.0.0" };
const task = { mode: "optional", pollIntervalMs: 50 } as const;
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

verifies(
  "tasks:extension:declared",
  "a server with tasks declares the extension under capabilities.extensions, and declares no legacy capability",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "optional" }, () => "done");
    const plain = new McpServer(identity);
    plain.tool("render", () => "done");

    expect((await connect(server)).serverCapabilities).toEqual({
      tools: { listChanged: true },
      extensions: { [EXTENSION]: {} },
    });
    expect((await connect(plain)).serverCapabilities).toEqual({ tools: { listChanged: true } });
  },
);

verifies(
  "tasks:extension:created",
  "tools/call is answered with a flat task before the handler has ended, and tasks/get finds that task",
  async ({ connect }) => {
    const finish = deferred<string>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: { ...task, ttlMs: 60_000 } }, () => finish.promise);
    const client = await connect(server, { extensions: [tasks] });

    const { _meta, ...created } = await client.request("tools/call", { name: "render" });
    expect(created).toEqual({
      resultType: "task",
      taskId: expect.stringMatching(/^[0-9a-f]{40}$/),
      status: "working",
      createdAt: ISO_TIME,
      lastUpdatedAt: ISO_TIME,
      ttlMs: 60_000,
      pollIntervalMs: 50,
    });
    const { taskId, createdAt } = created;
    expect(await client.request(getTask, { taskId })).toMatchObject({ taskId, status: "working", createdAt });
    finish.resolve("done");
    expect(await reached(client, taskId, "completed")).toMatchObject({ taskId, result: text("done") });
  },
);

verifies(
  "tasks:extension:sync-without",
  "a client without the extension gets the result of a tool whose task is optional, and the handler sees no task id",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, (_args, context) => `in a task: ${context.taskId !== undefined}`);
    const client = await connect(server);

    expect(await client.callTool("render")).toMatchObject(text("in a task: false"));
  },
);

verifies(
  "tasks:extension:required",
  "a client without the extension gets -32021 for a tool that requires a task, and the handler does not run",
  async ({ connect }) => {
    const handler = vi.fn(() => "done");
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "required" }, handler);
    const client = await connect(server);

    await expect(client.callTool("render")).rejects.toMatchObject({
      code: -32021,
      message: expect.stringContaining('tools/call "render"'),
      data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
    });
    expect(handler).not.toHaveBeenCalled();
  },
);

verifies(
  "tasks:extension:gated",
  "a client without the extension gets -32021 for tasks/update, although the task that it names does not exist",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "required" }, () => "done");
    const client = await connect(server);

    const update = client.request("tasks/update", { taskId: "1", inputResponses: {} });
    await expect(update).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
    });
  },
);

verifies(
  "tasks:extension:outcomes",
  "a completed task has a result, a failed task has an error, and a crash completes with isError and without its message",
  async ({ connect }) => {
    const errors: Error[] = [];
    const server = new McpServer({ ...identity, tasks: serveTasks(), onError: (error) => errors.push(error) });
    server.tool("completes", { task }, () => "done");
    server.tool("refuses", { task }, () => {
      throw new ToolError("No such file");
    });
    server.tool("fails", { task }, () => {
      throw new ProtocolError(-1, "Out of disk space", { data: { free: 0 } });
    });
    server.tool("crashes", { task }, () => {
      throw new Error("secret");
    });
    const client = await connect(server, { extensions: [tasks] });
    const outcome = async (name: string, status: string) => {
      const { taskId } = await client.request("tools/call", { name });
      return reached(client, taskId, status);
    };

    expect(await outcome("completes", "completed")).toMatchObject({ result: text("done") });
    expect(await outcome("refuses", "completed")).toMatchObject({ result: { ...text("No such file"), isError: true } });
    const failed = await outcome("fails", "failed");
    expect(failed).toMatchObject({
      statusMessage: "Out of disk space",
      error: { code: -1, message: "Out of disk space", data: { free: 0 } },
    });
    expect(failed).not.toHaveProperty("result");
    expect(JSON.stringify(await outcome("crashes", "completed"))).not.toContain("secret");
    expect(errors).toMatchObject([{ code: "handler-failed", cause: { message: "secret" } }]);
  },
);

verifies(
  "tasks:extension:outcomes",
  "the error of a failed task has a code of the revision in place of a reserved code",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("fails", { input: z.object({ code: z.number() }), task }, ({ code }) => {
      throw new ProtocolError(code, "Gone", { data: { uri: "note:///1" } });
    });
    const client = await connect(server, { extensions: [tasks] });
    const errorOf = async (code: number) => {
      const { taskId } = await client.request("tools/call", { name: "fails", arguments: { code } });
      return (await reached(client, taskId, "failed")).error;
    };

    expect(await errorOf(-32002)).toEqual({ code: -32602, message: "Gone", data: { uri: "note:///1" } });
    expect(await errorOf(-32042)).toMatchObject({ code: -32603 });
  },
);

verifies(
  "tasks:extension:questions",
  "a task asks until each of its questions is answered, one answer at a time, and ignores answers to unknown keys",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    const ask = (context: ServerContext, key: string) =>
      context.elicit({ message: key, schema: z.object({ value: z.string() }) }, { key });
    server.tool("order", { task }, async (_args, context) => {
      const answers = await Promise.all([ask(context, "dish"), ask(context, "drink")]);
      return answers.map(({ content }) => content?.value).join(" and ");
    });
    const client = await connect(server, { extensions: [tasks], elicit: () => ({ action: "cancel" as const }) });
    const answer = (value: string) => ({ action: "accept", content: { value } });

    const { taskId } = await client.request("tools/call", { name: "order" });
    const asking = await reached(client, taskId, "input_required");
    const update = (inputResponses: object) => client.request(updateTask, { taskId, inputResponses });
    expect(asking.inputRequests?.dish).toMatchObject({ method: "elicitation/create", params: { message: "dish" } });
    expect(await update({ dish: answer("soup"), unknown: answer("?") })).toEqual({});
    expect(Object.keys((await reached(client, taskId, "input_required")).inputRequests ?? {})).toEqual(["drink"]);
    await update({ dish: answer("cake"), drink: answer("tea") });
    expect((await reached(client, taskId, "completed")).result).toMatchObject(text("soup and tea"));
  },
);

verifies(
  "tasks:extension:late-answer",
  "a handler that asks again under a withdrawn key gets the answer that came meanwhile",
  async ({ connect }) => {
    const given = new AbortController();
    const again = deferred<void>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task }, async (_args, context) => {
      const ask = (signal?: AbortSignal) =>
        context.elicit({ message: "dish", schema: z.object({ value: z.string() }) }, { key: "dish", signal });
      await ask(given.signal).catch(() => undefined);
      await again.promise;
      return `One ${(await ask()).content?.value}`;
    });
    const client = await connect(server, { extensions: [tasks], elicit: () => ({ action: "cancel" as const }) });

    const { taskId } = await client.request("tools/call", { name: "order" });
    await reached(client, taskId, "input_required");
    given.abort();
    await reached(client, taskId, "working");
    const inputResponses = { dish: { action: "accept", content: { value: "soup" } } };
    await client.request(updateTask, { taskId, inputResponses });
    again.resolve();
    expect((await reached(client, taskId, "completed")).result).toMatchObject(text("One soup"));
  },
);

verifies(
  "tasks:extension:cancel",
  "tasks/cancel aborts the handler of a working task, and leaves a finished task as it was",
  async ({ connect }) => {
    const aborted = deferred<unknown>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, (_args, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      return new Promise<string>(() => undefined);
    });
    server.tool("glance", { task }, () => "done");
    const client = await connect(server, { extensions: [tasks] });

    const { taskId } = await client.request("tools/call", { name: "render" });
    expect(await client.request(cancelTask, { taskId })).toEqual({});
    expect(await aborted.promise).toMatchObject({ code: "request-aborted" });
    expect(await reached(client, taskId, "cancelled")).not.toHaveProperty("result");

    const { taskId: finished } = await client.request("tools/call", { name: "glance" });
    const before = await reached(client, finished, "completed");
    expect(await client.request(cancelTask, { taskId: finished })).toEqual({});
    expect(await client.request(getTask, { taskId: finished })).toEqual(before);
  },
);

verifies(
  "tasks:extension:status-message",
  "progress becomes the status message of the task, whether the report has a message or not",
  async ({ connect, wire }) => {
    const finish = deferred<string>();
    const server = new McpServer({ ...identity, tasks: serveTasks({ statusIntervalMs: 1 }) });
    server.tool(
      "render",
      { input: z.object({ message: z.string().optional() }), task },
      async ({ message }, context) => {
        await context.progress(1, 3, message);
        return finish.promise;
      },
    );
    const client = await connect(server, { extensions: [tasks] });
    const messageOf = async (message?: string) => {
      const params = { name: "render", arguments: { message }, _meta: { progressToken: 7 } };
      const { taskId } = await client.request("tools/call", params);
      return vi.waitFor(async () => {
        const { statusMessage } = await client.request(getTask, { taskId });
        expect(statusMessage).toBeDefined();
        return statusMessage;
      });
    };

    expect(await messageOf("Drawing")).toBe("Drawing");
    expect(await messageOf()).toBe("1 of 3");
    expect(JSON.stringify(wire.from("server"))).not.toContain("notifications/progress");
    finish.resolve("done");
  },
);

verifies(
  "tasks:extension:listen",
  "a listen stream with the filter taskIds delivers the completed task with its result",
  async ({ connect }) => {
    const finish = deferred<string>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, () => finish.promise);
    const client = await connect(server, { extensions: [tasks] });

    const { taskId } = await client.request("tools/call", { name: "render" });
    const subscription = await client.listen({ extensions: [taskIds.of([taskId])] });
    finish.resolve("done");
    const { value } = await subscription[Symbol.asyncIterator]().next();
    const changed = value && taskIds.read(value);
    expect(changed).toMatchObject({ taskId, status: "completed", result: text("done") });
    expect(changed).toEqual(await client.request(getTask, { taskId }));
  },
);

verifies(
  "tasks:extension:listen-own",
  "unknown ids are left out of the honored taskIds, and the filter is not honored if no id is known",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, () => new Promise<string>(() => undefined));
    const client = await connect(server, { extensions: [tasks] });

    const { taskId } = await client.request("tools/call", { name: "render" });
    const some = await client.listen({ extensions: [taskIds.of(["0".repeat(40), String(taskId)])] });
    expect(taskIds.honoredIn(some.honored)).toEqual([taskId]);
    const none = await client.listen({ extensions: [taskIds.of(["unknown"])] });
    expect(taskIds.honoredIn(none.honored)).toBeUndefined();
  },
);

verifies(
  "tasks:extension:unknown-id",
  "tasks/get, tasks/update and tasks/cancel answer -32602 for unknown task ids of any form",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task }, () => "done");
    const client = await connect(server, { extensions: [tasks] });

    for (const taskId of ["1", "0".repeat(40)]) {
      for (const method of [getTask, cancelTask]) {
        await expect(client.request(method, { taskId })).rejects.toMatchObject({ code: -32602 });
      }
      await expect(client.request(updateTask, { taskId, inputResponses: {} })).rejects.toMatchObject({ code: -32602 });
    }
  },
);

verifies(
  "tasks:extension:lists",
  "tools/list shows no task support in the modern era, even to a client with the extension",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "required" }, () => "done");
    const client = await connect(server, { extensions: [tasks] });

    expect((await client.listTools()).tools).toEqual([{ name: "render", inputSchema: expect.anything() }]);
  },
);

verifies(
  "tasks:extension:explicit-rounds",
  "each inputRequired of a handler inside a task is asked under a new key, and the handler runs again with the answers",
  async ({ connect }) => {
    const question = (message: string) => ({
      method: "elicitation/create" as const,
      params: { mode: "form" as const, message, requestedSchema: { type: "object" as const, properties: {} } },
    });
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("wizard", { task }, (_args, { inputResponses, requestState = "" }) => {
      if (requestState === "ab") return `answered ${JSON.stringify(Object.keys(inputResponses ?? {}))}`;
      const next = requestState === "" ? "a" : "ab";
      return inputRequired({ inputRequests: { step: question(next) }, requestState: next });
    });
    const client = await connect(server, { extensions: [tasks], elicit: () => ({ action: "accept", content: {} }) });
    const keys: string[] = [];

    const { taskId } = await client.request("tools/call", { name: "wizard" });
    for (let round = 0; round < 2; round += 1) {
      const { inputRequests } = await reached(client, taskId, "input_required");
      const [key = ""] = Object.keys(inputRequests ?? {});
      keys.push(key);
      await client.request(updateTask, { taskId, inputResponses: { [key]: { action: "accept", content: {} } } });
    }
    expect(keys).toEqual(["step", "step#2"]);
    expect((await reached(client, taskId, "completed")).result).toMatchObject(text('answered ["step"]'));
  },
);
