import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { CALL, everythingSettled, heldWork } from "./task-engine.fixture.js";
import { TaskEngine } from "./task-engine.js";

type FakeMethod = "setTimeout" | "clearTimeout";

interface WorkersOptions {
  readonly mayRerun?: boolean;
  /** Whether the first worker hears of no change, as a process that was suspended. */
  readonly isDeaf?: boolean;
  readonly fakes?: FakeMethod[];
}

/** Two workers of a queue that share a store and a clock. The first one runs one task at a time. */
function openWorkers({ mayRerun = true, isDeaf = false, fakes = [] }: WorkersOptions) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", ...fakes] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = { now: 10_000_000 };
  const store = new InMemoryTaskStore({ now: () => clock.now });
  if (isDeaf) vi.spyOn(store, "watch").mockReturnValueOnce(() => undefined);
  const errors: Error[] = [];
  const open = (maxRunning: number) =>
    new TaskEngine({
      store,
      now: () => clock.now,
      leaseMs: 30_000,
      maxRunning,
      runner: { start: () => undefined },
      onError: (error) => errors.push(error),
    });
  const [first, second] = [open(1), open(2)];
  const queue = async () =>
    (await first.create({ ...CALL, mayRerun }, () => Promise.reject(new Error("not here")))).taskId;
  return { clock, store, errors, first, second, queue };
}

/** Two workers, and a task that the first one runs. */
async function workers(options: WorkersOptions = {}) {
  const opened = openWorkers(options);
  const { first, queue } = opened;
  const taskId = await queue();
  const work = heldWork();
  const running = first.run(taskId, () => work.work);
  const run = await work.begun;
  return { ...opened, taskId, work, run, running };
}

const RESULT = { content: [] };

describe("a task that a queue delivers to a second worker", () => {
  it("is left to the worker that runs it, as long as that one lives", async () => {
    const { clock, second, store, taskId, work, running } = await workers();
    const again = vi.fn();

    for (let minute = 0; minute < 3; minute += 1) {
      clock.now += 20_000;
      await vi.advanceTimersByTimeAsync(20_000);
      await everythingSettled();
      await second.run(taskId, () => again);
    }
    expect(again).not.toHaveBeenCalled();
    work.resolve(RESULT);
    await running;
    expect(await store.get(taskId)).toMatchObject({ status: "completed", result: RESULT });
  });

  it("runs again once its lease has passed, and the first run changes nothing any more", async () => {
    const { clock, second, store, taskId, work, run, running } = await workers();
    await run.once("charge", () => "first");
    clock.now += 30_000;
    const next = heldWork();
    const rerun = second.run(taskId, () => next.work);
    const secondRun = await next.begun;

    expect(run.signal.reason).toMatchObject({ code: "request-aborted", message: expect.stringContaining(taskId) });
    expect(await secondRun.once("charge", () => "second")).toBe("first");
    work.resolve({ content: ["late"] });
    await running;
    expect(await store.get(taskId)).toMatchObject({ status: "working" });
    next.resolve(RESULT);
    await rerun;
    expect(await store.get(taskId)).toMatchObject({ status: "completed", result: RESULT });
  });

  it("fails once its lease has passed, if it may not run again", async () => {
    const { clock, second, store, taskId } = await workers({ mayRerun: false });
    await second.run(taskId, () => () => Promise.resolve(RESULT));
    expect(await store.get(taskId)).toMatchObject({ status: "working" });

    clock.now += 30_000;
    await second.run(taskId, () => () => Promise.resolve(RESULT));
    expect(await store.get(taskId)).toMatchObject({ status: "failed" });
  });

  it("runs in one of two workers that get it at the same moment", async () => {
    const { first, second, store, errors, queue } = openWorkers({});
    const taskId = await queue();
    const work = vi.fn(async () => RESULT);
    await Promise.all([first.run(taskId, () => work), second.run(taskId, () => work)]);
    expect(work).toHaveBeenCalledTimes(1);
    expect(await store.get(taskId)).toMatchObject({ status: "completed", result: RESULT });
    expect(errors).toEqual([]);
  });

  it("is taken up by a worker that left it to another one before", async () => {
    const { first, second, taskId } = await workers();
    await second.run(taskId, () => expect.unreachable("another worker runs it"));
    await first.close();
    expect(await second.recover(() => async () => RESULT)).toEqual({ rerun: 1, failed: 0 });
  });

  it("runs again at once if the first worker was closed", async () => {
    const { first, second, store, taskId } = await workers();
    await first.close();
    await second.run(taskId, () => () => Promise.resolve(RESULT));
    expect(await store.get(taskId)).toMatchObject({ status: "completed" });
  });
});

describe("a task that a worker has not begun", () => {
  it("is free for other workers while it waits for a slot", async () => {
    const { first, second, store, queue } = await workers({ mayRerun: false });
    const taskId = await queue();
    const work = vi.fn();
    const waiting = first.run(taskId, () => work);
    await everythingSettled();

    await second.run(taskId, () => () => Promise.resolve(RESULT));
    await waiting;
    expect(await store.get(taskId)).toMatchObject({ status: "completed", result: RESULT });
    expect(work).not.toHaveBeenCalled();
  });

  it("is left at once to the worker that runs it, also by one without a slot", async () => {
    const { first, second, queue } = await workers();
    const taskId = await queue();
    const work = heldWork();
    void second.run(taskId, () => work.work);
    await work.begun;
    await first.run(taskId, () => expect.unreachable("another worker runs it"));
  });

  it("runs in the next worker, at whatever moment the first one is closed", async () => {
    const ends = new Set<string>();
    for (let turns = 0; turns < 40; turns += 1) {
      const { first, second, store, queue } = openWorkers({ mayRerun: false });
      const taskId = await queue();
      const work = vi.fn(() => new Promise<never>(() => undefined));
      const running = first.run(taskId, () => work);
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      await first.close();
      await running;

      await second.run(taskId, () => () => Promise.resolve(RESULT));
      const { status = "gone" } = (await store.get(taskId)) ?? {};
      expect(status).toBe(work.mock.calls.length === 0 ? "completed" : "failed");
      ends.add(status);
    }
    expect(ends).toEqual(new Set(["completed", "failed"]));
  });
});

describe("a lease that the store fails to take", () => {
  it("is taken by a later attempt", async () => {
    const { first, store, errors, queue } = openWorkers({ fakes: ["setTimeout", "clearTimeout"] });
    const taskId = await queue();
    const replace = vi.spyOn(store, "replace");
    for (let count = 0; count < 6; count += 1) replace.mockRejectedValueOnce(new Error("offline"));
    const running = first.run(taskId, () => () => Promise.resolve(RESULT));
    await vi.advanceTimersByTimeAsync(10_000);
    await running;
    expect(await store.get(taskId)).toMatchObject({ status: "completed", result: RESULT });
    expect(errors).toEqual([]);
  });

  it("fails the task with the reason after seven attempts", async () => {
    const { first, store, errors, queue } = openWorkers({ fakes: ["setTimeout", "clearTimeout"] });
    const taskId = await queue();
    const replace = vi.spyOn(store, "replace");
    for (let count = 0; count < 7; count += 1) replace.mockRejectedValueOnce(new Error("offline"));
    const running = first.run(taskId, () => expect.unreachable("no lease"));
    await vi.advanceTimersByTimeAsync(10_000);
    await running;
    expect(await store.get(taskId)).toMatchObject({
      status: "failed",
      statusMessage: expect.stringContaining("its store failed several times"),
    });
    expect(errors).toMatchObject([{ cause: { message: "offline" } }]);
  });

  it("is reported, and the task left to others, if the worker is closed meanwhile", async () => {
    const { first, store, errors, queue } = openWorkers({});
    const taskId = await queue();
    let fail: (error: Error) => void = () => expect.unreachable("no lease was asked for");
    vi.spyOn(store, "replace").mockImplementationOnce(() => new Promise((_resolve, reject) => (fail = reject)));
    const running = first.run(taskId, () => expect.unreachable("no lease"));
    await everythingSettled();
    const closing = first.close();
    fail(new Error("offline"));
    await Promise.all([closing, running]);
    await everythingSettled();
    expect(await store.get(taskId)).toMatchObject({ status: "working" });
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("could not be taken")]);
  });
});

describe("a worker whose work ignores its signal", () => {
  it("ends the delivery whose lease it lost, and leaves the task to the other worker", async () => {
    const { clock, first, second, taskId, run, running } = await workers();
    clock.now += 30_000;
    const next = heldWork();
    void second.run(taskId, () => next.work);
    await next.begun;

    await running;
    expect(run.signal.aborted).toBe(true);
    expect(first.running).toBe(1);
    await first.run(taskId, () => expect.unreachable("another worker runs it"));
  });

  it("takes the task again once its lease is free", async () => {
    const { clock, first, second, store, queue } = openWorkers({});
    const taskId = await queue();
    const [stuck, next] = [heldWork(), heldWork()];
    void second.run(taskId, () => stuck.work);
    await stuck.begun;
    clock.now += 30_000;
    void first.run(taskId, () => next.work);
    await next.begun;
    await first.close();

    await second.run(taskId, () => () => Promise.resolve(RESULT));
    expect(await store.get(taskId)).toMatchObject({ status: "completed", result: RESULT });
    expect(second.running).toBe(1);
  });
});

describe("an effect of a worker that was suspended", () => {
  it("does not run after another worker has begun the task", async () => {
    const { clock, second, taskId, run } = await workers({ isDeaf: true });
    clock.now += 30_000;
    const next = heldWork();
    void second.run(taskId, () => next.work);
    await (await next.begun).once("charge", () => "second");

    const effect = vi.fn();
    await expect(run.once("charge", effect)).rejects.toThrow("Another worker has begun");
    expect(effect).not.toHaveBeenCalled();
  });

  it("does not run after another worker has ended the task", async () => {
    const { clock, second, taskId, run } = await workers({ isDeaf: true });
    clock.now += 30_000;
    await second.run(taskId, () => () => Promise.resolve(RESULT));

    const effect = vi.fn();
    await expect(run.once("charge", effect)).rejects.toMatchObject({ code: "context-ended" });
    expect(effect).not.toHaveBeenCalled();
  });

  it("does not run after the task has expired", async () => {
    const { clock, run } = await workers({ isDeaf: true });
    clock.now += 3_600_000;

    const effect = vi.fn();
    await expect(run.once("charge", effect)).rejects.toMatchObject({ code: "context-ended" });
    expect(effect).not.toHaveBeenCalled();
  });

  it.each([20_000, 3_000_000, -3_000_000])("runs with a lease that was extended, %i ms later", async (ms) => {
    const { clock, store, taskId, run } = await workers({ isDeaf: true });
    clock.now += ms;

    const until = async () => (await store.get(taskId))?.run?.until;
    expect(await run.once("charge", until)).toBe(clock.now + 30_000);
  });

  it("runs without a change of the lease if no renewal is missing", async () => {
    const { clock, store, taskId, run } = await workers();
    clock.now += 19_999;

    const until = async () => (await store.get(taskId))?.run?.until;
    expect(await run.once("charge", until)).toBe(clock.now + 10_001);
  });

  it("does not run if the lease cannot be extended", async () => {
    const { clock, store, run } = await workers();
    clock.now += 30_000;
    vi.spyOn(store, "replace").mockRejectedValueOnce(new Error("offline"));

    const effect = vi.fn();
    await expect(run.once("charge", effect)).rejects.toThrow("offline");
    expect(effect).not.toHaveBeenCalled();
  });

  it("does not run if the worker is closed while the lease is extended", async () => {
    const { clock, first, run } = await workers();
    clock.now += 30_000;

    const effect = vi.fn();
    const charged = run.once("charge", effect);
    await first.close();
    await expect(charged).rejects.toMatchObject({ code: "connection-closed" });
    expect(effect).not.toHaveBeenCalled();
  });
});

describe("a run whose store tells it late", () => {
  it("stores no effect, no question and no message after another run has begun", async () => {
    const { clock, store, errors, taskId, run } = await workers();
    const record = await store.get(taskId);
    // Changed without a notification, as by a process whose message is under way.
    vi.spyOn(store, "get").mockImplementation(async () => ({
      ...(record as NonNullable<typeof record>),
      run: { number: 2, until: clock.now + 30_000, isRerun: true },
    }));

    await expect(run.once("charge", () => "late")).rejects.toThrow("Another worker has begun");
    await expect(run.ask("name", { method: "elicitation/create" })).rejects.toThrow("Another worker has begun");
    run.status("late");
    await everythingSettled();
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("Another worker has begun")]);
  });

  it("gets the answer to a question that it asks again", async () => {
    const { second, taskId, run } = await workers({ isDeaf: true });
    const question = { method: "elicitation/create" };
    const asked = run.ask("name", question);
    await everythingSettled();
    await second.update(taskId, "alice", { name: { action: "accept" } });

    expect(await run.ask("name", question)).toEqual({ action: "accept" });
    expect(await asked).toEqual({ action: "accept" });
  });

  it("ends with its next renewal", async () => {
    const { clock, store, taskId, run } = await workers();
    const record = await store.get(taskId);
    vi.spyOn(store, "get").mockImplementation(async () => ({
      ...(record as NonNullable<typeof record>),
      run: { number: 2, until: clock.now + 30_000, isRerun: true },
    }));
    await vi.advanceTimersByTimeAsync(10_000);
    await everythingSettled();
    expect(run.signal.aborted).toBe(true);
  });

  it("reports a renewal that failed, and goes on", async () => {
    const { store, errors, run } = await workers();
    vi.spyOn(store, "replace").mockRejectedValueOnce(new Error("offline"));
    await vi.advanceTimersByTimeAsync(10_000);
    await everythingSettled();
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("could not be extended")]);
    expect(run.signal.aborted).toBe(false);
  });
});
