import { ProtocolError } from "parley-mcp/server";
import { type TaskRecord, taskSummary } from "parley-mcp/tasks";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { INPUT, newRecord, nextRecord } from "../../sdk/src/tasks/task-record.fixture.js";
import { taskStoreContract } from "../../sdk/src/tasks/task-store-contract.js";
import { RedisConnection } from "./redis-connection.js";
import { eventually, TestRedis, useRedis } from "./redis-server.fixture.js";
import { RedisTaskStore, type RedisTaskStoreOptions } from "./redis-task-store.js";

const connect = useRedis();
/** The error of a command that Redis does not answer in time. */
const UNANSWERED = new ProtocolError(429, "Redis does not answer", { cause: new Error("late") });
const stores: RedisTaskStore[] = [];

async function open(options?: RedisTaskStoreOptions, prefix?: string): Promise<RedisTaskStore> {
  const store = await RedisTaskStore.open(await connect(prefix === undefined ? {} : { prefix }), options);
  stores.push(store);
  return store;
}

async function idsOf(tasks: AsyncIterable<TaskRecord>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { taskId } of tasks) ids.push(taskId);
  return ids;
}

function abandonedIds(store: RedisTaskStore): Promise<string[]> {
  return idsOf(store.abandoned());
}

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

// In a group of its own, since it fakes the timers of its group.
describe("RedisTaskStore as a task store", () => taskStoreContract(open));

describe("RedisTaskStore", () => {
  it("passes over a record that is gone", async () => {
    const connection = await connect({ prefix: "gone" });
    const store = await RedisTaskStore.open(connection);
    stores.push(store);
    const [lost, kept] = [newRecord(), newRecord()];
    for (const record of [lost, kept]) await store.create(record, INPUT);
    const key = connection.key("tasks", "r", lost.taskId);
    expect(await connection.send(key, ["DEL", key])).toBe(1);
    expect(await abandonedIds(store)).toEqual([kept.taskId]);
  });

  it("deletes a task that Redis has stored after its creation was refused", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url, { commandTimeoutMs: 1_000 });
    await using store = await RedisTaskStore.open(connection);
    const kept = newRecord();
    await store.create(kept, INPUT);
    redis.pause();
    const refused = [store.create(newRecord(), INPUT), store.create(newRecord(), INPUT)];
    for (const creation of refused) await expect(creation).rejects.toMatchObject({ code: 429 });
    redis.resume();
    const [numbers, ids] = [connection.key("tasks", "n"), connection.key("tasks", "m")];
    const created = () => connection.send(numbers, ["HGET", numbers, "created"]).catch(() => undefined);
    await eventually(async () => (await created()) === "3");
    await eventually(async () => (await connection.send(ids, ["HLEN", ids])) === 1);
    expect(await abandonedIds(store)).toEqual([kept.taskId]);
  });

  it("deletes a refused task again until Redis has done so", async () => {
    const connection = await connect({ prefix: "refused" });
    await using store = await RedisTaskStore.open(connection);
    const original = connection.run.bind(connection);
    const run = vi.spyOn(connection, "run");
    onTestFinished(() => void run.mockRestore());
    run.mockImplementationOnce(async (...args) => {
      await original(...args);
      throw UNANSWERED;
    });
    run.mockRejectedValueOnce(UNANSWERED);
    const record = newRecord();

    await expect(store.create(record, INPUT)).rejects.toBe(UNANSWERED);
    expect(await store.get(record.taskId)).toEqual(record);

    await eventually(async () => (await store.get(record.taskId)) === undefined);
    expect(run).toHaveBeenCalledTimes(3);
  });

  it("remembers 10,000 refused tasks, and forgets the oldest of more", async () => {
    const connection = await connect({ prefix: "many" });
    await using store = await RedisTaskStore.open(connection);
    const run = vi.spyOn(connection, "run").mockRejectedValue(UNANSWERED);
    onTestFinished(() => void run.mockRestore());
    const records = Array.from({ length: 10_002 }, () => newRecord());
    const outcomes = await Promise.allSettled(records.map((record) => store.create(record, INPUT)));
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(records.length);
    const deleted = new Set<unknown>();
    run.mockImplementation(async (_script, _key, ...args) => {
      deleted.add(args.at(-1));
      return 1;
    });

    // The first is being deleted, and is not forgotten.
    await eventually(() => deleted.size === 10_001);
    expect(deleted.has(records[1]?.taskId)).toBe(false);
  });

  it("names the limit that was reached", async () => {
    const ofOne = await open({ maxTasks: 5, maxTasksPerPrincipal: 1 }, "of-one");
    await ofOne.create(newRecord({ principal: "ann" }), INPUT);
    await expect(ofOne.create(newRecord({ principal: "ann" }), INPUT)).rejects.toThrow("at most 1 are kept");
    const ofAll = await open({ maxTasks: 1, maxTasksPerPrincipal: 1 }, "of-all");
    await ofAll.create(newRecord({ principal: "ann" }), INPUT);
    await expect(ofAll.create(newRecord({ principal: "bob" }), INPUT)).rejects.toMatchObject({
      message: expect.stringContaining("at most 1 are kept"),
      data: { limit: "server" },
    });
  });

  it("tells a process of the changes of others, in their order", async () => {
    const [one, other] = [await open({}, "watched"), await open({}, "watched")];
    const heard: [string, number][] = [];
    one.watch(({ taskId, version }) => heard.push([taskId, version]));
    const record = newRecord();
    await other.create(record, INPUT);
    await one.replace(nextRecord(record));
    await other.replace(nextRecord(nextRecord(record)));
    await eventually(() => heard.length === 3);
    expect(heard.map(([, version]) => version)).toEqual([1, 2, 3]);
  });

  it("leaves the tasks of living processes alone, and gives those of an ended one to one other", async () => {
    const [ended, one, other] = [await open({}, "left"), await open({}, "left"), await open({}, "left")];
    const [left, kept] = [newRecord(), newRecord()];
    await ended.create(left, INPUT);
    await one.create(kept, INPUT);
    expect(await abandonedIds(other)).toEqual([]);
    await ended.close();
    expect(await abandonedIds(other)).toEqual([left.taskId]);
    expect(await abandonedIds(one)).toEqual([kept.taskId]);
    expect(await abandonedIds(other)).toEqual([left.taskId]);
  });

  it("gives the tasks of ended processes to one living process, and none of its own", async () => {
    const [ended, one, other] = [await open({}, "others"), await open({}, "others"), await open({}, "others")];
    const [left, kept] = [newRecord(), newRecord()];
    await ended.create(left, INPUT);
    await one.create(kept, INPUT);
    expect(await idsOf(one.abandonedByOthers())).toEqual([]);
    await ended.close();
    expect(await idsOf(one.abandonedByOthers())).toEqual([left.taskId]);
    expect(await idsOf(one.abandonedByOthers())).toEqual([]);
    expect(await idsOf(other.abandonedByOthers())).toEqual([]);
  });

  it("gives other processes time to connect again after Redis was away", async () => {
    await using redis = await TestRedis.start({ isDurable: true });
    const connections = [await RedisConnection.open(redis.url), await RedisConnection.open(redis.url)] as const;
    let now = Date.now();
    const one = await RedisTaskStore.open(connections[0], { now: () => now });
    const other = await RedisTaskStore.open(connections[1]);
    const record = newRecord();
    await other.create(record, INPUT);
    await connections[1].close();
    const reconnected = new Promise<void>((resolve) => connections[0].onReconnect(resolve));
    await redis.kill();
    await redis.restart();
    await reconnected;
    for (const key of await keys(connections[0], "a:*")) await connections[0].send(key, ["DEL", key]);
    expect(await idsOf(one.abandonedByOthers())).toEqual([]);
    now += 30_000;
    expect(await idsOf(one.abandonedByOthers())).toEqual([record.taskId]);
    await Promise.all([one.close(), other.close()]);
    await connections[0].close();
  });

  it("takes a process without signs of life for ended", async () => {
    const connection = await connect({ prefix: "silent" });
    const silent = await RedisTaskStore.open(connection, { aliveMs: 1_000 });
    expect(silent.aliveMs).toBe(1_000);
    const record = newRecord();
    await silent.create(record, INPUT);
    const [alive = ""] = await keys(connection, "a:*");
    const leftMs = async () => Number(await connection.send(alive, ["PTTL", alive]));
    await eventually(async () => (await leftMs()) < 900);
    await eventually(async () => (await leftMs()) > 900);
    const other = await open({}, "silent");
    expect(await abandonedIds(other)).toEqual([]);
    await connection.close();
    await eventually(async () => (await abandonedIds(other)).length === 1);
    await silent.close();
  });

  it("leaves a task alone whose lease a worker of a queue holds", async () => {
    const store = await open();
    const record = newRecord();
    await store.create(record, INPUT);
    const run = { number: 1, until: Date.now() + 60_000, isRerun: false };
    await store.replace(nextRecord(record, { run }));
    expect(await abandonedIds(store)).toEqual([]);
    await store.replace(nextRecord(nextRecord(record, { run: { ...run, until: 0 } })));
    expect(await abandonedIds(store)).toEqual([record.taskId]);
  });

  it("tells of every task after a lost connection, since changes may have been missed", async () => {
    await using redis = await TestRedis.start();
    await using one = await RedisConnection.open(redis.url);
    await using store = await RedisTaskStore.open(one);
    const record = newRecord();
    await store.create(record, INPUT);
    const heard: string[] = [];
    store.watch(({ taskId }) => heard.push(taskId));
    await one.send("clients", ["CLIENT", "KILL", "TYPE", "pubsub", "SKIPME", "no"]).catch(() => {});
    await eventually(() => heard.length > 0);
    expect(heard).toEqual([record.taskId]);
  });

  it("reports a change that is none, and a task that is none after a lost connection", async () => {
    await using redis = await TestRedis.start();
    const errors: string[] = [];
    await using one = await RedisConnection.open(redis.url, { onError: ({ message }) => errors.push(message) });
    await using store = await RedisTaskStore.open(one);
    await one.send("channel", ["PUBLISH", one.key("tasks", "changes"), "someone {}"]);
    await eventually(() => errors.length === 1);
    expect(errors[0]).toBe("The Redis key parley:1:tasks:changes holds a value of another program; delete it");
    const record = newRecord();
    await store.create(record, INPUT);
    await one.send("task", ["SET", one.key("tasks", "r", record.taskId), "{"]);
    await one.send("clients", ["CLIENT", "KILL", "TYPE", "pubsub", "SKIPME", "no"]).catch(() => {});
    await eventually(() => errors.some((message) => message.includes(`:r:${record.taskId} holds a value`)));
  });

  it.each(["{", "[]", '{"taskId":"x","version":1,"status":"working","createdAt":1}'])(
    "names the key of the foreign value %s",
    async (text) => {
      const connection = await connect();
      await using store = await RedisTaskStore.open(connection);
      const { taskId } = newRecord();
      const key = connection.key("tasks", "r", taskId);
      await connection.send(key, ["SET", key, text]);
      await expect(store.get(taskId)).rejects.toThrow(
        `The Redis key ${key} holds a value of another program; delete it`,
      );
    },
  );

  it.each(["{", "1", "null"])("names the key of the foreign input %s", async (text) => {
    const connection = await connect();
    await using store = await RedisTaskStore.open(connection);
    const record = newRecord();
    await store.create(record, INPUT);
    const key = connection.key("tasks", "i", record.taskId);
    await connection.send(key, ["SET", key, text]);
    await expect(store.input(record.taskId)).rejects.toThrow(`The Redis key ${key} holds a value of another program`);
  });

  it("asks Redis once for a task that many poll at the same time, and again after a change", async () => {
    const connection = await connect();
    await using store = await RedisTaskStore.open(connection);
    const record = newRecord();
    await store.create(record, INPUT);
    const send = vi.spyOn(connection, "send");
    const gets = () => send.mock.calls.filter(([, [command]]) => command === "GET").length;
    expect(await Promise.all(Array.from({ length: 200 }, () => store.get(record.taskId)))).toContainEqual(record);
    expect(gets()).toBe(1);
    const early = store.get(record.taskId);
    const replaced = store.replace(nextRecord(record));
    const late = store.get(record.taskId);
    expect([(await early)?.version, await replaced, (await late)?.version]).toEqual([1, true, 2]);
    expect(gets()).toBe(3);
  });

  it("ends a page with the task that reaches a mebibyte", async () => {
    const store = await open();
    const records = Array.from({ length: 3 }, () => newRecord({ scopes: ["x".repeat(300_000)] }));
    for (const record of records) await store.create(record, INPUT);
    const { tasks, nextCursor } = await store.list(undefined, undefined, 10);
    expect(tasks).toHaveLength(2);
    expect((await store.list(undefined, nextCursor, 10)).tasks).toEqual(records.slice(2).map(taskSummary));
  });

  it("gives every key an expiry, also for a task without an end", async () => {
    const connection = await connect();
    await using store = await RedisTaskStore.open(connection);
    await store.create(newRecord({ ttlMs: null }), INPUT);
    const found = await keys(connection, "*");
    expect(found).toHaveLength(10);
    for (const key of found) expect(await connection.send(key, ["PTTL", key])).toBeGreaterThan(0);
  });

  it("does not open without Redis", async () => {
    const connection = await connect();
    await connection.close();
    await expect(RedisTaskStore.open(connection)).rejects.toMatchObject({ code: 429, data: { limit: "server" } });
  });

  it.each(["maxTasks", "maxTasksPerPrincipal", "maxBytes", "maxBytesPerPrincipal", "aliveMs"])(
    "refuses 0 as %s",
    async (name) => {
      await expect(open({ [name]: 0 })).rejects.toThrow(`${name}: expected a number from 1, got 0`);
    },
  );
});

async function keys(connection: RedisConnection, pattern: string): Promise<string[]> {
  return (await connection.send("keys", ["KEYS", connection.key("tasks", pattern)])) as string[];
}
