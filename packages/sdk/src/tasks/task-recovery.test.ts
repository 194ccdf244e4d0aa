import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limitReached } from "../errors/limit-reached.js";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { CALL, everythingSettled, heldWork, openEngine } from "./task-engine.fixture.js";
import { TaskEngine } from "./task-engine.js";
import type { TaskRun } from "./task-work.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const FORM = { method: "elicitation/create" };

/** An engine over the tasks that another one left. The earlier one was not closed: its process was killed. */
function restarted(store: InMemoryTaskStore) {
  return openEngine({ store });
}

it("a task that is being stored is not recovered; one whose runner has never run it is", async () => {
  const store = new InMemoryTaskStore();
  const create = store.create.bind(store);
  let goOn: () => void = () => undefined;
  store.create = async (record, input) => {
    await create(record, input);
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  };
  const { engine } = openEngine({ store });
  const created = engine.create(CALL, heldWork().work, { runner: { start: () => undefined } });
  await everythingSettled();
  expect(await engine.recover(() => undefined)).toEqual({ rerun: 0, failed: 0 });
  goOn();
  await created;
  expect(await engine.recover(() => undefined)).toEqual({ rerun: 0, failed: 1 });
});

describe("a process that was only suspended while another one took its task up", () => {
  /** Two engines that share a store. The first one hears of no change, as a process that was suspended. */
  async function suspended() {
    const store = new InMemoryTaskStore();
    const watch = vi.spyOn(store, "watch").mockReturnValueOnce(() => undefined);
    const { begin } = openEngine({ store });
    const { task, run, resolve, reject } = await begin();
    watch.mockRestore();
    const { engine } = openEngine({ store });
    const next = heldWork();
    expect(await engine.recover(() => next.work)).toEqual({ rerun: 1, failed: 0 });
    return { store, engine, task, run, resolve, reject, next, rerun: await next.begun };
  }

  it("has no effect of `once` any more", async () => {
    const { run, rerun } = await suspended();
    const effect = vi.fn(() => "first");
    await expect(run.once("charge", effect)).rejects.toMatchObject({ code: "context-ended" });
    expect(effect).not.toHaveBeenCalled();
    expect(await rerun.once("charge", () => "second")).toBe("second");
  });

  it.each([
    [undefined, 5_001],
    [1_000, 167],
  ])(
    "has no effect of `once` if it was suspended after a store with aliveMs %s had confirmed the task",
    async (aliveMs, forMs) => {
      const store = Object.assign(new InMemoryTaskStore(), { aliveMs });
      const watch = vi.spyOn(store, "watch").mockReturnValueOnce(() => undefined);
      const { begin } = openEngine({ store });
      const { run, task } = await begin();
      watch.mockRestore();
      const before = await store.get(task.taskId);
      const now = vi.spyOn(performance, "now");
      vi.spyOn(store, "get").mockImplementationOnce(async () => {
        const { engine } = openEngine({ store });
        await engine.recover(() => heldWork().work);
        now.mockReturnValue(performance.now() + forMs);
        return before;
      });
      const effect = vi.fn();
      await expect(run.once("charge", effect)).rejects.toMatchObject({ code: "context-ended" });
      expect(effect).not.toHaveBeenCalled();
      now.mockRestore();
    },
  );

  it("neither asks nor ends the task", async () => {
    const { engine, task, run, resolve, next } = await suspended();
    await expect(run.ask("name", FORM)).rejects.toMatchObject({ code: "request-aborted" });
    resolve({ content: ["late"] });
    await everythingSettled();
    expect(await engine.get(task.taskId, "alice")).toMatchObject({ status: "working", questions: {} });
    next.resolve({ content: [] });
    const finished = await engine.finished(task.taskId, "alice");
    expect(finished.result).toEqual({ content: [] });
    expect(finished).not.toHaveProperty("takenUp");
  });

  it("is aborted once it hears of that", async () => {
    const store = new InMemoryTaskStore();
    const { begin } = openEngine({ store });
    const { run, task } = await begin();
    const { engine } = openEngine({ store });
    await engine.recover(() => heldWork().work);
    expect(run.signal.reason).toMatchObject({ message: expect.stringContaining(task.taskId) });
  });

  it.each(["waits for a slot", "reads the task"])(
    "does not begin a task that another one takes up while it %s",
    async (moment) => {
      const store = new InMemoryTaskStore();
      const { engine, begin, errors } = openEngine({ store, maxRunning: 1 });
      const busy = await begin();
      const work = vi.fn();
      if (moment === "reads the task") {
        busy.resolve({});
        await everythingSettled();
        const get = store.get.bind(store);
        vi.spyOn(store, "get").mockImplementationOnce(async (taskId) => {
          const before = await get(taskId);
          await openEngine({ store }).engine.recover(() => heldWork().work);
          return before;
        });
      }
      const { taskId } = await engine.create(CALL, work);
      await everythingSettled();
      const { engine: other } = openEngine({ store });
      const next = heldWork();
      if (moment === "waits for a slot") await other.recover(() => next.work);
      busy.resolve({});
      await everythingSettled();
      expect(work).not.toHaveBeenCalled();
      expect((await engine.get(taskId, "alice")).status).toBe("working");
      expect(errors).toEqual([]);
    },
  );

  it("has no effect of `once` for a task that is over", async () => {
    const { engine, task, run } = await suspended();
    await engine.cancel(task.taskId, "alice");
    await expect(run.once("charge", () => expect.unreachable())).rejects.toMatchObject({ code: "context-ended" });
    await engine.recover(() => undefined);
  });
});

describe("after a restart", () => {
  it("a task whose work cannot be made again fails, and the error is reported", async () => {
    const { store, begin } = openEngine();
    const { task } = await begin();
    const { engine: next, errors } = restarted(store);
    const cause = new Error("no such tool");
    const recovered = await next.recover(() => {
      throw cause;
    });
    expect(recovered).toEqual({ rerun: 0, failed: 1 });
    expect(errors).toMatchObject([{ message: `Task ${task.taskId} could not run again`, cause }]);
    expect(await next.get(task.taskId, "alice")).toMatchObject({ status: "failed" });
  });

  it("a finished task is as it was", async () => {
    const { engine, store } = openEngine();
    const { taskId } = await engine.create(CALL, async () => ({ content: [] }));
    const done = await engine.finished(taskId, "alice");
    const { engine: next } = restarted(store);
    expect(await next.recover(vi.fn())).toEqual({ rerun: 0, failed: 0 });
    expect(await next.get(taskId, "alice")).toEqual(done);
  });

  it("a task that may run again does, with the answers and results that it had", async () => {
    const { engine, store, begin } = openEngine();
    const { task, run } = await begin();
    void run.ask("name", FORM);
    await everythingSettled();
    await engine.update(task.taskId, "alice", { name: { action: "accept" } });
    const effect = vi.fn(() => 7);
    await run.once("charge", effect);
    await engine.close();

    const { engine: next } = restarted(store);
    const work = async (again: TaskRun) => ({
      name: await again.ask("name", FORM),
      charge: await again.once("charge", effect),
    });
    const rerun = vi.fn(() => work);
    expect(await next.recover(rerun)).toEqual({ rerun: 1, failed: 0 });
    expect(rerun).toHaveBeenCalledWith(expect.objectContaining({ method: "tools/call" }), { params: CALL.params });
    expect((await next.finished(task.taskId, "alice")).result).toEqual({ name: { action: "accept" }, charge: 7 });
    expect(effect).toHaveBeenCalledOnce();
  });

  it("an open question stays open, and takes its answer before the work asks again", async () => {
    const { engine, store, begin } = openEngine();
    const { task, run } = await begin();
    void run.ask("name", FORM);
    await everythingSettled();
    await engine.close();

    const { engine: next } = restarted(store);
    await next.update(task.taskId, "alice", { name: { action: "accept" } });
    await next.recover(() => async (again) => ({ name: await again.ask("name", FORM) }));
    expect((await next.finished(task.taskId, "alice")).result).toEqual({ name: { action: "accept" } });
  });

  it("a question that changed fails the task", async () => {
    const { engine, store, begin } = openEngine();
    const { task, run } = await begin();
    void run.ask("name", FORM);
    await everythingSettled();
    await engine.close();

    const { engine: next, errors } = restarted(store);
    await next.recover(() => async (again) => again.ask("name", { method: "roots/list" }));
    expect((await next.finished(task.taskId, "alice")).status).toBe("failed");
    expect(errors).toEqual([
      expect.objectContaining({ cause: expect.objectContaining({ code: "questions-changed" }) }),
    ]);
  });

  it.each([
    ["that may not run again", false, () => async () => ({})],
    ["whose tool is gone", true, () => undefined],
    [
      "whose tool cannot be prepared",
      true,
      () => {
        throw new Error("no tool");
      },
    ],
  ])("a task %s fails, and says that the server restarted", async (_, mayRerun, rerun) => {
    const { engine, store, begin } = openEngine();
    const { task } = await begin({ mayRerun });
    await engine.close();
    const { engine: next } = restarted(store);
    expect(await next.recover(rerun)).toEqual({ rerun: 0, failed: 1 });
    expect(await next.get(task.taskId, "alice")).toMatchObject({
      status: "failed",
      statusMessage:
        "The server restarted while the task was running; the work may be half done, so check before you start the task again",
      error: { code: -32_603 },
    });
  });

  it("leaves alone the tasks that this engine runs or is starting", async () => {
    const { engine, store, begin } = openEngine();
    const { task } = await begin();
    const starting = heldWork();
    const recoveries: Promise<unknown>[] = [];
    const stop = store.watch(() => {
      stop();
      recoveries.push(engine.recover(vi.fn()));
    });
    const second = await engine.create(CALL, starting.work);
    expect(await Promise.all(recoveries)).toEqual([{ rerun: 0, failed: 0 }]);
    for (const { taskId } of [task, second]) expect((await engine.get(taskId, "alice")).status).toBe("working");
  });
});

it("says of a queued task whose work the engine does not know that it does not know it", async () => {
  const { engine } = openEngine({ runner: { start: () => undefined } });
  const { taskId } = await engine.create(CALL, heldWork().work);
  await engine.run(taskId, () => undefined);
  expect((await engine.get(taskId, "alice")).statusMessage).toBe(
    "The server that was to run the task does not know its work",
  );
});

describe("a store that is not available for a while", () => {
  const away = () => Promise.reject(limitReached("server", "A store is not available"));

  it("delays the start of a new task", async () => {
    const { engine, store, errors } = openEngine();
    for (let count = 0; count < 3; count += 1) vi.spyOn(store, "get").mockImplementationOnce(away);
    const { taskId } = await engine.create(CALL, async () => ({ content: [] }));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await engine.get(taskId, "alice")).toMatchObject({ status: "completed" });
    expect(errors).toEqual([]);
  });

  it("leaves a task to a later engine if this one closes before the task could be read", async () => {
    const { engine, store, errors } = openEngine();
    const get = vi.spyOn(store, "get").mockImplementation(away);
    const work = vi.fn();
    const { taskId } = await engine.create(CALL, work);
    await everythingSettled();
    await engine.close();
    get.mockRestore();
    await everythingSettled();
    expect(await store.get(taskId)).toMatchObject({ status: "working" });
    expect([work.mock.calls, errors]).toEqual([[], []]);
  });

  it("delays the recovery of a task", async () => {
    const { store, begin } = openEngine();
    const { task } = await begin();
    const { engine, errors } = restarted(store);
    for (let count = 0; count < 3; count += 1) vi.spyOn(store, "input").mockImplementationOnce(away);
    const recovered = engine.recover(() => async () => ({ content: [] }));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await recovered).toEqual({ rerun: 1, failed: 0 });
    expect((await engine.finished(task.taskId, "alice")).status).toBe("completed");
    expect(errors).toEqual([]);
  });

  it("does not run a task that ends before the next recovery", async () => {
    const { engine: first, store, begin } = openEngine();
    const { task } = await begin();
    const { engine } = restarted(store);
    const failing = vi.spyOn(store, "input").mockImplementation(away);
    const recovered = engine.recover(() => async () => ({}));
    await vi.advanceTimersByTimeAsync(90_000);
    await recovered;
    failing.mockRestore();
    await first.cancel(task.taskId, "alice");
    const none = (async function* () {})();
    expect(await engine.recover(() => expect.unreachable("over"), none)).toEqual({ rerun: 0, failed: 0 });
  });

  it.each(["input", "replace"] as const)(
    "leaves a task to the next recovery if %s fails for a minute",
    async (method) => {
      const { store, begin } = openEngine();
      const { task } = await begin();
      const { engine, errors } = restarted(store);
      const failing = vi.spyOn(store, method).mockImplementation(away);
      const work = () => async () => ({ content: [] });
      const recovered = engine.recover(work);
      await vi.advanceTimersByTimeAsync(90_000);
      expect(await recovered).toEqual({ rerun: 0, failed: 0 });
      expect(errors).toMatchObject([{ message: `Task ${task.taskId} could not run again yet` }]);
      failing.mockRestore();
      expect(await engine.get(task.taskId, "alice")).toMatchObject({ status: "working" });

      // The store does not give it again, since this process lives.
      const none = (async function* () {})();
      expect(await engine.recover(work, none)).toEqual({ rerun: 1, failed: 0 });
      expect((await engine.finished(task.taskId, "alice")).status).toBe("completed");
    },
  );
});

describe("closing an engine", () => {
  it("aborts the work, ends the waits, and leaves the tasks for a later engine", async () => {
    const { engine, begin } = openEngine();
    const { task, run, resolve } = await begin();
    const waiting = engine.finished(task.taskId, "alice");
    const refused = expect(waiting).rejects.toMatchObject({ code: "connection-closed" });
    await everythingSettled();
    await engine.close();
    await engine.close();
    await refused;
    expect(run.signal.reason).toMatchObject({ code: "connection-closed" });
    resolve({});
    await everythingSettled();
    expect((await engine.get(task.taskId, "alice")).status).toBe("working");
    for (const call of [
      () => engine.create(CALL, vi.fn()),
      () => engine.finished(task.taskId, "alice"),
      () => engine.recover(vi.fn()),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: "connection-closed" });
    }
    const workOf = vi.fn();
    await engine.run(task.taskId, workOf);
    expect(workOf).not.toHaveBeenCalled();
  });

  it("stores the results of effects that are under way", async () => {
    const { engine, store, begin } = openEngine();
    const { task, run } = await begin();
    let finish: (value: number) => void = () => undefined;
    const charged = run.once(
      "charge",
      () =>
        new Promise<number>((resolve) => {
          finish = resolve;
        }),
    );
    await everythingSettled();
    const closing = engine.close();
    finish(7);
    await closing;
    expect(await charged).toBe(7);
    expect((await store.get(task.taskId))?.once).toEqual({ charge: { value: 7 } });
  });

  it("stores the outcome of work that has just ended", async () => {
    const { engine, store, begin } = openEngine();
    const { task, resolve } = await begin();
    const replace = store.replace.bind(store);
    vi.spyOn(store, "replace").mockImplementation(async (record) => {
      await everythingSettled();
      return replace(record);
    });
    resolve({ content: [] });
    await everythingSettled();
    await engine.close();
    expect((await store.get(task.taskId))?.status).toBe("completed");
  });

  it("waits a second for effects that do not end", async () => {
    const { engine, begin } = openEngine();
    const { run } = await begin();
    void run.once("charge", () => new Promise(() => undefined));
    await everythingSettled();
    const closing = engine.close();
    await everythingSettled();
    vi.advanceTimersByTime(1_000);
    await closing;
  });

  it("lets no work begin afterwards, at whatever moment it is closed", async () => {
    for (let turns = 0; turns < 20; turns += 1) {
      const engine = new TaskEngine();
      const moments: string[] = [];
      const created = engine.create(CALL, async () => {
        moments.push("work");
        return {};
      });
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      moments.push("close");
      await engine.close();
      await created;
      await everythingSettled();
      expect(moments.at(-1)).toBe("close");
      expect(engine.running).toBe(0);
    }
  });

  it("while a task is being started leaves it unfinished, and keeps no timer", async () => {
    const store = new InMemoryTaskStore();
    const engine = new TaskEngine({ store, maxTtlMs: Number.POSITIVE_INFINITY });
    const work = vi.fn();
    const created = engine.create({ ...CALL, ttlMs: null }, work);
    await engine.close();
    const { taskId } = await created;
    await everythingSettled();
    expect(work).not.toHaveBeenCalled();
    expect((await store.get(taskId))?.status).toBe("working");
    expect(vi.getTimerCount()).toBe(0);
  });
});
