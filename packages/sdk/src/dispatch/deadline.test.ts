import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadline, timeoutsAfter } from "./deadline.js";

const HOUR = 3_600_000;

interface Wait {
  readonly timeoutMs: number;
  readonly maxTimeoutMs?: number;
  readonly restarts?: boolean;
}

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
  const { timeoutMs, maxTimeoutMs, restarts }: Wait = wait;
  expect(timeoutsAfter(elapsedMs, timeoutMs, maxTimeoutMs, restarts)).toEqual(left);
});

describe("a deadline on hold", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function deadline(restarts: boolean) {
    const expired = vi.fn();
    return { expired, deadline: new Deadline({ expired }, 100, 1_000, restarts) };
  }

  it.each([false, true])("stands still until the last hold ends, and has its whole time then", async (restarts) => {
    const { expired, deadline: held } = deadline(restarts);
    held.hold(after(5_000));
    held.hold(after(10_000).then(() => Promise.reject(new Error("no login"))));
    held.restart();
    await vi.advanceTimersByTimeAsync(10_099);
    expect(expired).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(expired).toHaveBeenCalledExactlyOnceWith(100);
  });

  it("stays stopped when a hold ends or progress arrives later", async () => {
    const { expired, deadline: held } = deadline(true);
    held.hold(after(10));
    held.stop();
    await vi.advanceTimersByTimeAsync(10);
    held.restart();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(expired).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
