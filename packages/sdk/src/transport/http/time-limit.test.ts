import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CallController } from "./call-controller.js";
import { timeLimit } from "./time-limit.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

it("ends a call when its time is up, and not while the call is on hold", async () => {
  const controller = new CallController();
  const limit = timeLimit(100, "too late", controller);
  controller.hold(after(1_000));
  controller.hold(after(2_000).then(() => Promise.reject(new Error("no login"))));
  await vi.advanceTimersByTimeAsync(2_099);
  expect(controller.isAborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(controller.signal.reason).toMatchObject({ code: "request-timeout", message: "too late" });
  limit.end();
});

it("leaves no timer once it has ended, also if a hold ends later", async () => {
  const controller = new CallController();
  const limit = timeLimit(100, "too late", controller);
  controller.hold(after(10));
  limit.end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([controller.isAborted, vi.getTimerCount()]).toEqual([false, 0]);
});

it("lets a call be on hold that has no limit", () => {
  const controller = new CallController();
  controller.hold(Promise.resolve());
  expect(controller.isAborted).toBe(false);
});

it("keeps a limit of infinity from being over at once", async () => {
  const controller = new CallController();
  const limit = timeLimit(Number.POSITIVE_INFINITY, "too late", controller);
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(controller.isAborted).toBe(false);
  limit.end();
});
