import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RequestId } from "../../../wire/json-rpc.js";
import { cancelledId, EarlyCancellations } from "./early-cancellations.js";

const cancelled = (requestId: unknown) => ({ method: "notifications/cancelled", params: { requestId } });

function noted(...ids: RequestId[]): EarlyCancellations {
  const early = new EarlyCancellations();
  for (const id of ids) early.note(id);
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
    early.note(2);
    vi.advanceTimersByTime(4_999);
    early.note(3);
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
});

describe("the id that a message cancels", () => {
  it("is the request's", () => {
    expect([7, "x", "b".repeat(64)].map((id) => cancelledId(cancelled(id)))).toEqual([7, "x", "b".repeat(64)]);
  });

  it.each([
    cancelled(null),
    cancelled(1.5),
    cancelled("a".repeat(65)),
    { method: "notifications/progress", params: { requestId: 6 } },
    { method: "notifications/cancelled" },
    "notifications/cancelled",
  ])("is none in %j", (message) => {
    expect(cancelledId(message)).toBeUndefined();
  });
});
