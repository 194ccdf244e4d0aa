import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { CALL, everythingSettled, heldWork, openEngine } from "./task-engine.fixture.js";
import { TaskEngine } from "./task-engine.js";
import { type TaskRecord, taskSummary } from "./task-record.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const notFound = { code: -32_602, message: "Task not found: the id is unknown, or the task has expired" };

describe("a task", () => {
  it("is stored before it is returned, and before its work begins", async () => {
    const { engine, store } = openEngine();
    const held = heldWork();
    const task = await engine.create(CALL, held.work);
    expect(await store.get(task.taskId)).toEqual(task);
    expect(task).toMatchObject({ status: "working", principal: "alice", method: "tools/call", pollIntervalMs: 1_000 });
    expect((await held.begun).taskId).toBe(task.taskId);
  });

  it("is completed with the result of its work", async () => {
    const { engine } = openEngine();
    const { taskId } = await engine.create(CALL, async () => ({ isError: true, content: [] }));
    const done = await engine.finished(taskId, "alice");
    expect(done).toMatchObject({ status: "completed", result: { isError: true, content: [] } });
    expect(await engine.get(taskId, "alice")).toEqual(done);
  });

  it("fails with the protocol error of its work", async () => {
    const { engine, errors } = openEngine();
    const { taskId } = await engine.create(CALL, async () => {
      throw new ProtocolError(-32_000, "Rate limit", { data: { retry: 1 } });
    });
    expect(await engine.finished(taskId, "alice")).toMatchObject({
      status: "failed",
      statusMessage: "Rate limit",
      error: { code: -32_000, message: "Rate limit", data: { retry: 1 } },
    });
    expect(errors).toEqual([]);
  });

  it.each([
    ["throws something else", () => Promise.reject(new Error("secret"))],
    [
      "throws at once",
      () => {
        throw new Error("secret");
      },
    ],
    ["returns no object", async () => "secret" as never],
  ])("fails with -32603 if its work %s, and reports it", async (_, work) => {
    const { engine, errors } = openEngine();
    const { taskId } = await engine.create(CALL, work);
    const done = await engine.finished(taskId, "alice");
    expect(done).toMatchObject({ status: "failed", error: { code: -32_603, message: "Internal error" } });
    expect(JSON.stringify(done)).not.toContain("secret");
    expect(errors).toEqual([expect.objectContaining({ code: "handler-failed" })]);
  });

  it("exists for its principal alone", async () => {
    const { engine, begin } = openEngine();
    const { task } = await begin();
    for (const other of ["bob", undefined]) {
      await expect(engine.get(task.taskId, other)).rejects.toMatchObject(notFound);
      await expect(engine.update(task.taskId, other, {})).rejects.toMatchObject(notFound);
      await expect(engine.cancel(task.taskId, other)).rejects.toMatchObject(notFound);
      await expect(engine.finished(task.taskId, other)).rejects.toMatchObject(notFound);
      expect((await engine.list(other)).tasks).toEqual([]);
    }
    expect((await engine.list("alice")).tasks).toEqual([taskSummary(task)]);
  });

  it.each(["", "unknown", "0".repeat(40), undefined as never])("with the id %j is not found", async (taskId) => {
    const { engine } = openEngine();
    await expect(engine.get(taskId, "alice")).rejects.toMatchObject(notFound);
    await expect(engine.update(taskId, "alice", {})).rejects.toMatchObject(notFound);
    await expect(engine.cancel(taskId, "alice")).rejects.toMatchObject(notFound);
    await expect(engine.finished(taskId, "alice")).rejects.toMatchObject(notFound);
  });

  it("that is finished is waited for by nobody, however many may wait", async () => {
    const { engine, begin } = openEngine({ maxWaiters: 1 });
    const { taskId } = await engine.create(CALL, async () => ({ content: [] }));
    await engine.finished(taskId, "alice");
    const { task, resolve } = await begin();
    const waiting = engine.finished(task.taskId, "alice");
    await everythingSettled();
    expect((await engine.finished(taskId, "alice")).status).toBe("completed");
    resolve({});
    await waiting;
  });

  it("with an id that cannot be one is not looked for", async () => {
    const { engine, store } = openEngine();
    const get = vi.spyOn(store, "get");
    await expect(engine.get("x".repeat(40), "alice")).rejects.toMatchObject(notFound);
    await expect(engine.cancel("x".repeat(40), "alice")).rejects.toMatchObject(notFound);
    expect(get).not.toHaveBeenCalled();
  });

  it("is listed with others page by page", async () => {
    const { engine } = openEngine({ pageSize: 2 });
    const tasks: TaskRecord[] = [];
    for (let count = 0; count < 3; count += 1) tasks.push(await engine.create(CALL, heldWork().work));
    const first = await engine.list("alice");
    const second = await engine.list("alice", first.nextCursor);
    expect([...first.tasks, ...second.tasks]).toEqual(tasks.map(taskSummary));
    await expect(engine.list("alice", "nonsense")).rejects.toMatchObject({ code: -32_602 });
  });
});

describe("a cancelled task", () => {
  it("is cancelled at once, and its work is told", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const asked = run.ask("name", {});
    const cancelled = await engine.cancel(task.taskId, "alice");
    expect(cancelled).toMatchObject({
      isCancelled: true,
      record: { status: "cancelled", statusMessage: "The task was cancelled by request." },
    });
    expect(run.signal.reason).toMatchObject({ code: "request-aborted" });
    await expect(asked).rejects.toBe(run.signal.reason);
  });

  it("stays cancelled whatever its work does then", async () => {
    const { engine, begin, errors } = openEngine();
    for (const end of ["resolve", "reject"] as const) {
      const { run, task, ...held } = await begin();
      const { record } = await engine.cancel(task.taskId, "alice", "Enough");
      run.status("Still there");
      await expect(run.ask("name", {})).rejects.toBe(run.signal.reason);
      await expect(run.once("charge", () => 7)).rejects.toBe(run.signal.reason);
      held[end]({ content: [] });
      await everythingSettled();
      vi.advanceTimersByTime(1_000);
      await everythingSettled();
      expect(await engine.get(task.taskId, "alice")).toEqual(record);
    }
    expect(errors).toEqual([]);
  });

  it("says so if it was finished before", async () => {
    const { engine } = openEngine();
    const { taskId } = await engine.create(CALL, async () => ({}));
    const done = await engine.finished(taskId, "alice");
    expect(await engine.cancel(taskId, "alice")).toEqual({ record: done, isCancelled: false });
  });

  it("whose work has not begun never runs it", async () => {
    const { engine, begin } = openEngine({ maxRunning: 1 });
    const first = await begin();
    const work = vi.fn();
    const { taskId } = await engine.create(CALL, work);
    await engine.cancel(taskId, "alice");
    first.resolve({});
    await everythingSettled();
    expect(work).not.toHaveBeenCalled();
    expect(engine.running).toBe(0);
  });

  it("that is cancelled in the moment in which it is created never runs", async () => {
    const { engine, store } = openEngine();
    const work = vi.fn();
    const stop = store.watch(({ taskId }) => {
      stop();
      void engine.cancel(taskId, "alice");
    });
    const { taskId } = await engine.create(CALL, work);
    expect((await engine.finished(taskId, "alice")).status).toBe("cancelled");
    await everythingSettled();
    expect(work).not.toHaveBeenCalled();
    expect(engine.running).toBe(0);
  });

  it("that is cancelled in the moment in which it gets its turn never runs", async () => {
    const { engine, begin } = openEngine({ maxRunning: 1 });
    const first = await begin();
    const work = vi.fn();
    const { taskId } = await engine.create(CALL, work);
    await everythingSettled();
    const stop = engine.watch((record) => {
      if (record.taskId !== first.task.taskId) return;
      stop();
      void engine.cancel(taskId, "alice");
    });
    first.resolve({});
    await everythingSettled();
    expect(work).not.toHaveBeenCalled();
    expect(engine.running).toBe(0);
  });
});

describe("the time to live", () => {
  it.each([
    [undefined, 3_600_000],
    [5_000, 5_000],
    [1.5, 1],
    [0, 1],
    [-1, 1],
    [Number.NaN, 1],
    [1e12, 86_400_000],
    [null, 86_400_000],
  ])("asked for as %j is %j", async (asked, ttlMs) => {
    const { engine } = openEngine();
    expect((await engine.create({ ...CALL, ttlMs: asked }, heldWork().work)).ttlMs).toBe(ttlMs);
  });

  it("has no end where the engine allows that", async () => {
    const { engine } = openEngine({ maxTtlMs: Number.POSITIVE_INFINITY });
    expect((await engine.create({ ...CALL, ttlMs: null }, heldWork().work)).ttlMs).toBeNull();
  });

  it("ends the work and the waits when it is over, and the task is gone", async () => {
    const { engine, store, begin } = openEngine();
    const { run, task, resolve } = await begin({ ttlMs: 1_000 });
    const waiting = engine.finished(task.taskId, "alice");
    const refused = expect(waiting).rejects.toMatchObject(notFound);
    await everythingSettled();
    vi.advanceTimersByTime(999);
    expect(run.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(run.signal.reason).toMatchObject({ code: "request-timeout" });
    await refused;
    await expect(engine.get(task.taskId, "alice")).rejects.toMatchObject(notFound);
    expect(store.size).toBe(0);
    resolve({});
    await everythingSettled();
    expect(store.size).toBe(0);
    expect(engine.running).toBe(0);
  });

  it("ends the waits of an engine that does not run the task", async () => {
    const { store, begin } = openEngine();
    const other = new TaskEngine({ store });
    const { task } = await begin({ ttlMs: 1_000 });
    const refused = expect(other.finished(task.taskId, "alice")).rejects.toMatchObject(notFound);
    await everythingSettled();
    vi.advanceTimersByTime(1_000);
    await refused;
  });

  it("is left to the store once no engine runs the task or waits for it", async () => {
    const { store, begin } = openEngine();
    const other = new TaskEngine({ store });
    const { task, resolve } = await begin({ ttlMs: 1_000 });
    const waiting = other.finished(task.taskId, "alice");
    await everythingSettled();
    resolve({});
    await waiting;
    const remove = vi.spyOn(store, "delete");
    vi.advanceTimersByTime(1_000);
    expect(remove).not.toHaveBeenCalled();
  });

  it("is read off the clock that was given", async () => {
    let now = 5_000;
    const engine = new TaskEngine({ now: () => now });
    const { taskId, createdAt } = await engine.create({ ...CALL, ttlMs: 1_000 }, heldWork().work);
    expect(createdAt).toBe(5_000);
    now = 6_000;
    await expect(engine.get(taskId, "alice")).rejects.toMatchObject(notFound);
  });

  it("leaves no timer behind once all is finished", async () => {
    const { engine, begin } = openEngine({ maxTtlMs: Number.POSITIVE_INFINITY });
    const { resolve, task } = await begin({ ttlMs: null });
    resolve({});
    await engine.finished(task.taskId, "alice");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("waiting for the end of a task", () => {
  it("serves many who wait", async () => {
    const { engine, begin } = openEngine();
    const { task, resolve } = await begin();
    const waits = Array.from({ length: 20 }, () => engine.finished(task.taskId, "alice"));
    await everythingSettled();
    resolve({ content: [] });
    for (const record of await Promise.all(waits)) expect(record.status).toBe("completed");
  });

  it("ends with the signal of the one who waits", async () => {
    const { engine, begin } = openEngine();
    const { task, resolve } = await begin();
    const controller = new AbortController();
    const stopped = engine.finished(task.taskId, "alice", controller.signal);
    const other = engine.finished(task.taskId, "alice", new AbortController().signal);
    await everythingSettled();
    controller.abort(new Error("gone"));
    await expect(stopped).rejects.toThrow("gone");
    await expect(engine.finished(task.taskId, "alice", controller.signal)).rejects.toThrow("gone");
    resolve({});
    expect((await other).status).toBe("completed");
  });

  it("notices an end that comes while it begins", async () => {
    const { engine, store, begin } = openEngine();
    const { task } = await begin();
    const read = store.get.bind(store);
    vi.spyOn(store, "get").mockImplementationOnce(async (taskId) => {
      const before = await read(taskId);
      await engine.cancel(taskId, "alice");
      return before;
    });
    expect((await engine.finished(task.taskId, "alice")).status).toBe("cancelled");
  });

  it("notices a signal that aborts while it begins", async () => {
    const { engine, begin } = openEngine();
    const { task } = await begin();
    const controller = new AbortController();
    const stopped = engine.finished(task.taskId, "alice", controller.signal);
    controller.abort(new Error("gone"));
    await expect(stopped).rejects.toThrow("gone");
  });

  it("is for a bounded number, of a principal and in all", async () => {
    const { engine, begin } = openEngine({ maxWaiters: 3, maxWaitersPerPrincipal: 2 });
    const [first, second] = [await begin(), await begin({ principal: "bob" })];
    const wait = (principal: string, { taskId }: TaskRecord) => engine.finished(taskId, principal);
    const waits = [wait("alice", first.task), wait("alice", first.task)];
    await everythingSettled();
    await expect(wait("alice", first.task)).rejects.toMatchObject({ code: 429, data: { limit: "principal" } });
    waits.push(wait("bob", second.task));
    await everythingSettled();
    await expect(wait("bob", second.task)).rejects.toMatchObject({ code: 429, data: { limit: "server" } });
    first.resolve({});
    second.resolve({});
    await Promise.all(waits);
    expect((await wait("alice", first.task)).status).toBe("completed");
  });
});

describe("watching tasks", () => {
  it("ends with the engine, also for changes of other engines", async () => {
    const { engine, store } = openEngine();
    const seen = vi.fn();
    engine.watch(seen);
    await engine.close();
    await new TaskEngine({ store }).create(CALL, heldWork().work);
    expect(seen).not.toHaveBeenCalled();
  });

  it("tells every visible change in its order, until it stops", async () => {
    const { engine, begin } = openEngine();
    const heard: string[] = [];
    const stop = engine.watch(({ status, statusMessage }) => heard.push(`${status} ${statusMessage}`));
    const { run, task, resolve } = await begin();
    run.status("Half");
    await everythingSettled();
    await run.once("charge", () => 7);
    const asked = run.ask("name", {});
    await everythingSettled();
    await engine.update(task.taskId, "alice", { name: {} });
    await asked;
    resolve({});
    await engine.finished(task.taskId, "alice");
    stop();
    await begin();
    expect(heard).toEqual([
      "working undefined",
      "working Half",
      "input_required Half",
      "working Half",
      "completed undefined",
    ]);
  });

  it("reports listeners that fail, and goes on", async () => {
    const { engine, errors } = openEngine();
    engine.watch(() => {
      throw new Error("listener");
    });
    const heard = vi.fn();
    engine.watch(heard);
    await engine.create(CALL, heldWork().work);
    expect(heard).toHaveBeenCalledOnce();
    expect(errors).toEqual([expect.objectContaining({ message: "A listener for tasks failed" })]);
  });
});

it("rejects a creation with the error of its store", async () => {
  const { engine, store } = openEngine();
  const full = new Error("disk full");
  vi.spyOn(store, "create").mockRejectedValueOnce(full);
  await expect(engine.create(CALL, vi.fn())).rejects.toBe(full);
  const conflict = new SdkError("invalid-argument", "no such folder");
  vi.spyOn(store, "create").mockRejectedValueOnce(conflict);
  await expect(engine.create(CALL, vi.fn())).rejects.toBe(conflict);
});
