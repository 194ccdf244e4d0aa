import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TimeoutQueue } from "./timeout-queue.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("has one timer for all items, and none once it is cleared", () => {
  const queue = new TimeoutQueue<number>(1_000, () => {});
  for (const item of [1, 2, 3]) queue.add(item);
  expect(vi.getTimerCount()).toBe(1);
  queue.clear();
  expect(vi.getTimerCount()).toBe(0);
});

it("lets 100 items expire in a turn", () => {
  const expired: number[] = [];
  const queue = new TimeoutQueue<number>(1_000, (item) => expired.push(item));
  for (let item = 0; item < 150; item += 1) queue.add(item);
  vi.advanceTimersToNextTimer();
  expect(expired).toHaveLength(100);
  vi.advanceTimersToNextTimer();
  expect(expired).toHaveLength(150);
});
