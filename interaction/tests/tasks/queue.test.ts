import { Client } from "parley-mcp/client";
import { InMemoryChangeBus, McpServer, ProtocolError, type ServerContext } from "parley-mcp/server";
import {
  InMemoryTaskStore,
  reopenTask,
  type ServerTaskOptions,
  serveTasks,
  startTool,
  type TaskRunner,
  type TaskStore,
  taskIds,
  tasks,
} from "parley-mcp/tasks";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

const extensions = [tasks];
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** Servers that share a store, a queue and a change bus. Each has the tool `render`, which acts like this. */
function studios(act: (name: string, context: ServerContext) => unknown, rerun?: true) {
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const store = new InMemoryTaskStore({ now });
  const changeBus = new InMemoryChangeBus();
  const jobs: string[] = [];
  const runner: TaskRunner = { start: (taskId) => void jobs.push(taskId), recovers: true };
  const open = (name: string, options: ServerTaskOptions = {}) => {
    const server = new McpServer({
      name,
      version: "1.0.0",
      changeBus,
      tasks: serveTasks({ store, runner, now, ...options }),
      onError: () => undefined,
    });
    const task = { mode: "required", pollIntervalMs: 50, rerun } as const;
    server.tool("render", { task }, async (_args, context) => (await act(name, context)) as string);
    return server;
  };
  const job = () => vi.waitFor(() => jobs[0] ?? expect.unreachable("no job"));
  return { open, job, jobs, store, clock };
}

/** A store that tells nothing of changes, as to a process that is suspended. */
function unheard(store: TaskStore): TaskStore {
  return {
    create: (record, input) => store.create(record, input),
    input: (taskId) => store.input(taskId),
    get: (taskId) => store.get(taskId),
    replace: (record) => store.replace(record),
    delete: (taskId) => store.delete(taskId),
    list: (principal, cursor, limit) => store.list(principal, cursor, limit),
    abandoned: () => store.abandoned(),
    watch: () => () => undefined,
  };
}

verifies("tasks:queue", "a worker runs another server's task, with its questions", async ({ connect }) => {
  const { open, job } = studios(async (name, context) => {
    const { content } = await context.elicit({ message: "Dish?", schema: z.object({ dish: z.string() }) });
    await context.progress(1, 2, "Half");
    return `${content?.dish} by ${name}`;
  });
  const elicit = () => ({ action: "accept" as const, content: { dish: "soup" } });
  const client = await connect(open("front"), { extensions, elicit });
  const worker = open("worker");

  const result = client.callTool("render");
  expect(await worker.runTask(await job())).toBe(true);
  expect(await result).toMatchObject(text("soup by worker"));
  expect(await worker.runTask(await job())).toBe(true);
  await worker.close();
});

verifies("tasks:queue:notified-once", "a listen stream gets each change of a task once", async ({ connect, wire }) => {
  const go = deferred<void>();
  const { open, job } = studios(async (_name, context) => {
    await context.progress(1, 2, "Half");
    await go.promise;
    return "done";
  });
  const client = await connect(open("front"), { extensions });
  const [worker, idle] = [open("worker"), open("idle")];
  await connect(idle, { extensions });

  const { taskId = "" } = await startTool(client, "render");
  const changes = await client.listen({ extensions: [taskIds.of([taskId])] });
  const running = worker.runTask(await job());
  const seen: unknown[] = [];
  for await (const change of changes) {
    const { status, statusMessage } = taskIds.read(change) ?? {};
    seen.push(statusMessage ?? status);
    go.resolve();
    if (status === "completed") break;
  }
  expect(await running).toBe(true);
  expect(seen).toEqual(["Half", "completed"]);
  expect(wire.methods("server").filter((method) => method === "notifications/tasks")).toHaveLength(2);
  await worker.close();
});

verifies("tasks:queue:cancelled", "tasks/cancel aborts the handler in the worker", async ({ connect }) => {
  const begun = deferred<void>();
  const { open, job } = studios((_name, { signal }) => {
    begun.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const client = await connect(open("front"), { extensions });
  const worker = open("worker");

  const handle = await startTool(client, "render");
  const running = worker.runTask(await job());
  await begun.promise;
  await handle.cancel();
  expect(await running).toBe(true);
  expect((await handle.status()).status).toBe("cancelled");
  await worker.close();
});

verifies("tasks:queue:again", "a task of a closed worker runs again, or fails", async ({ connect }) => {
  for (const rerun of [true, undefined] as const) {
    const begun = deferred<void>();
    const { open, job } = studios((name, { signal }) => {
      if (name !== "first") return `by ${name}`;
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }, rerun);
    const client = await connect(open("front"), { extensions });
    const [first, second] = [open("first"), open("second")];

    const handle = await startTool(client, "render");
    const running = first.runTask(await job());
    await begun.promise;
    await first.close();
    expect(await running).toBe(false);
    expect(await second.runTask(await job())).toBe(true);
    if (rerun) expect(await handle.result()).toMatchObject(text("by second"));
    else
      expect(await handle.status()).toMatchObject({
        status: "failed",
        statusMessage: expect.stringContaining("restarted"),
      });
    await second.close();
  }
});

verifies("tasks:queue:second-worker", "a second worker leaves a running task to the first", async ({ connect }) => {
  const begun = deferred<void>();
  const finish = deferred<void>();
  const charged: string[] = [];
  const { open, job } = studios(async (name, context) => {
    await context.once("charge", () => void charged.push(name));
    begun.resolve();
    await finish.promise;
    return `done by ${name}`;
  }, true);
  const client = await connect(open("front"), { extensions });
  const [first, second] = [open("first"), open("second")];

  const result = client.callTool("render");
  const running = first.runTask(await job());
  await begun.promise;
  expect(await second.runTask(await job())).toBe(false);
  finish.resolve();
  expect(await running).toBe(true);
  expect(await result).toMatchObject(text("done by first"));
  expect(charged).toEqual(["first"]);
  await Promise.all([first.close(), second.close()]);
});

verifies("tasks:queue:twice", "a task that is delivered twice to one worker runs once", async ({ connect }) => {
  const finish = deferred<string>();
  const begun = deferred<void>();
  const act = vi.fn(() => {
    begun.resolve();
    return finish.promise;
  });
  const { open, job } = studios(act);
  const client = await connect(open("front"), { extensions });
  const worker = open("worker");

  const handle = await startTool(client, "render");
  const first = worker.runTask(await job());
  await begun.promise;
  const second = worker.runTask(await job());
  finish.resolve("done");
  expect(await second).toBe(true);
  expect(await first).toBe(true);
  expect(await handle.result()).toMatchObject(text("done"));
  expect(act).toHaveBeenCalledTimes(1);
  await worker.close();
});

verifies("tasks:queue:store-failed", "a worker retries a store that fails at the start", async ({ connect }) => {
  const { open, job, store } = studios((name) => `by ${name}`);
  const client = await connect(open("front"), { extensions });
  const worker = open("worker");

  const result = client.callTool("render");
  const taskId = await job();
  vi.spyOn(store, "replace").mockRejectedValueOnce(new Error("offline"));
  expect(await worker.runTask(taskId)).toBe(true);
  expect(await result).toMatchObject(text("by worker"));
  await worker.close();
});

verifies("tasks:queue:unbegun", "a task that waits for a slot is free for other workers", async ({ connect }) => {
  const begun = deferred<void>();
  const { open, jobs } = studios((name) => {
    if (name !== "busy") return `by ${name}`;
    begun.resolve();
    return new Promise(() => undefined);
  });
  const client = await connect(open("front"), { extensions });
  const [busy, idle] = [open("busy", { maxRunning: 1 }), open("idle")];

  await startTool(client, "render");
  const handles = [await startTool(client, "render"), await startTool(client, "render")];
  const [first = "", second = "", third = ""] = jobs;
  const running = busy.runTask(first);
  await begun.promise;
  const waiting = [busy.runTask(second), busy.runTask(third)];
  expect(await idle.runTask(second)).toBe(true);
  expect(await waiting[0]).toBe(true);
  await busy.close();
  expect(await running).toBe(false);
  expect(await waiting[1]).toBe(false);
  expect(await idle.runTask(third)).toBe(true);
  expect(await handles[0]?.result()).toMatchObject(text("by idle"));
  expect(await handles[1]?.result()).toMatchObject(text("by idle"));
  await idle.close();
});

verifies("tasks:queue:suspended", "a suspended worker runs no effect of a task it has lost", async ({ connect }) => {
  const begun = deferred<void>();
  const resume = deferred<void>();
  const refused = deferred<unknown>();
  const charged: string[] = [];
  const { open, job, store, clock } = studios(async (name, context) => {
    begun.resolve();
    if (name === "suspended") await resume.promise;
    const charging = context.once("charge", () => void charged.push(name));
    if (name === "suspended") charging.catch(refused.resolve);
    await charging;
    if (name === "suspended") return "too late";
    resume.resolve();
    await refused.promise;
    return "done";
  }, true);
  const client = await connect(open("front"), { extensions });
  const [suspended, second] = [open("suspended", { store: unheard(store) }), open("second")];

  const handle = await startTool(client, "render");
  const running = suspended.runTask(await job());
  await begun.promise;
  clock.aheadMs += 30_000;
  expect(await second.runTask(await job())).toBe(true);
  await running;
  expect(await handle.result()).toMatchObject(text("done"));
  expect(charged).toEqual(["second"]);
  expect(await refused.promise).toMatchObject({ message: expect.stringContaining("Another worker has begun") });
  await Promise.all([suspended.close(), second.close()]);
});

verifies("tasks:queue:lease-lost", "a worker that lost its lease leaves the task to another", async ({ connect }) => {
  const begun = { first: deferred<void>(), second: deferred<void>() };
  const finish = deferred<void>();
  const { open, job, clock } = studios(async (name) => {
    begun[name as keyof typeof begun].resolve();
    await (name === "first" ? new Promise(() => undefined) : finish.promise);
    return `by ${name}`;
  }, true);
  const client = await connect(open("front"), { extensions });
  const [first, second] = [open("first"), open("second")];

  const handle = await startTool(client, "render");
  const lost = first.runTask(await job());
  await begun.first.promise;
  clock.aheadMs += 30_000;
  const running = second.runTask(await job());
  await begun.second.promise;
  expect(await lost).toBe(false);
  expect(await first.runTask(await job())).toBe(false);
  finish.resolve();
  expect(await running).toBe(true);
  expect(await handle.result()).toMatchObject(text("by second"));
  await Promise.all([first.close(), second.close()]);
});

verifies("tasks:queue:clock-set-back", "a clock that is set back by an hour frees the lease", async ({ connect }) => {
  const begun = deferred<void>();
  const { open, job, clock } = studios((name) => {
    begun.resolve();
    return name === "first" ? new Promise(() => undefined) : `by ${name}`;
  }, true);
  const client = await connect(open("front"), { extensions });
  const [first, second] = [open("first"), open("second")];

  const handle = await startTool(client, "render");
  const lost = first.runTask(await job());
  await begun.promise;
  expect(await second.runTask(await job())).toBe(false);
  clock.aheadMs -= 3_600_000;
  expect(await second.runTask(await job())).toBe(true);
  expect(await handle.result()).toMatchObject(text("by second"));
  await lost;
  await Promise.all([first.close(), second.close()]);
});

verifies(
  "tasks:queue:started-later",
  "a task that began inside its call fails after a restart",
  async ({ connect }) => {
    const store = new InMemoryTaskStore();
    const runner: TaskRunner = { start: () => undefined, recovers: true };
    const open = () => {
      const server = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ store, runner }) });
      server.tool("queued", { task: "required" }, () => "never run");
      server.tool("later", { task: { mode: "required", starts: "later" } }, async (_args, context) => {
        await context.startTask();
        return new Promise<string>(() => undefined);
      });
      return server;
    };
    const first = open();
    const before = await connect(first, { extensions });

    const stored = [await startTool(before, "later"), await startTool(before, "queued")].map((handle) =>
      handle.toJSON(),
    );
    await before.close();
    await first.close();
    const after = await connect(open(), { extensions });
    const [later, queued] = stored.map((each) => reopenTask(after, each));
    expect(await later?.status()).toMatchObject({
      status: "failed",
      statusMessage: expect.stringContaining("restarted"),
    });
    expect(await queued?.status()).toMatchObject({ status: "working" });
  },
);

verifies("tasks:queue:caller", "the handler at a worker sees the principal and the auth of the call", async () => {
  const ann = { issuer: "https://login.example", subject: "ann", clientId: "cli", scopes: ["render"], claims: {} };
  for (const auth of [undefined, { scopes: ["render"], claims: {} }, ann]) {
    const { open, job } = studios((_name, context) => JSON.stringify([context.caller?.principal, context.auth]));
    await using host = await hostHttp(open("front"), { authenticate: () => ({ principal: "ann", auth }) });
    await using client = await Client.connect({ url: host.url }, { name: "cli", version: "1.0.0", extensions });
    const worker = open("worker");

    const handle = await startTool(client, "render");
    await worker.runTask(await job());
    expect(await handle.result()).toMatchObject(text(JSON.stringify(["ann", auth])));
    await worker.close();
  }
});

verifies("tasks:queue:misuse", "runTask and recoverTasks need a store, and say so", async () => {
  const server = new McpServer({ name: "studio", version: "1.0.0" });
  const unshared = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks() });
  for (const each of [server, unshared]) {
    await expect(each.runTask("0".repeat(40))).rejects.toThrow("runTask: the server shares its tasks with no other");
    await expect(each.recoverTasks()).rejects.toThrow("give it tasks: serveTasks({ store })");
  }
});

verifies("tasks:queue:given-back", "an aborted runTask gives its task to another worker", async ({ connect }) => {
  const begun = deferred();
  const aborted = deferred();
  const { open, job } = studios((name, { signal }) => {
    if (name === "second") return "by second";
    signal.addEventListener("abort", () => aborted.resolve());
    begun.resolve();
    return new Promise(() => undefined);
  }, true);
  const client = await connect(open("front"), { extensions });
  const [first, second] = [open("first"), open("second")];
  const givingBack = new AbortController();

  const handle = await startTool(client, "render");
  const running = first.runTask(await job(), { signal: givingBack.signal });
  await begun.promise;
  givingBack.abort();
  expect(await running).toBe(false);
  await aborted.promise;
  expect(await second.runTask(await job())).toBe(true);
  expect(await handle.result()).toMatchObject(text("by second"));
  await Promise.all([first.close(), second.close()]);
});

verifies("tasks:queue:crashes", "a task whose workers crash too often fails and says so", async ({ connect }) => {
  const begun = vi.fn();
  const { open, job, clock } = studios(() => {
    begun();
    return new Promise(() => undefined);
  }, true);
  const client = await connect(open("front"), { extensions });
  const workers = ["first", "second", "third"].map((name) => open(name, { maxCrashes: 1 }));

  const handle = await startTool(client, "render");
  for (const [index, worker] of workers.entries()) {
    void worker.runTask(await job());
    if (index < 2) await vi.waitFor(() => expect(begun).toHaveBeenCalledTimes(index + 1));
    clock.aheadMs += 30_000;
  }
  await expect(handle.result()).rejects.toThrow("ended too often");
  await Promise.all(workers.map((worker) => worker.close()));
});

verifies("tasks:queue:store-away", "a result that the store has refused is stored later", async ({ connect }) => {
  const begun = deferred();
  const ended = deferred();
  const { open, job, store } = studios(async () => {
    begun.resolve();
    await ended.promise;
    return "by worker";
  });
  const client = await connect(open("front"), { extensions });
  const worker = open("worker");

  const handle = await startTool(client, "render");
  const running = worker.runTask(await job());
  await begun.promise;
  const away = new ProtocolError(429, "away", { data: { limit: "server", retryAfterMs: 1_000 } });
  vi.spyOn(store, "replace").mockRejectedValueOnce(away);
  ended.resolve();
  expect(await running).toBe(true);
  expect(await handle.result()).toMatchObject(text("by worker"));
  await worker.close();
});

verifies("tasks:queue:lost-job", "recoverTasks queues a task again whose job was lost", async ({ connect }) => {
  const { open, job, jobs } = studios((name) => `by ${name}`);
  const client = await connect(open("front"), { extensions });
  const worker = open("worker");

  const handle = await startTool(client, "render");
  await job();
  jobs.length = 0;
  await worker.recoverTasks();
  expect(await worker.runTask(await job())).toBe(true);
  expect(await handle.result()).toMatchObject(text("by worker"));
  await worker.close();
});
