import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { CallSubscription } from "../../routing/result-type.js";
import { taskIds } from "./task-ids.js";
import type { DetailedTask } from "./task-messages.js";
import { type TaskUpdateCall, TaskUpdates } from "./task-updates.js";

const WORKING: DetailedTask = {
  taskId: "t1",
  status: "working",
  createdAt: "2026-07-28T00:00:00.000Z",
  lastUpdatedAt: "2026-07-28T00:00:00.000Z",
  ttlMs: null,
  pollIntervalMs: 100,
};
const changed = (statusMessage: string) => ({
  kind: "extension",
  filter: "taskIds",
  topic: "t1",
  params: { ...WORKING, statusMessage },
});

/** A listen stream whose next change, end or error the test decides. */
function streaming(honored: readonly string[] = ["t1"]) {
  const pending = { yield: (_change: { kind: string }) => {}, end: () => {}, fail: (_error: Error) => {} };
  const close = vi.fn(async () => undefined);
  const subscription: CallSubscription = {
    honored: { extensions: [taskIds.of([...honored])] },
    close,
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve, reject) => {
          pending.yield = (value) => resolve({ done: false, value });
          pending.end = () => resolve({ done: true, value: undefined });
          pending.fail = reject;
        }),
    }),
  };
  return { subscription, pending, close };
}

/** Updates of a task that a server shows as working, with the number of polls so far. */
function updating(listen: TaskUpdateCall["listen"], signal: AbortSignal = new AbortController().signal) {
  const request = vi.fn(async () => WORKING);
  const updates = new TaskUpdates("t1", { request, listen } as unknown as TaskUpdateCall, signal);
  return { updates, polls: () => request.mock.calls.length };
}

/** Updates of a task whose listen stream is open and whose state was polled since. */
async function listening() {
  const stream = streaming();
  const updated = updating(async () => stream.subscription);
  await within(100, updated.updates);
  await within(0, updated.updates);
  return { ...stream, ...updated };
}

/** The next state, which arrives within so many milliseconds. */
async function within(ms: number, updates: TaskUpdates): Promise<DetailedTask> {
  const state = updates.next(WORKING);
  state.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(ms);
  return state;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("listens after the first poll, polls once the stream is open, and then hears of changes", async () => {
  const { subscription, pending } = streaming();
  const listen = vi.fn(async () => subscription);
  const { updates, polls } = updating(listen);
  expect(listen).not.toHaveBeenCalled();
  await within(100, updates);
  expect(listen).toHaveBeenCalledTimes(1);
  await within(0, updates);
  expect(polls()).toBe(2);
  for (const message of ["half", "nearly"]) {
    const heard = updates.next(WORKING);
    pending.yield(changed(message));
    expect((await heard).statusMessage).toBe(message);
  }
  expect(polls()).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

it("polls every 30 seconds while the stream is open", async () => {
  const { updates, polls } = await listening();
  const state = updates.next(WORKING);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(polls()).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  await state;
  expect(polls()).toBe(3);
});

it("ignores the states of other tasks, however many arrive", async () => {
  const { updates, polls, pending } = await listening();
  const other = { ...changed("done"), params: { ...WORKING, taskId: "t2", status: "completed" } };
  const state = updates.next(WORKING);
  for (let sent = 0; sent < 100; sent += 1) {
    pending.yield(other);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(polls()).toBe(2);
  pending.yield(changed("half"));
  expect((await state).statusMessage).toBe("half");
});

it("polls after 30 seconds of states of other tasks", async () => {
  const { updates, polls, pending } = await listening();
  const state = updates.next(WORKING);
  vi.setSystemTime(Date.now() + 30_000);
  pending.yield({ ...changed("done"), params: { ...WORKING, taskId: "t2" } } as never);
  await state;
  expect(polls()).toBe(3);
});

it("refuses an answer about another task", async () => {
  const request = async () => ({ ...WORKING, taskId: "t2" });
  const call = { request, listen: async () => undefined } as unknown as TaskUpdateCall;
  const updates = new TaskUpdates("t1", call, new AbortController().signal);
  await expect(within(100, updates)).rejects.toMatchObject({
    code: "invalid-result",
    message: expect.stringContaining("not t1"),
  });
});

it("polls once per interval if notifications may have been lost", async () => {
  const { updates, polls, pending } = await listening();
  for (let poll = 3; poll <= 5; poll += 1) {
    const state = updates.next(WORKING);
    pending.yield({ kind: "restored" });
    await vi.advanceTimersByTimeAsync(99);
    expect(polls()).toBe(poll - 1);
    await vi.advanceTimersByTimeAsync(1);
    await state;
    expect(polls()).toBe(poll);
  }
});

it.each(["ends", "fails"] as const)("polls at the usual interval after the stream %s", async (how) => {
  const { updates, polls, pending, close } = await listening();
  if (how === "ends") pending.end();
  else pending.fail(new Error("lost"));
  await within(0, updates);
  await within(100, updates);
  expect(polls()).toBe(4);
  expect(close).toHaveBeenCalledTimes(1);
});

it.each([
  ["refuses to listen", () => Promise.reject(new Error("too many streams"))],
  ["has no room", async () => undefined],
  ["honors other tasks only", async () => streaming(["t2"]).subscription],
  ["honors no tasks", async () => ({ ...streaming().subscription, honored: {} })],
])("polls if the peer %s", async (_what, listen) => {
  const { updates, polls } = updating(listen);
  for (let poll = 1; poll <= 3; poll += 1) {
    await within(100, updates);
    expect(polls()).toBe(poll);
  }
});

it("closes its stream, also one that opens too late", async () => {
  const { updates, close } = await listening();
  updates.close();
  expect(close).toHaveBeenCalledTimes(1);

  const late = streaming();
  const { updates: other } = updating(async () => late.subscription);
  const state = other.next(WORKING);
  await vi.advanceTimersByTimeAsync(100);
  other.close();
  await state;
  await vi.advanceTimersByTimeAsync(0);
  expect(late.close).toHaveBeenCalledTimes(1);
});

it("throws the reason of an abort", async () => {
  const controller = new AbortController();
  const { updates } = updating(async () => undefined, controller.signal);
  const state = updates.next(WORKING);
  controller.abort(new Error("changed my mind"));
  await expect(state).rejects.toThrow("changed my mind");
  await expect(updates.next(WORKING)).rejects.toThrow("changed my mind");
  expect(vi.getTimerCount()).toBe(0);
});
