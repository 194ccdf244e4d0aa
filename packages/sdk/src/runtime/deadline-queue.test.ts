import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeadlineQueue } from "./deadline-queue.js";

let expired: string[];
let queue: DeadlineQueue<string>;

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["Date", "setTimeout", "clearTimeout"] });
  expired = [];
  queue = new DeadlineQueue(Date.now, (item) => void expired.push(item));
});
afterEach(() => void vi.useRealTimers());

describe("a queue of deadlines", () => {
  it("expires items at their deadlines, in whatever order they were added", () => {
    queue.add("late", 300);
    queue.add("early", 100);
    queue.add("never", Number.POSITIVE_INFINITY);
    queue.add("middle", 200);
    vi.advanceTimersByTime(99);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(["early"]);
    vi.advanceTimersByTime(1_000_000);
    expect(expired).toEqual(["early", "middle", "late"]);
    expect(queue.size).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("expires no item that was removed", () => {
    queue.add("a", 100);
    queue.add("b", 100);
    queue.remove("a");
    queue.remove("a");
    expect(queue.has("a")).toBe(false);
    expect(queue.has("b")).toBe(true);
    vi.advanceTimersByTime(100);
    expect(expired).toEqual(["b"]);
  });

  it("expires 100 items in a turn, and the others in later turns", () => {
    for (let count = 0; count < 250; count += 1) queue.add(String(count), 100);
    vi.advanceTimersToNextTimer();
    expect(expired).toHaveLength(100);
    vi.advanceTimersToNextTimer();
    vi.advanceTimersToNextTimer();
    expect(expired).toHaveLength(250);
  });

  it("waits for a deadline that is further away than a timer can be set", () => {
    queue.add("far", 0x8000_0000);
    vi.advanceTimersByTime(0x7fff_ffff);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(["far"]);
  });

  it("expires what is due when it is asked, as many as are wanted", () => {
    queue.add("a", 1);
    queue.add("b", 2);
    queue.add("c", 30);
    vi.setSystemTime(10);
    queue.expire(1);
    expect(expired).toEqual(["a"]);
    queue.expire();
    expect(expired).toEqual(["a", "b"]);
  });

  it("holds nothing and no timer once it is cleared", () => {
    queue.add("a", 1);
    queue.clear();
    expect(queue.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("expires the earliest first, whatever is added and removed", () => {
    const steps = fc.array(fc.record({ item: fc.nat(30), deadline: fc.nat(1_000), isRemoval: fc.boolean() }));
    fc.assert(
      fc.property(steps, (drawn) => {
        const heard: number[] = [];
        const model = new Map<number, number>();
        const tested = new DeadlineQueue<number>(Date.now, (item) => void heard.push(item));
        for (const { item, deadline, isRemoval } of drawn) {
          if (isRemoval || model.has(item)) {
            model.delete(item);
            tested.remove(item);
          } else {
            model.set(item, deadline);
            tested.add(item, deadline);
          }
        }
        vi.setSystemTime(10_000);
        tested.expire(Number.POSITIVE_INFINITY);
        tested.clear();
        vi.setSystemTime(0);
        expect(heard.map((item) => model.get(item))).toEqual([...model.values()].sort((a, b) => a - b));
      }),
    );
  });
});
