import { Queue } from "bullmq";
import { Client } from "parley-mcp/client";
import { McpServer, ProtocolError } from "parley-mcp/server";
import { InMemoryTaskStore, type ServerTaskOptions, serveTasks, startTool, tasks } from "parley-mcp/tasks";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { TestRedis } from "../../redis/src/redis-server.fixture.js";
import { BullmqTaskRunner } from "./bullmq-task-runner.js";
import { type WorkTasksOptions, workTasks } from "./work-tasks.js";

let redis: TestRedis;
let count = 0;
beforeAll(async () => {
  redis = await TestRedis.start({ isDurable: true });
});
afterAll(() => redis[Symbol.asyncDispose]());

/** A server, its queue, and a client. Its tool `render` acts like this. */
async function studio(act: (signal: AbortSignal) => unknown = () => "done", options: ServerTaskOptions = {}) {
  count += 1;
  const names = { prefix: `test-${count}` };
  const memory = new InMemoryTaskStore();
  const store = Object.assign(memory, { abandonedByOthers: () => memory.abandoned() });
  const runner = await BullmqTaskRunner.open(redis.url, names);
  onTestFinished(() => runner.close());
  const open = () => {
    const server = new McpServer({
      name: "studio",
      version: "1.0.0",
      tasks: serveTasks({ store, runner, leaseMs: 1_000, ...options }),
      onError: () => undefined,
    });
    const task = { mode: "required", pollIntervalMs: 50, rerun: true } as const;
    server.tool("render", { task }, async (_args, { signal }) => String(await act(signal)));
    return server;
  };
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const work = (options: WorkTasksOptions = {}) =>
    workTasks(open(), redis.url, { ...names, onError, lockMs: 1_000, retryDelayMs: 100, closeGraceMs: 0, ...options });
  const client = await Client.connect(open(), { name: "cli", version: "1.0.0", extensions: [tasks] });
  onTestFinished(() => client.close());
  const port = Number(new URL(redis.url).port);
  const queue = new Queue("task-jobs", { connection: { host: "127.0.0.1", port }, prefix: `${names.prefix}:1` });
  queue.on("error", () => undefined);
  onTestFinished(() => queue.close());
  return { store, runner, open, work, client, queue, errors };
}

describe("workTasks", () => {
  it.each([
    [{ concurrency: 0 }, "concurrency: expected a whole number from 1, got 0"],
    [{ closeGraceMs: -1 }, "closeGraceMs: expected a whole number from 0, got -1"],
    [{ prefix: "" }, "prefix: expected 1 to 64"],
  ])("refuses %j", async (options, message) => {
    await expect(workTasks(new McpServer({ name: "studio", version: "1.0.0" }), redis.url, options)).rejects.toThrow(
      message,
    );
  });

  it("releases the server if Redis does not answer", async () => {
    const onClose = vi.fn();
    const server = new McpServer({ name: "studio", version: "1.0.0", onClose });
    await expect(workTasks(server, "redis://127.0.0.1:1")).rejects.toMatchObject({ code: "connection-closed" });
    expect(onClose).toHaveBeenCalled();
  });

  it("runs the tasks of a queue, and leaves no job behind", async () => {
    const { work, client, queue } = await studio();
    await using _worker = await work();
    const results = await Promise.all([1, 2, 3].map(async () => (await startTool(client, "render")).result()));
    expect(results.map(({ content }) => content)).toEqual(new Array(3).fill([{ type: "text", text: "done" }]));
    await vi.waitFor(async () => {
      expect(await queue.getJobCountByTypes("waiting", "active", "delayed", "completed", "failed")).toBe(0);
    });
  });

  it("needs no options", async () => {
    const server = new McpServer({ name: "studio", version: "1.0.0" });
    const worker = await workTasks(server, redis.url);
    await worker.close();
  });

  it("runs no more tasks at once than its concurrency", async () => {
    let [running, most] = [0, 0];
    const { work, client } = await studio(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });
    await using _worker = await work({ concurrency: 2 });
    await Promise.all(Array.from({ length: 10 }, async () => (await startTool(client, "render")).result()));
    expect(most).toBeLessThanOrEqual(2);
  });

  it("tries a task again that another worker runs", async () => {
    let end: (text: string) => void = () => undefined;
    const begun = vi.fn(() => new Promise<string>((resolve) => (end = resolve)));
    const { work, open, client, queue } = await studio(begun);
    const handle = await startTool(client, "render");
    const other = open();
    void other.runTask(String(handle.taskId));
    await vi.waitFor(() => expect(begun).toHaveBeenCalled());
    await using _worker = await work();
    await vi.waitFor(async () => expect(await queue.getDelayedCount()).toBe(1), 10_000);

    end("by the other");
    expect((await handle.result()).content).toEqual([{ type: "text", text: "by the other" }]);
    await vi.waitFor(async () => expect(await queue.getDelayedCount()).toBe(0), 10_000);
    expect(begun).toHaveBeenCalledTimes(1);
    await other.close();
  });

  it("tries a task again whose store is not available, and reports it", async () => {
    const { work, store, client, errors } = await studio();
    const handle = await startTool(client, "render");
    const away = new ProtocolError(429, "away", { data: { limit: "server", retryAfterMs: 1_000 } });
    const get = vi.spyOn(store, "get").mockRejectedValue(away);
    await using _worker = await work();
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), 10_000);
    get.mockRestore();
    expect((await handle.result()).content).toEqual([{ type: "text", text: "done" }]);
    expect(errors[0]?.message).toMatch(/^Task [0-9a-f]+ could not be run, and is tried again$/);
  });

  it("reports a job that names no task, and drops it", async () => {
    const { work, queue, errors } = await studio();
    await queue.add("task", {});
    await using _worker = await work();
    await vi.waitFor(() => expect(errors.map(({ message }) => message)).toEqual(["The job 1 names no task"]), 10_000);
    await vi.waitFor(async () => expect(await queue.getJobCountByTypes("active", "failed")).toBe(0));
  });

  it("gives tasks without a job to the queue again", async () => {
    const { work, client, queue } = await studio(undefined, { recoverIntervalMs: 50 });
    await using _idle = await work({ queue: "elsewhere" });
    const handle = await startTool(client, "render");
    await vi.waitFor(async () => expect(await queue.remove(`task-${handle.taskId}`)).toBe(1));
    await using _worker = await work();
    expect((await handle.result()).content).toEqual([{ type: "text", text: "done" }]);
  });
});

describe("a worker that closes", () => {
  it("lets running tasks end within its grace", async () => {
    let end: (text: string) => void = () => undefined;
    const begun = vi.fn(() => new Promise<string>((resolve) => (end = resolve)));
    const { work, client } = await studio(begun);
    const worker = await work({ closeGraceMs: 20_000 });
    const handle = await startTool(client, "render");
    await vi.waitFor(() => expect(begun).toHaveBeenCalled(), 10_000);
    const closed = worker.close();
    end("in time");
    await closed;
    expect((await handle.status()).status).toBe("completed");
  });

  it("gives its tasks back, and another worker runs them at once", async () => {
    const signals: AbortSignal[] = [];
    const { work, client, queue } = await studio((signal) => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => undefined) : "again";
    });
    const worker = await work();
    const handle = await startTool(client, "render");
    await vi.waitFor(() => expect(signals).toHaveLength(1), 10_000);
    await Promise.all([worker.close(), worker.close()]);
    expect(signals[0]?.aborted).toBe(true);
    expect(await queue.getWaitingCount()).toBe(1);

    await using _other = await work();
    expect((await handle.result()).content).toEqual([{ type: "text", text: "again" }]);
  });

  it("does not wait for a Redis that is away", async () => {
    const begun = vi.fn(() => new Promise(() => undefined));
    const { work, client, errors } = await studio(begun);
    const worker = await work();
    await startTool(client, "render");
    await vi.waitFor(() => expect(begun).toHaveBeenCalled(), 10_000);
    await redis.kill();
    const since = performance.now();
    await worker.close();
    expect(performance.now() - since).toBeLessThan(20_000);
    expect(errors.map(({ message }) => message)).toContain("Redis fails; tasks wait until it answers");
    await redis.restart();
  });
});
