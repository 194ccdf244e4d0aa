import { McpServer, ProtocolError, ToolError } from "parley-mcp/server";
import { serveTasks } from "parley-mcp/tasks";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const RELATED_TASK = "io.modelcontextprotocol/related-task";
const identity = { name: "studio", version: "1.0.0" };
const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const forever = () => new Promise<string>(() => undefined);

interface Requesting {
  request(method: string, params?: object): Promise<Record<string, unknown>>;
}

async function start(client: Requesting, name: string, more: object = {}): Promise<string> {
  const { task } = await client.request("tools/call", { name, task: {}, ...more });
  return (task as { taskId: string }).taskId;
}

verifies(
  ["tasks:create:via-tool-call", "tasks:get:status"],
  "a call with the param task is answered with the task, and tasks/get returns the same members",
  async ({ connect }) => {
    const finish = deferred<string>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: { mode: "optional", pollIntervalMs: 50 } }, () => finish.promise);
    const client = await connect(server);

    const { task } = await client.request("tools/call", { name: "render", task: { ttl: 60_000 } });
    const expected = {
      taskId: expect.stringMatching(/^[0-9a-f]{40}$/),
      status: "working",
      createdAt: ISO_TIME,
      lastUpdatedAt: ISO_TIME,
      ttl: 60_000,
      pollInterval: 50,
    };
    expect(task).toEqual(expected);
    expect(await client.request("tasks/get", { taskId: (task as { taskId: string }).taskId })).toEqual(expected);
    finish.resolve("done");
  },
);

verifies(
  "tasks:capability:declared",
  "a server with tasks declares list, cancel and tools/call, and a server without tasks declares none of them",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "optional" }, () => "done");
    const plain = new McpServer(identity);
    plain.tool("render", () => "done");

    const client = await connect(server);
    expect(client.serverCapabilities?.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    const other = await connect(plain);
    expect(other.serverCapabilities?.tasks).toBeUndefined();
    expect(await other.request("tools/call", { name: "render", task: {} })).toEqual(text("done"));
  },
);

verifies(
  "tasks:tool-level:listed",
  "tools/list has execution.taskSupport for a tool that requires a task, and no execution for a tool without tasks",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "required" }, () => "done");
    server.tool("glance", () => "done");
    const client = await connect(server);

    const { tools } = await client.listTools();
    expect(tools.map(({ execution }) => execution)).toEqual([{ taskSupport: "required" }, undefined]);
  },
);

verifies(
  ["tasks:tool-level:forbidden-with-task-32601", "tasks:tool-level:required-no-task-32601"],
  "a call with task of a tool without tasks and a call without task of a tool that requires one are -32601 with advice",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "required" }, () => "done");
    server.tool("glance", () => "done");
    const client = await connect(server);

    await expect(client.request("tools/call", { name: "glance", task: {} })).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining('call it without "task"'),
    });
    await expect(client.callTool("render")).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining("runs only as a task"),
    });
  },
);

verifies(
  "tasks:create:ttl-honored",
  "the granted ttl is the requested one, at most the maximum of the server, and the default without a request",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks({ maxTtlMs: 5_000, defaultTtlMs: 4_000 }) });
    server.tool("render", { task: "optional" }, forever);
    const client = await connect(server);

    for (const [task, ttl] of [
      [{ ttl: 3_000 }, 3_000],
      [{ ttl: 9_000 }, 5_000],
      [{}, 4_000],
    ] as const) {
      const taskId = await start(client, "render", { task });
      expect(await client.request("tasks/get", { taskId })).toMatchObject({ ttl });
    }
  },
);

verifies(
  "tasks:result:terminal",
  "tasks/result waits for the end of the task and returns the result of the call",
  async ({ connect }) => {
    const finish = deferred<string>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: { mode: "required", starts: "later" } }, async (_args, context) => {
      await context.startTask();
      return finish.promise;
    });
    const client = await connect(server);

    const taskId = await start(client, "render");
    const result = client.request("tasks/result", { taskId });
    finish.resolve("done");
    expect(await result).toEqual({ ...text("done"), _meta: { [RELATED_TASK]: { taskId } } });
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "completed" });
  },
);

verifies(
  "tasks:result:failed",
  "tasks/result of a failed task returns the result with isError or rejects with the protocol error",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("refuses", { task: "optional" }, () => {
      throw new ToolError("No such file");
    });
    server.tool("fails", { task: "optional" }, () => {
      throw new ProtocolError(-1, "Out of disk space", { data: { free: 0 } });
    });
    const client = await connect(server);

    const refused = await start(client, "refuses");
    expect(await client.request("tasks/result", { taskId: refused })).toMatchObject({ isError: true });
    const failed = await start(client, "fails");
    await expect(client.request("tasks/result", { taskId: failed })).rejects.toMatchObject({
      code: -1,
      data: { free: 0 },
    });
    for (const taskId of [refused, failed]) {
      const state = await client.request("tasks/get", { taskId });
      expect(state).toMatchObject({ status: "failed", statusMessage: expect.any(String) });
    }
  },
);

verifies("tasks:result:failed", "tasks/result rejects with the error codes of 2025-11-25", async ({ connect }) => {
  const server = new McpServer({ ...identity, tasks: serveTasks() });
  server.tool("fails", { input: z.object({ code: z.number() }), task: "optional" }, ({ code }) => {
    throw new ProtocolError(code, "Gone");
  });
  const client = await connect(server);
  const resultOf = async (code: number) => {
    const { task } = await client.request("tools/call", { name: "fails", arguments: { code }, task: {} });
    return client.request("tasks/result", { taskId: (task as { readonly taskId: string }).taskId });
  };

  await expect(resultOf(-32002)).rejects.toMatchObject({ code: -32002, message: "Gone" });
  await expect(resultOf(-32042)).rejects.toMatchObject({ code: -32603 });
});

verifies(
  ["tasks:cancel:working", "tasks:cancel:terminal-rejected", "tasks:result:cancelled"],
  "tasks/cancel aborts the handler, and the task stays cancelled although the handler returns a result",
  async ({ connect }) => {
    const finish = deferred<string>();
    const aborted = deferred<void>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "optional" }, (_args, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      return finish.promise;
    });
    const client = await connect(server);

    const taskId = await start(client, "render");
    expect(await client.request("tasks/cancel", { taskId })).toMatchObject({ taskId, status: "cancelled" });
    await aborted.promise;
    finish.resolve("too late");
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
    await expect(client.request("tasks/cancel", { taskId })).rejects.toMatchObject({ code: -32602 });
    await expect(client.request("tasks/result", { taskId })).rejects.toMatchObject({ code: -32602 });
  },
);

verifies(
  "tasks:unknown-id:legacy",
  "tasks/get, tasks/result and tasks/cancel answer -32602 for an unknown task id",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "optional" }, () => "done");
    const client = await connect(server);

    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      await expect(client.request(method, { taskId: "0".repeat(40) })).rejects.toMatchObject({ code: -32602 });
    }
  },
);

verifies(
  "tasks:list:pagination",
  "tasks/list returns the tasks in pages, in the order of their creation",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks({ pageSize: 2 }) });
    server.tool("render", { task: "optional" }, forever);
    const client = await connect(server);

    const ids = [await start(client, "render"), await start(client, "render"), await start(client, "render")];
    const first = await client.request("tasks/list");
    const { nextCursor: cursor } = first;
    const second = await client.request("tasks/list", { cursor: String(cursor) });
    const listed = [...(first.tasks as { taskId: string }[]), ...(second.tasks as { taskId: string }[])];
    expect(listed.map(({ taskId }) => taskId)).toEqual(ids);
    expect(second.nextCursor).toBeUndefined();
    await expect(client.request("tasks/list", { cursor: "x" })).rejects.toMatchObject({ code: -32602 });
  },
);

verifies(
  "tasks:list:anonymous",
  "tasks/list is -32601 for anonymous callers over HTTP, who can still read their tasks by id",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "optional" }, forever);
    const client = await connect(server);

    expect(client.serverCapabilities?.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
    const taskId = await start(client, "render");
    await expect(client.request("tasks/list")).rejects.toMatchObject({ code: -32601 });
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
  },
);

verifies(
  "tasks:side-channel:elicitation",
  "two open tasks/result requests send each question once, in the order in which the handler asked",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task: "optional" }, async (_args, context) => {
      const ask = (message: string) => context.elicit({ message, schema: z.object({ value: z.string() }) });
      const answers = await Promise.all([ask("dish"), ask("drink")]);
      return answers.map(({ content }) => content?.value).join(" and ");
    });
    const elicit = vi.fn(({ message }: { message: string }) => ({
      action: "accept" as const,
      content: { value: `a ${message}` },
    }));
    const client = await connect(server, { elicit });

    const taskId = await start(client, "order");
    await vi.waitFor(async () => {
      expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
    });
    expect(elicit).not.toHaveBeenCalled();
    const [result] = await Promise.all([
      client.request("tasks/result", { taskId }),
      client.request("tasks/result", { taskId }),
    ]);
    expect(result).toMatchObject(text("a dish and a drink"));
    expect(elicit.mock.calls.map(([{ message }]) => message)).toEqual(["dish", "drink"]);
    expect(JSON.stringify(wire.from("server"))).toContain(`"${RELATED_TASK}":{"taskId":"${taskId}"}`);
  },
);

verifies(
  "tasks:side-channel:elicitation",
  "a question goes over an open tasks/result although another tasks/result of the task was cancelled",
  async ({ connect, wire }) => {
    const go = deferred<void>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task: "optional" }, async (_args, context) => {
      await go.promise;
      const { content } = await context.elicit({ message: "dish", schema: z.object({ value: z.string() }) });
      return `${content?.value}`;
    });
    const client = await connect(server, { elicit: () => ({ action: "accept", content: { value: "soup" } }) });
    const taskId = await start(client, "order");
    const left = new AbortController();
    const cancelled = client.request("tasks/result", { taskId }, { signal: left.signal });
    const result = client.request("tasks/result", { taskId });
    await vi.waitFor(() => {
      expect(wire.methods("client").filter((method) => method === "tasks/result")).toHaveLength(2);
    });

    left.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "request-aborted" });
    await client.request("tasks/get", { taskId });
    go.resolve();

    expect(await result).toMatchObject(text("soup"));
  },
);

verifies(
  "tasks:side-channel:elicitation",
  "a question is sent again over another tasks/result if the one that carried it was cancelled",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task: "optional" }, async (_args, context) => {
      const { content } = await context.elicit({ message: "dish", schema: z.object({ value: z.string() }) });
      return `${content?.value}`;
    });
    const answers = [new Promise<never>(() => undefined), { action: "accept" as const, content: { value: "soup" } }];
    const elicit = vi.fn(async () => answers.shift() ?? { action: "cancel" as const });
    const client = await connect(server, { elicit });
    const taskId = await start(client, "order");
    const left = new AbortController();
    const cancelled = client.request("tasks/result", { taskId }, { signal: left.signal });
    await vi.waitFor(() => expect(elicit).toHaveBeenCalled());
    const result = client.request("tasks/result", { taskId });
    await vi.waitFor(() => {
      expect(wire.methods("client").filter((method) => method === "tasks/result")).toHaveLength(2);
    });
    // The answers of a server come in order, so both requests wait.
    await client.request("tasks/get", { taskId });

    left.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "request-aborted" });

    expect(await result).toMatchObject(text("soup"));
  },
);

verifies(
  "tasks:side-channel:withdrawn",
  "a withdrawn question is cancelled at the client, and sent again when the handler asks again under the same key",
  async ({ connect }) => {
    const given = new AbortController();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task: "optional" }, async (_args, context) => {
      const ask = (signal?: AbortSignal) =>
        context.elicit({ message: "dish", schema: z.object({ value: z.string() }) }, { key: "dish", signal });
      await ask(given.signal).catch(() => undefined);
      return `One ${(await ask()).content?.value}`;
    });
    const cancelled = deferred<void>();
    const soup = { action: "accept" as const, content: { value: "soup" } };
    const elicit = vi.fn(
      async (_params: object, { signal }: { signal: AbortSignal | undefined }): Promise<typeof soup> => {
        signal?.addEventListener("abort", () => cancelled.resolve());
        return elicit.mock.calls.length > 1 ? soup : new Promise<never>(() => undefined);
      },
    );
    const client = await connect(server, { elicit });

    const taskId = await start(client, "order");
    const result = client.request("tasks/result", { taskId });
    await vi.waitFor(() => expect(elicit).toHaveBeenCalledOnce());
    given.abort();
    await cancelled.promise;
    expect(await result).toMatchObject(text("One soup"));
  },
);

verifies(
  "tasks:side-channel:sampling",
  "a sampling request of a task has the related task in its _meta, beside the keys of the handler",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    const own = { "acme.example/cost": 3 };
    const question = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "dish" } }] };
    server.tool("order", { task: "optional" }, async (_args, context) => {
      const { model } = await context.sample({ ...question, maxTokens: 5, _meta: own });
      return model;
    });
    const answer = { role: "assistant" as const, content: { type: "text" as const, text: "soup" }, model: "cook" };
    const client = await connect(server, { sample: () => answer });

    const taskId = await start(client, "order");
    expect(await client.request("tasks/result", { taskId })).toMatchObject(text("cook"));

    const asked = wire.from("server").filter((message) => JSON.stringify(message).includes("sampling/createMessage"));
    expect(asked).toMatchObject([{ params: { _meta: { ...own, [RELATED_TASK]: { taskId } } } }]);
  },
);

verifies(
  "tasks:side-channel:refused",
  "an error with which the client answers a question rejects in the handler, which may catch it",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("order", { task: "optional" }, async (_args, context) => {
      const asked = context.elicit({ message: "dish", schema: z.object({ value: z.string() }) });
      return asked.then(
        () => "answered",
        ({ code, message }) => `${code} ${message}`,
      );
    });
    const elicit = () => {
      throw new ProtocolError(-7, "nobody is there");
    };
    const client = await connect(server, { elicit });

    const taskId = await start(client, "order");
    expect(await client.request("tasks/result", { taskId })).toMatchObject(text("-7 nobody is there"));
  },
);

verifies(
  "tasks:log:after-create",
  "log messages reach the client after its call was answered with a task, from the level that the client set, and name the task",
  async ({ connect }) => {
    const go = deferred<void>();
    const server = new McpServer({ ...identity, capabilities: { logging: {} }, tasks: serveTasks() });
    server.tool("render", { task: "optional" }, async (_args, context) => {
      await go.promise;
      await context.log.debug("Not wanted");
      await context.log.info("Rendering");
      return "done";
    });
    const client = await connect(server);
    const heard = vi.fn();
    client.onNotification("notifications/message", ({ data, _meta }) => heard(data, _meta));
    await client.setLogLevel("info");

    const taskId = await start(client, "render");
    go.resolve();
    await client.request("tasks/result", { taskId });

    await vi.waitFor(() => expect(heard).toHaveBeenCalled());
    expect(heard.mock.calls).toEqual([["Rendering", { [RELATED_TASK]: { taskId } }]]);
  },
);

verifies(
  ["tasks:status-notification", "tasks:progress:after-create"],
  "the client gets status notifications and progress under the token of the call until the task has ended",
  async ({ connect, wire }) => {
    const go = deferred<void>();
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("render", { task: "optional" }, async (_args, context) => {
      await go.promise;
      await context.progress(1, 2, "Half");
      return "done";
    });
    const client = await connect(server);
    const seen = vi.fn();
    client.onNotification("notifications/tasks/status", (params) => seen(params));

    const taskId = await start(client, "render", { _meta: { progressToken: "p" } });
    go.resolve();
    await vi.waitFor(() => expect(seen).toHaveBeenCalledWith(expect.objectContaining({ status: "completed" })));
    expect(seen).toHaveBeenCalledWith(expect.objectContaining({ status: "working", statusMessage: "Half" }));
    const { _meta, ...task } = await client.request("tasks/get", { taskId });
    expect(Object.keys(task)).toEqual(expect.arrayContaining(["taskId", "createdAt", "lastUpdatedAt", "ttl"]));
    expect(seen).toHaveBeenLastCalledWith(task);
    expect(wire.from("server")).toContainEqual(
      expect.objectContaining({
        method: "notifications/progress",
        params: {
          progressToken: "p",
          progress: 1,
          total: 2,
          message: "Half",
          _meta: { [RELATED_TASK]: { taskId } },
        },
      }),
    );
  },
);
