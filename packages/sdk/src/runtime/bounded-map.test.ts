import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedMap } from "./bounded-map.js";

describe("BoundedMap", () => {
  it("evicts the oldest entries beyond the number of entries, and tells of each", () => {
    const evicted: string[] = [];
    const map = new BoundedMap<number, string>({ maxEntries: 2, maxWeight: 100 }, (value) => evicted.push(value));
    for (const key of [1, 2, 3]) map.set(key, `v${key}`, 1);
    expect([map.has(1), map.get(2), map.get(3), map.size]).toEqual([false, "v2", "v3", 2]);
    expect(evicted).toEqual(["v1"]);
  });

  it("evicts the oldest entries beyond the total weight", () => {
    const map = new BoundedMap<string, string>({ maxEntries: 10, maxWeight: 10 });
    map.set("a", "1", 4);
    map.set("b", "2", 4);
    map.set("c", "3", 9);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([undefined, undefined, "3"]);
  });

  it("adds no entry that is over the bounds alone, and forgets what it would have replaced", () => {
    const map = new BoundedMap<string, string>({ maxEntries: 10, maxWeight: 10 });
    map.set("a", "1", 1);
    map.set("b", "2", 1);
    expect(map.set("a", "large", 11)).toBe(false);
    expect([map.has("a"), map.has("b")]).toEqual([false, true]);
    expect(new BoundedMap<string, string>({ maxEntries: 0, maxWeight: 10 }).set("a", "1", 1)).toBe(false);
  });

  it("counts a replaced entry once and takes it for new", () => {
    const map = new BoundedMap<string, string>({ maxEntries: 2, maxWeight: 10 });
    map.set("a", "1", 8);
    map.set("b", "2", 2);
    map.set("a", "3", 8);
    map.set("c", "4", 1);
    expect([map.get("a"), map.has("b"), map.get("c")]).toEqual(["3", false, "4"]);
  });

  it("evicts a touched entry last", () => {
    const map = new BoundedMap<string, string>({ maxEntries: 2, maxWeight: 10 });
    map.set("a", "1", 1);
    map.set("b", "2", 1);
    map.touch("a");
    map.touch("unknown");
    map.set("c", "3", 1);
    expect([map.has("a"), map.has("b"), map.has("c")]).toEqual([true, false, true]);
  });

  it("moves an entry that is touched after the newest one was touched or deleted", () => {
    const map = new BoundedMap<string, string>({ maxEntries: 3, maxWeight: 10 });
    for (const key of ["a", "b", "c"]) map.set(key, key, 1);
    map.touch("c");
    map.touch("a");
    map.touch("a");
    expect(map.values()).toEqual(["b", "c", "a"]);
    map.delete("a");
    map.touch("b");
    expect(map.values()).toEqual(["c", "b"]);
  });

  it("tells which entry it would evict next", () => {
    const map = new BoundedMap<string, string>({ maxEntries: 2, maxWeight: 10 });
    expect(map.oldest()).toBeUndefined();
    map.set("a", "1", 1);
    map.set("b", "2", 1);
    expect(map.oldest()).toEqual(["a", "1"]);
  });

  it("lists its values, oldest first, and starts from nothing once cleared", () => {
    const map = new BoundedMap<string, string>({ maxEntries: 2, maxWeight: 2 });
    map.set("a", "1", 1);
    map.set("b", "2", 1);
    expect(map.values()).toEqual(["1", "2"]);
    map.clear();
    map.set("c", "3", 2);
    expect(map.values()).toEqual(["3"]);
  });

  it("stays within its bounds, whatever is done to it", () => {
    const step = fc.record({ key: fc.nat(9), weight: fc.nat(12), isDeleted: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const weights = new Map<number, number>();
        const map = new BoundedMap<number, number>({ maxEntries: 4, maxWeight: 10 }, (key) => weights.delete(key));
        for (const { key, weight, isDeleted } of steps) {
          weights.delete(key);
          const isThere = isDeleted ? void map.delete(key) : map.set(key, key, weight);
          if (isThere) weights.set(key, weight);
          const total = [...weights.values()].reduce((sum, each) => sum + each, 0);
          expect(map.size).toBe(weights.size);
          expect(map.size).toBeLessThanOrEqual(4);
          expect(total).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});
