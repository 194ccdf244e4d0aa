import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadline, timeoutsAfter } from "./deadline.js";

const HOUR = 3_600_000;

it.each([
  ["what was not waited", { timeoutMs: 1_000 }, 600, { timeoutMs: 400, maxTimeoutMs: 400 }],
  ["what the longest wait leaves", { timeoutMs: 1_000, maxTimeoutMs: 700 }, 600, { timeoutMs: 100, maxTimeoutMs: 100 }],
  ["nothing once the time is up", { timeoutMs: 1_000 }, 1_000, undefined],
  [
    "no end of an endless wait",
    { timeoutMs: Number.POSITIVE_INFINITY },
    600,
    { timeoutMs: Number.POSITIVE_INFINITY, maxTimeoutMs: Number.POSITIVE_INFINITY },
  ],
  [
    "a whole timeout that restarts",
    { timeoutMs: 10, restarts: true },
    600,
    { timeoutMs: 10, maxTimeoutMs: HOUR - 600 },
  ],
  [
    "the end of the longest wait, for a timeout that restarts",
    { timeoutMs: 1_000, maxTimeoutMs: 2_000, restarts: true },
    1_500,
    { timeoutMs: 500, maxTimeoutMs: 500 },
  ],
])("leaves %s", (_what, wait, elapsedMs, left) => {
  expect(timeoutsAfter(elapsedMs, { maxTimeoutMs: undefined, restarts: false, ...wait })).toEqual(left);
});

describe("a deadline on hold", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function deadline(restarts: boolean) {
    const onExpired = vi.fn();
    return { onExpired, deadline: new Deadline({ timeoutMs: 100, maxTimeoutMs: 1_000, restarts, onExpired }) };
  }

  it.each([false, true])("stands still until the last hold ends, and has its whole time then", async (restarts) => {
    const { onExpired, deadline: held } = deadline(restarts);
    held.hold(after(5_000));
    held.hold(after(10_000).then(() => Promise.reject(new Error("no login"))));
    held.restart();
    await vi.advanceTimersByTimeAsync(10_099);
    expect(onExpired).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onExpired).toHaveBeenCalledExactlyOnceWith(100);
  });

  it("stays stopped when a hold ends later", async () => {
    const { onExpired, deadline: held } = deadline(true);
    held.hold(after(10));
    held.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(onExpired).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
