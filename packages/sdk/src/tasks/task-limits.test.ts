import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { CALL, everythingSettled, heldWork, openEngine } from "./task-engine.fixture.js";
import { TaskEngine } from "./task-engine.js";
import type { TaskInput, TaskRecord } from "./task-record.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const NOT_STORED = { code: -32_603, message: "The result of the task could not be stored" };
const large = { text: "x".repeat(3_000) };

describe("the bytes of a task", () => {
  it("are 4 MiB at most: params, answers, results of once and the result", async () => {
    const { engine, begin } = openEngine();
    const text = "x".repeat(2_200_000);
    await expect(engine.create({ ...CALL, params: { text } }, heldWork().work)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("at most 4194304 bytes"),
    });
    const { run } = await begin({ params: { text: "x".repeat(2_000_000) } });
    await expect(run.once("charge", () => "x".repeat(200_000))).rejects.toMatchObject({ code: "too-large" });
  });

  it("refuse an answer that is too large, and the question stays open", async () => {
    const { engine, begin } = openEngine({ maxTaskBytes: 6_000 });
    const { run, task } = await begin();
    const answer = run.ask("name", {});
    await everythingSettled();
    await expect(engine.update(task.taskId, "alice", { name: large })).rejects.toMatchObject({ code: -32_602 });
    expect((await engine.get(task.taskId, "alice")).status).toBe("input_required");
    await engine.update(task.taskId, "alice", { name: { action: "accept" } });
    expect(await answer).toEqual({ action: "accept" });
  });

  it("refuse a question that is too large", async () => {
    const { run } = await openEngine({ maxTaskBytes: 6_000 }).begin();
    await expect(run.ask("name", large)).rejects.toMatchObject({ code: "too-large" });
  });

  it("fail a task whose result is too large, and report it", async () => {
    const { engine, errors } = openEngine({ maxTaskBytes: 6_000 });
    const { taskId } = await engine.create(CALL, async () => large);
    const error = { code: -32_603, message: "The result of the task is larger than the server stores" };
    expect(await engine.finished(taskId, "alice")).toMatchObject({ status: "failed", error });
    expect(errors).toEqual([expect.objectContaining({ cause: expect.objectContaining({ code: "too-large" }) })]);
  });

  it("fail a task whose result has no room among those of its principal", async () => {
    const store = new InMemoryTaskStore({ maxBytesPerPrincipal: 8_192 });
    const { engine, errors } = openEngine({ store });
    await engine.create(CALL, heldWork().work);
    const { taskId } = await engine.create(CALL, async () => large);
    expect(await engine.finished(taskId, "alice")).toMatchObject({ status: "failed", error: NOT_STORED });
    expect(errors).toEqual([expect.objectContaining({ cause: expect.objectContaining({ code: 429 }) })]);
  });

  it("are not those of a result or an error that is no JSON: such a task fails", async () => {
    const { engine } = openEngine();
    const failing = async () => {
      throw new ProtocolError(1, "No", { data: 7n });
    };
    for (const work of [async () => ({ value: 7n }), failing]) {
      const { taskId } = await engine.create(CALL, work);
      expect(await engine.finished(taskId, "alice")).toMatchObject({ status: "failed", error: NOT_STORED });
    }
  });
});

describe("work that runs at the same time", () => {
  it("is of 128 tasks of a principal and 1,024 in all; the others wait for their turn", async () => {
    const { engine } = openEngine();
    const works = Array.from({ length: 1_100 }, () => heldWork());
    for (const [index, { work }] of works.entries()) {
      await engine.create({ ...CALL, principal: String(Math.floor(index / 130)) }, work);
    }
    await everythingSettled();
    expect(engine.running).toBe(8 * 128 + 0);
    for (const { resolve } of works) resolve({});
    await everythingSettled();
    for (const { begun } of works) await begun;
    await everythingSettled();
    expect(engine.running).toBe(0);
  });

  it("takes its place until it settles, also after its task is over", async () => {
    const { engine, begin } = openEngine({ maxRunning: 1 });
    const first = await begin();
    await engine.cancel(first.task.taskId, "alice");
    const second = heldWork();
    await engine.create(CALL, second.work);
    await everythingSettled();
    expect(engine.running).toBe(1);
    first.resolve({});
    await second.begun;
  });

  it("waits no longer than its task lives", async () => {
    const { engine, begin } = openEngine({ maxRunning: 1 });
    const { resolve } = await begin();
    const work = vi.fn();
    await engine.create({ ...CALL, ttlMs: 1_000 }, work);
    await everythingSettled();
    vi.advanceTimersByTime(1_000);
    resolve({});
    await everythingSettled();
    expect(work).not.toHaveBeenCalled();
    expect(engine.running).toBe(0);
  });
});

describe("changes of one task", () => {
  it("that come together are all made", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`);
    const answers = keys.map((key) => run.ask(key, { key }));
    await everythingSettled();
    await Promise.all(keys.map((key) => engine.update(task.taskId, "alice", { [key]: { key } })));
    expect(await Promise.all(answers)).toEqual(keys.map((key) => ({ key })));
  });

  it("of two engines with one store are all made, and each hears of the other's", async () => {
    const { engine, store, begin } = openEngine();
    const other = new TaskEngine({ store });
    const { run, task, resolve } = await begin();
    const finished = other.finished(task.taskId, "alice");
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const answers = keys.map((key) => run.ask(key, { key }));
    await everythingSettled();
    const answer = (key: string, index: number) =>
      (index % 2 === 0 ? engine : other).update(task.taskId, "alice", { [key]: { key } });
    await Promise.all(keys.map(answer));
    expect(await Promise.all(answers)).toEqual(keys.map((key) => ({ key })));
    resolve({});
    expect((await finished).status).toBe("completed");

    const second = await begin();
    await other.cancel(second.task.taskId, "alice");
    expect(second.run.signal.aborted).toBe(true);
  });

  it("are given up if others are faster 32 times", async () => {
    const { engine, store, begin } = openEngine();
    const { task } = await begin();
    const replace = vi.spyOn(store, "replace").mockResolvedValue(false);
    await expect(engine.cancel(task.taskId, "alice")).rejects.toMatchObject({ code: 429, data: { limit: "server" } });
    expect(replace).toHaveBeenCalledTimes(32);
  });
});

describe("a store that fails", () => {
  it("refuses a task, whose work does not run", async () => {
    const { engine, store } = openEngine();
    const work = vi.fn();
    vi.spyOn(store, "create").mockRejectedValueOnce(new Error("disk"));
    await expect(engine.create(CALL, work)).rejects.toThrow("disk");
    await everythingSettled();
    expect(work).not.toHaveBeenCalled();
  });

  it("once while a result is stored fails the task", async () => {
    const { engine, store, begin } = openEngine();
    const { task, resolve } = await begin();
    vi.spyOn(store, "replace").mockRejectedValueOnce(new Error("disk"));
    resolve({});
    expect(await engine.finished(task.taskId, "alice")).toMatchObject({ status: "failed", error: NOT_STORED });
  });

  it("for good leaves the task as it is, and nobody waits for it", async () => {
    const { engine, store, errors, begin } = openEngine();
    const { task, resolve } = await begin();
    const waiting = engine.finished(task.taskId, "alice");
    const refused = expect(waiting).rejects.toMatchObject(NOT_STORED);
    await everythingSettled();
    vi.spyOn(store, "replace").mockRejectedValue(new Error("disk"));
    resolve({});
    await refused;
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("The result of the task could not be stored"),
      expect.stringContaining("stays as it is until it expires"),
    ]);
    expect((await engine.get(task.taskId, "alice")).status).toBe("working");
    expect(engine.running).toBe(0);
  });

  it("while a task is read at its start fails it", async () => {
    const { engine, store } = openEngine();
    vi.spyOn(store, "get").mockRejectedValueOnce(new Error("network"));
    const { taskId } = await engine.create(CALL, async () => ({}));
    expect(await engine.finished(taskId, "alice")).toMatchObject({
      status: "failed",
      error: { code: -32_603, message: "The task could not be started" },
    });
  });

  it("to delete an expired task is reported", async () => {
    const { store, errors, begin } = openEngine();
    await begin({ ttlMs: 1_000 });
    vi.spyOn(store, "delete").mockRejectedValueOnce(new Error("network"));
    vi.advanceTimersByTime(1_000);
    await everythingSettled();
    expect(errors).toEqual([new Error("network")]);
  });
});

describe("a runner of one's own", () => {
  it("decides when the work runs", async () => {
    const queue: (() => Promise<void>)[] = [];
    const { engine } = openEngine({ runner: { start: (_, run) => void queue.push(run) } });
    const { taskId } = await engine.create(CALL, async () => ({ content: [] }));
    await everythingSettled();
    expect((await engine.get(taskId, "alice")).status).toBe("working");
    await queue[0]?.();
    expect((await engine.get(taskId, "alice")).status).toBe("completed");
  });

  it("may have the work run by another engine, once", async () => {
    const store = new InMemoryTaskStore();
    const queue: string[] = [];
    const { engine } = openEngine({ store, runner: { start: async (taskId) => void queue.push(taskId) } });
    const worker = new TaskEngine({ store });
    const { taskId } = await engine.create(CALL, vi.fn());
    const work = vi.fn(async () => ({ content: [] }));
    const finished = engine.finished(taskId, "alice");
    const workOf = (_record: TaskRecord, { params }: TaskInput) => {
      expect(params).toEqual(CALL.params);
      return work;
    };
    await Promise.all([worker.run(queue[0] as string, workOf), worker.run(queue[0] as string, workOf)]);
    await worker.run(queue[0] as string, workOf);
    await worker.run("0".repeat(40), workOf);
    expect((await finished).result).toEqual({ content: [] });
    expect(work).toHaveBeenCalledOnce();
  });

  it("may have one of two workers run a task that both get at the same time", async () => {
    const store = new InMemoryTaskStore();
    const { engine } = openEngine({ store, runner: { start: () => undefined } });
    const { taskId } = await engine.create(CALL, vi.fn());
    const work = vi.fn(async () => ({ content: [] }));
    await Promise.all(
      [new TaskEngine({ store }), new TaskEngine({ store })].map((worker) => worker.run(taskId, () => work)),
    );
    expect((await engine.get(taskId, "alice")).result).toEqual({ content: [] });
    expect(work).toHaveBeenCalledOnce();
  });

  it("whose engine knows no work for a task fails it", async () => {
    const { engine } = openEngine({ runner: { start: () => undefined } });
    const { taskId } = await engine.create(CALL, vi.fn());
    await engine.run(taskId, () => undefined);
    expect((await engine.get(taskId, "alice")).status).toBe("failed");
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("queue"))],
    [
      "throws",
      () => {
        throw new Error("queue");
      },
    ],
  ])("fails the task if it %s", async (_, start) => {
    const { engine, errors } = openEngine({ runner: { start } });
    const { taskId } = await engine.create(CALL, vi.fn());
    expect((await engine.finished(taskId, "alice")).error?.message).toBe("The task could not be started");
    expect(errors).toEqual([expect.objectContaining({ cause: new Error("queue") })]);
  });
});

it.each([
  "defaultTtlMs",
  "maxTtlMs",
  "pollIntervalMs",
  "statusIntervalMs",
  "maxTaskBytes",
  "maxRunning",
  "maxRunningPerPrincipal",
  "maxInputRequests",
  "maxKeyCharacters",
  "maxWaiters",
  "maxWaitersPerPrincipal",
  "pageSize",
  "closeGraceMs",
])("refuses 0 as %s", (name) => {
  expect(() => new TaskEngine({ [name]: 0 })).toThrow(`${name}: expected a number from 1, got 0`);
});

it.each(["pollIntervalMs", "statusIntervalMs", "pageSize"])("refuses Infinity as %s", async (name) => {
  const message = `${name}: expected a whole number from 1, got Infinity`;
  expect(() => new TaskEngine({ [name]: Number.POSITIVE_INFINITY })).toThrow(message);
});

it("refuses a poll interval of one task that is no whole number", async () => {
  const created = new TaskEngine().create({ ...CALL, pollIntervalMs: 0.5 }, heldWork().work);
  await expect(created).rejects.toThrow("pollIntervalMs: expected a whole number from 1, got 0.5");
});
