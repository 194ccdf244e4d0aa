/** Tasks that a queue delivers again: after crashes, from a worker that closes, and over a store that is not available. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { limitReached } from "../errors/limit-reached.js";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { CALL, everythingSettled, heldWork } from "./task-engine.fixture.js";
import { TaskEngine } from "./task-engine.js";
import type { TaskEngineOptions } from "./task-engine-options.js";
import type { TaskRecord } from "./task-record.js";
import type { TaskRunner } from "./task-work.js";

const RESULT = { content: [] };
const away = () => limitReached("server", "A store is not available");

/** Engines over one store and one queue. */
function openQueue() {
  const clock = { now: 10_000_000 };
  const store = new InMemoryTaskStore({ now: () => clock.now });
  const jobs: string[] = [];
  const errors: Error[] = [];
  const runner: TaskRunner = { start: (taskId) => void jobs.push(taskId), recovers: true };
  const open = (options: TaskEngineOptions = {}) => {
    const onError = (error: Error) => errors.push(error);
    const engine = new TaskEngine({ store, runner, now: () => clock.now, leaseMs: 30_000, onError, ...options });
    onTestFinished(() => engine.close());
    return engine;
  };
  const create = (engine: TaskEngine, mayRerun = true) =>
    engine.create({ ...CALL, mayRerun }, () => Promise.reject(new Error("not here")));
  return { clock, store, jobs, errors, open, create };
}

/** Fails the next calls of a method of the store. */
function failing(store: InMemoryTaskStore, method: "get" | "replace", times: number): void {
  const spy = vi.spyOn(store, method);
  for (let count = 0; count < times; count += 1) spy.mockRejectedValueOnce(away());
}

function useFakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("a task whose workers crash", () => {
  it("fails after more crashes than maxCrashes, with the reason", async () => {
    const { clock, store, open, create } = openQueue();
    const { taskId } = await create(open());
    for (let crash = 0; crash < 3; crash += 1) {
      const work = heldWork();
      void open({ maxCrashes: 2 }).run(taskId, () => work.work);
      await work.begun;
      clock.now += 30_000;
    }
    await open({ maxCrashes: 2 }).run(taskId, () => expect.unreachable("no further run"));
    expect(await store.get(taskId)).toMatchObject({
      status: "failed",
      statusMessage: expect.stringContaining("ended too often"),
    });
  });

  it("runs however often workers give it back", async () => {
    const { store, open, create } = openQueue();
    const { taskId } = await create(open());
    for (let close = 0; close < 5; close += 1) {
      const work = heldWork();
      const engine = open({ maxCrashes: 1 });
      void engine.run(taskId, () => work.work);
      await work.begun;
      await engine.close();
    }
    await open({ maxCrashes: 1 }).run(taskId, () => async () => RESULT);
    expect(await store.get(taskId)).toMatchObject({ status: "completed" });
  });
});

describe("a worker that gives a task back", () => {
  it("aborts its work, and another worker begins at once", async () => {
    const { store, open, create } = openQueue();
    const [first, second] = [open(), open()];
    const { taskId } = await create(first);
    const work = heldWork();
    const abort = new AbortController();
    const running = first.run(taskId, () => work.work, abort.signal);
    const { signal } = await work.begun;

    abort.abort();
    await running;
    expect(signal.reason).toMatchObject({ code: "connection-closed" });
    await second.run(taskId, () => async () => RESULT);
    expect(await store.get(taskId)).toMatchObject({ status: "completed" });
  });

  it("has given it back once its run resolves", async () => {
    const { store, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    const work = heldWork();
    const abort = new AbortController();
    const onResolved = vi.fn();
    const running = engine.run(taskId, () => work.work, abort.signal).then(onResolved);
    await work.begun;
    const replace = store.replace.bind(store);
    let goOn: () => void = () => undefined;
    vi.spyOn(store, "replace").mockImplementationOnce(async (record) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return replace(record);
    });

    abort.abort();
    await everythingSettled();
    expect(onResolved).not.toHaveBeenCalled();
    goOn();
    await running;
  });

  it("leaves a task alone that it has not begun, or that is over", async () => {
    const { store, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    await engine.run(taskId, () => expect.unreachable("given back"), AbortSignal.abort());
    expect(await store.get(taskId)).toMatchObject({ status: "working" });

    const abort = new AbortController();
    await engine.run(taskId, () => async () => RESULT, abort.signal);
    abort.abort();
    expect(await store.get(taskId)).toMatchObject({ status: "completed" });
  });

  it("does nothing if the run has ended and its outcome is being stored", async () => {
    const { store, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    const abort = new AbortController();
    const work = heldWork();
    const running = engine.run(taskId, () => work.work, abort.signal);
    await work.begun;
    const replace = store.replace.bind(store);
    vi.spyOn(store, "replace").mockImplementationOnce(async (record) => {
      abort.abort();
      return replace(record);
    });
    work.resolve(RESULT);
    await running;
    expect(await store.get(taskId)).toMatchObject({ status: "completed" });
  });
});

describe("a store that is not available", () => {
  it("leaves a task that it cannot read to the next delivery", async () => {
    const { store, errors, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    failing(store, "get", 1);
    await engine.run(taskId, () => expect.unreachable("not read"));
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("could not be started yet")]);
    await engine.run(taskId, () => async () => RESULT);
    expect(await store.get(taskId)).toMatchObject({ status: "completed" });
  });

  it("leaves a task whose lease it does not take to the next delivery", async () => {
    useFakeTimeouts();
    const { store, errors, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    failing(store, "replace", 7);
    const running = engine.run(taskId, () => expect.unreachable("no lease"));
    await vi.advanceTimersByTimeAsync(10_000);
    await running;
    expect(await store.get(taskId)).toMatchObject({ status: "working" });
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("could not be started yet")]);
  });

  it("gets the result once it is available again", async () => {
    useFakeTimeouts();
    const { store, errors, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    const work = heldWork();
    const running = engine.run(taskId, () => work.work);
    await work.begun;
    failing(store, "replace", 10);
    work.resolve(RESULT);
    await vi.advanceTimersByTimeAsync(60_000);
    await running;
    expect(await store.get(taskId)).toMatchObject({ status: "completed", result: RESULT });
    expect(errors).toEqual([]);
  });

  it("gets the question and the effect of a run once it is available again", async () => {
    useFakeTimeouts();
    const { store, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    const work = heldWork();
    void engine.run(taskId, () => work.work);
    const run = await work.begun;
    failing(store, "replace", 3);
    const [charged, asked] = [run.once("charge", () => "paid"), run.ask("name", { method: "elicitation/create" })];
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await charged).toBe("paid");
    await engine.update(taskId, "alice", { name: { action: "accept" } });
    expect(await asked).toEqual({ action: "accept" });
  });

  it("is not asked for longer than about a minute", async () => {
    useFakeTimeouts();
    const { store, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    const work = heldWork();
    void engine.run(taskId, () => work.work);
    const run = await work.begun;
    vi.spyOn(store, "replace").mockImplementation(() => Promise.reject(away()));
    const charged = run.once("charge", () => "paid").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(90_000);
    expect(await charged).toMatchObject({ code: 429 });
  });

  it("is not asked again by an engine that is closed", async () => {
    useFakeTimeouts();
    const { store, errors, open, create } = openQueue();
    const engine = open();
    const { taskId } = await create(engine);
    const work = heldWork();
    const running = engine.run(taskId, () => work.work);
    await work.begun;
    vi.spyOn(store, "replace").mockImplementation(() => Promise.reject(away()));
    work.resolve(RESULT);
    await everythingSettled();
    await engine.close();
    await running;
    expect(errors.map(({ message }) => message)).toContainEqual(expect.stringContaining("could not be finished"));
  });
});

describe("a task that its process left without a job", () => {
  it("is given to the queue again by recover, and runs as a job", async () => {
    const { store, jobs, open, create } = openQueue();
    const { taskId } = await create(open());
    jobs.length = 0;
    expect(await open().recover(() => undefined)).toEqual({ rerun: 0, failed: 0 });
    expect(jobs).toEqual([taskId]);
    await open().run(taskId, () => async () => RESULT);
    expect(await store.get(taskId)).toMatchObject({ status: "completed" });
  });

  it("is left alone if its queue does not take the job again, and the failure is reported", async () => {
    const { store, errors, open, create } = openQueue();
    const { taskId } = await create(open());
    const full: TaskRunner = { start: () => Promise.reject(new Error("full")), recovers: true };
    await open({ runner: full }).recover(() => undefined);
    await everythingSettled();
    expect(await store.get(taskId)).toMatchObject({ status: "working" });
    expect(errors).toMatchObject([{ message: expect.stringContaining("could not be queued again") }]);
  });

  it("runs as a worker of the queue would, if the runner runs it in this process", async () => {
    const { store, open, create } = openQueue();
    const { taskId } = await create(open());
    const records: TaskRecord[] = [];
    const runner: TaskRunner = { start: (_taskId, run) => run(), recovers: true };
    await open({ runner }).recover((record) => {
      records.push(record);
      return async () => RESULT;
    });
    await vi.waitFor(async () => expect(await store.get(taskId)).toMatchObject({ status: "completed" }));
    expect(records).toMatchObject([{ run: { number: 1 } }]);
  });
});
