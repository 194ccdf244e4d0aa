import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RequestId } from "../../../wire/json-rpc.js";
import { EarlyCancellations } from "./early-cancellations.js";

const cancelled = (requestId: unknown) => ({ method: "notifications/cancelled", params: { requestId } });
const nothing = () => false;

function noted(...ids: unknown[]): EarlyCancellations {
  const early = new EarlyCancellations();
  for (const id of ids) early.note(cancelled(id), nothing);
  return early;
}

describe("a cancellation that came first", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("holds for one request, whose id looks like the one it named", () => {
    const early = noted(7, "x");
    expect([early.take("7"), early.take(7), early.take("x"), early.take("y")]).toEqual([true, false, true, false]);
  });

  it("is kept for ten seconds, counted from the last one", () => {
    const early = noted(1, 2);
    vi.advanceTimersByTime(5_000);
    early.note(cancelled(2), nothing);
    vi.advanceTimersByTime(4_999);
    early.note(cancelled(3), nothing);
    vi.advanceTimersByTime(1);
    expect([early.take(1), early.take(2), early.take(3)]).toEqual([false, true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("holds until the last millisecond of the ten seconds", () => {
    const early = noted(1);
    vi.advanceTimersByTime(9_999);
    expect(early.take(1)).toBe(true);
  });

  it("makes room for later ones, the oldest first", () => {
    const early = noted(...new Array(33).keys());
    expect([early.take(0), early.take(1), early.take(32)]).toEqual([false, true, true]);
  });

  it("is none if the request is being served, or nothing is named that could be kept", () => {
    const early = noted(null, 1.5, "a".repeat(65), "b".repeat(64));
    const keys: RequestId[] = [];
    early.note(cancelled("5"), (key) => keys.push(key) > 0);
    early.note({ method: "notifications/progress", params: { requestId: 6 } }, nothing);
    early.note({ method: "notifications/cancelled" }, nothing);
    early.note("notifications/cancelled", nothing);
    expect(keys).toEqual(["5"]);
    expect([5, 6, "a".repeat(65), "b".repeat(64)].map((id) => early.take(id))).toEqual([false, false, false, true]);
  });
});
