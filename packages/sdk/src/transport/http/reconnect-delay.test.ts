import { afterEach, expect, it, vi } from "vitest";
import { ReconnectDelay } from "./reconnect-delay.js";

afterEach(() => {
  vi.useRealTimers();
});

it("doubles from one second to thirty, and adds up to a quarter", () => {
  const low = new ReconnectDelay({ random: () => 0 });
  const high = new ReconnectDelay({ random: () => 1 });
  expect([0, 1, 2, 3, 4, 5, 90].map((attempt) => low.delayMs(attempt, undefined))).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
  expect([0, 5].map((attempt) => high.delayMs(attempt, undefined))).toEqual([1250, 37_500]);
});

it("never waits less than the server asks for", () => {
  const delay = new ReconnectDelay({ random: () => 0 });
  expect([0, 500, 5000, 600_000].map((retryMs) => delay.delayMs(0, retryMs))).toEqual([100, 500, 5000, 600_000]);
  expect([1, 9].map((attempt) => delay.delayMs(attempt, 60_000))).toEqual([60_000, 60_000]);
});

it("spreads clients without being told how", () => {
  const delays = new Set(Array.from({ length: 50 }, () => new ReconnectDelay().delayMs(0, undefined)));
  expect(delays.size).toBeGreaterThan(1);
  for (const ms of delays) expect(ms).toBeGreaterThanOrEqual(1000);
});

it("waits as long, or until the signal aborts, and leaves nothing behind", async () => {
  vi.useFakeTimers();
  const delay = new ReconnectDelay({ initialDelayMs: 200, random: () => 0 });
  const controller = new AbortController();
  const done = vi.fn();
  void delay.wait(0, undefined, controller.signal).then(done);
  await vi.advanceTimersByTimeAsync(199);
  expect(done).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toHaveBeenCalledTimes(1);
  const aborted = delay.wait(0, undefined, controller.signal);
  controller.abort();
  await aborted;
  expect(vi.getTimerCount()).toBe(0);
});
