import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CallHandle } from "./call-handle.js";
import { timeLimit } from "./time-limit.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

it("ends a call when its time is up, and not while the call is on hold", async () => {
  const handle = new CallHandle();
  const limit = timeLimit(100, "too late", handle);
  handle.hold(after(1_000));
  handle.hold(after(2_000).then(() => Promise.reject(new Error("no login"))));
  await vi.advanceTimersByTimeAsync(2_099);
  expect(handle.hasEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(handle.signal.reason).toMatchObject({ code: "request-timeout", message: "too late" });
  limit.end();
});

it("leaves no timer once it has ended, also if a hold ends later", async () => {
  const handle = new CallHandle();
  const limit = timeLimit(100, "too late", handle);
  handle.hold(after(10));
  limit.end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([handle.hasEnded, vi.getTimerCount()]).toEqual([false, 0]);
});

it("lets a call be on hold that has no limit", () => {
  const handle = new CallHandle();
  handle.hold(Promise.resolve());
  expect(handle.hasEnded).toBe(false);
});

it("keeps a limit of infinity from being over at once", async () => {
  const handle = new CallHandle();
  const limit = timeLimit(Number.POSITIVE_INFINITY, "too late", handle);
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(handle.hasEnded).toBe(false);
  limit.end();
});
