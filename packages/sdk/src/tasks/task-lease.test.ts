import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { CALL, everythingSettled, heldWork } from "./task-engine.fixture.js";
import { TaskEngine } from "./task-engine.js";

/** Two workers of a queue that share a store and a clock, and a task that was queued. */
async function workers(mayRerun = true) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = { now: 1_000 };
  const store = new InMemoryTaskStore({ now: () => clock.now });
  const errors: Error[] = [];
  const open = () =>
    new TaskEngine({
      store,
      now: () => clock.now,
      leaseMs: 30_000,
      runner: { start: () => undefined },
      onError: (error) => errors.push(error),
    });
  const [first, second] = [open(), open()];
  const { taskId } = await first.create({ ...CALL, mayRerun }, () => Promise.reject(new Error("not here")));
  const work = heldWork();
  const running = first.run(taskId, () => work.work);
  const run = await work.begun;
  return { clock, store, errors, first, second, taskId, work, run, running };
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
    const { clock, second, store, taskId } = await workers(false);
    await second.run(taskId, () => () => Promise.resolve(RESULT));
    expect(await store.get(taskId)).toMatchObject({ status: "working" });

    clock.now += 30_000;
    await second.run(taskId, () => () => Promise.resolve(RESULT));
    expect(await store.get(taskId)).toMatchObject({ status: "failed" });
  });

  it("runs again at once if the first worker was closed", async () => {
    const { first, second, store, taskId } = await workers();
    await first.close();
    await second.run(taskId, () => () => Promise.resolve(RESULT));
    expect(await store.get(taskId)).toMatchObject({ status: "completed" });
  });
});

describe("a run whose store tells it late", () => {
  it("stores no effect, no question and no message after another run has begun", async () => {
    const { clock, store, errors, taskId, run } = await workers();
    const record = await store.get(taskId);
    clock.now += 30_000;
    // Changed without a notification, as by a process whose message is under way.
    vi.spyOn(store, "get").mockImplementation(async () => ({
      ...(record as NonNullable<typeof record>),
      run: { number: 2, until: clock.now + 30_000 },
    }));

    await expect(run.once("charge", () => "late")).rejects.toThrow("Another worker has begun");
    await expect(run.ask("name", { method: "elicitation/create" })).rejects.toThrow("Another worker has begun");
    run.status("late");
    await everythingSettled();
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("Another worker has begun")]);
  });

  it("ends with its next renewal", async () => {
    const { clock, store, taskId, run } = await workers();
    const record = await store.get(taskId);
    vi.spyOn(store, "get").mockImplementation(async () => ({
      ...(record as NonNullable<typeof record>),
      run: { number: 2, until: clock.now + 30_000 },
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
