import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EarlyCancellations } from "./cancellation.js";

function noted(...ids: unknown[]): EarlyCancellations {
  const early = new EarlyCancellations();
  for (const requestId of ids) early.note({ requestId });
  return early;
}

describe("a cancellation that came first", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("holds for one request, whose id is the one it named", () => {
    const early = noted(7, "x");
    expect([early.take("7"), early.take(7), early.take(7)]).toEqual([false, true, false]);
    expect([early.take("x"), early.take("y")]).toEqual([true, false]);
  });

  it("is not kept if it names one of the last 16 requests that ended", () => {
    const early = new EarlyCancellations();
    for (let id = 0; id < 17; id += 1) early.ended(id);
    early.ended("a".repeat(65));
    for (const requestId of [0, 1, 16, "a".repeat(65)]) early.note({ requestId });
    expect([early.take(0), early.take(1), early.take(16)]).toEqual([true, false, false]);
  });

  it("is kept for ten seconds, counted from the last one", () => {
    const early = noted(1, 2);
    vi.advanceTimersByTime(5_000);
    early.note({ requestId: 2 });
    vi.advanceTimersByTime(4_999);
    early.note({ requestId: 3 });
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

  it("is kept with an id of up to 64 characters", () => {
    const early = noted("b".repeat(64), "a".repeat(65), null, 1.5);
    early.note(undefined);
    expect([early.take("b".repeat(64)), early.take("a".repeat(65))]).toEqual([true, false]);
  });
});
