import { stat } from "node:fs/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { timerMs, waitMs, withAbort, withTimeout } from "./timers.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it("keeps a delay that a timer can hold, and caps longer ones", () => {
  const capped = [0, 5, 0x7fff_ffff, 0x8000_0000, Number.POSITIVE_INFINITY].map(timerMs);
  expect(capped).toEqual([0, 5, 0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff]);
});

it("waits, and says whether the signal ended the wait", async () => {
  const controller = new AbortController();
  const elapsed = waitMs(100, controller.signal);
  await vi.advanceTimersByTimeAsync(100);
  expect(await elapsed).toBe(true);
  const aborted = waitMs(100, controller.signal);
  controller.abort();
  expect(await aborted).toBe(false);
  expect(await waitMs(100, controller.signal)).toBe(false);
});

it("settles as the promise does until the signal aborts", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const forever = new Promise<number>(() => undefined);
  expect(await withAbort(Promise.resolve(1), signal, () => 2)).toBe(1);
  await expect(withAbort(Promise.reject(new Error("failed")), signal, () => 2)).rejects.toThrow("failed");
  const waiting = withAbort(forever, signal, () => signal.reason);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(withAbort(forever, signal, () => signal.reason)).rejects.toThrow("enough");
});

it("settles as the promise does while there is time", async () => {
  expect(await withTimeout(Promise.resolve(1), 100, () => 2)).toBe(1);
  await expect(withTimeout(Promise.reject(new Error("failed")), 100, () => 2)).rejects.toThrow("failed");
});

it("settles as a promise whose event has arrived while the event loop was blocked", async () => {
  vi.useRealTimers();
  const stats = withTimeout(stat("."), 100, () => "late");
  const until = performance.now() + 200;
  while (performance.now() < until);
  expect(await stats).not.toBe("late");
  vi.useFakeTimers();
});

it("settles as the callback does once the time is up", async () => {
  const never = new Promise<never>(() => undefined);
  const late = withTimeout(never, 100, () => 2);
  const refused = expect(
    withTimeout(never, 100, () => {
      throw new Error("late");
    }),
  ).rejects.toThrow("late");
  await vi.advanceTimersByTimeAsync(100);
  expect(await late).toBe(2);
  await refused;
});
