import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { ClientOptions } from "../client/client-options.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { gate } from "../hosting/http/legacy/http-fakes.fixture.js";
import { inputRequired } from "../server/input/input-required.js";
import { McpServer } from "../server/mcp-server.js";
import type { ServerContext } from "../server/server-context.js";
import { serveTasks } from "../server/tasks/serve-tasks.js";
import { InMemoryTaskStore } from "../tasks/in-memory-task-store.js";
import type { TaskRecord } from "../tasks/task-record.js";
import { connectInProcess, type WireEntry } from "./connect-in-process.js";

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

  it("asks under a key of the method and a running number", async () => {
    const { client, store, start } = await setUpLegacy(
      async (context) => {
        const ask = () => context.elicit({ message: "Sure?", schema: z.object({}) });
        return (await Promise.all([ask(), ask()])).length;
      },
      { elicit: () => ({ action: "accept" }) },
    );
    const taskId = await start();
    const keys = ["elicitation/create#1", "elicitation/create#2"];
    await vi.waitFor(async () => expect(Object.keys((await store.get(taskId))?.questions ?? {})).toEqual(keys));
    await client.request("tasks/cancel", { taskId });
  });

  it("fails its task with a code that only the modern era reserves", async () => {
    const { client, start } = await setUpLegacy(() => {
      throw new ProtocolError(-32_002, "Gone");
    });
    const taskId = await start();
    await expect(client.request("tasks/result", { taskId })).rejects.toMatchObject({ code: -32_002, message: "Gone" });
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

it.each([
  [3, undefined, "3"],
  [3, 5, "3 of 5"],
])("has the progress %j of %j without a message as its status", async (progress, total, status) => {
  const { client, store, start } = await setUpLegacy(async (context) => {
    await context.progress(progress, total);
    return new Promise(() => undefined);
  });
  const taskId = await start();
  await vi.waitFor(async () => expect((await store.get(taskId))?.statusMessage).toBe(status));
  await client.request("tasks/cancel", { taskId });
});

it("sends the last progress of a legacy task before its end", async () => {
  const server = new McpServer({ name: "studio", version: "1.0.0", progressIntervalMs: 60_000, tasks: serveTasks() });
  server.tool("render", { task: "optional" }, async (_args, context) => {
    await context.progress(1);
    await context.progress(2);
    await context.notify("acme/step");
    return "done";
  });
  const sent: unknown[] = [];
  const record = ({ message }: WireEntry) => {
    if ("method" in message && message.params?.progressToken !== undefined) sent.push(message.params.progress);
  };
  const client = await connectInProcess(server, { revision: "2025-11-25", record, onError: () => undefined });
  onTestFinished(() => client.close());
  const call = { name: "render", task: {}, _meta: { progressToken: "p" } };
  const { task } = await client.request("tools/call", call);
  await client.request("tasks/result", { taskId: (task as { taskId: string }).taskId });
  expect(sent).toEqual([1, 2]);
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
