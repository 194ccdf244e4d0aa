import { afterEach, expect, test, vi } from "vitest";
import { ExpiringMap } from "./expiring-map.js";

afterEach(() => void vi.useRealTimers());

test("an entry is there for its time, and can be taken once", () => {
  vi.useFakeTimers({ now: 0 });
  const map = new ExpiringMap<string>({ maxEntries: 10, maxAgeMs: 1_000 });
  map.set("a", "first");
  map.set("b", "second");

  vi.setSystemTime(999);
  expect(map.get("a")).toBe("first");
  expect(map.take("a")).toBe("first");
  expect(map.take("a")).toBeUndefined();
  vi.setSystemTime(1_000);
  expect(map.get("b")).toBeUndefined();
  expect(map.take("b")).toBeUndefined();
});

test("the oldest entry makes room for a new one", () => {
  const map = new ExpiringMap<number>({ maxEntries: 2, maxAgeMs: 60_000 });
  for (const [index, key] of ["a", "b", "a", "c"].entries()) map.set(key, index);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([2, undefined, 3]);
});
