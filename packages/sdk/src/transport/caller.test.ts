import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { onCallerExpiry } from "./caller.js";

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => void vi.useRealTimers());

it("calls back when the credential expires, and at once if it has", () => {
  const callback = vi.fn();
  onCallerExpiry({ expiresAt: 6_000 }, callback);
  vi.advanceTimersByTime(4_999);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledOnce();
  onCallerExpiry({ expiresAt: 0 }, callback);
  vi.advanceTimersByTime(0);
  expect(callback).toHaveBeenCalledTimes(2);
});

it("never calls back once stopped, or for what does not expire", () => {
  const callback = vi.fn();
  onCallerExpiry({ expiresAt: 6_000 }, callback)();
  onCallerExpiry({}, callback)();
  onCallerExpiry(undefined, callback)();
  vi.advanceTimersByTime(100_000);
  expect(callback).not.toHaveBeenCalled();
});
