import { expect, it } from "vitest";
import { expectCpuMsBelow } from "./cpu-time.fixture.js";
import { OwnedMap } from "./owned-map.js";

it("evicts the oldest entry of the owner with the most entries", () => {
  const map = new OwnedMap<string, number>({ maxEntries: 4, maxWeight: 100 });
  map.set("a1", 1, 1, "a");
  for (let index = 1; index <= 10; index++) map.set(`b${index}`, index, 1, "b");
  expect(map.values()).toEqual([1, 8, 9, 10]);
  expect([map.has("a1"), map.get("b7"), map.get("b8")]).toEqual([true, undefined, 8]);
});

it("evicts the oldest entry of the owner with the most weight", () => {
  const map = new OwnedMap<string, string>({ maxEntries: 100, maxWeight: 10 });
  map.set("a1", "a1", 1, "a");
  map.set("a2", "a2", 1, "a");
  map.set("b1", "b1", 6, "b");
  map.set("b2", "b2", 4, "b");
  expect(map.values()).toEqual(["a1", "a2", "b2"]);
});

it("evicts the oldest entry of all where each owner has one", () => {
  const map = new OwnedMap<string, string>({ maxEntries: 2, maxWeight: 100 });
  for (const owner of ["a", "b", "c"]) map.set(owner, owner, 1, owner);
  expect(map.values()).toEqual(["b", "c"]);
});

it("replaces an entry as the newest one, also for another owner, and keeps none that is too heavy", () => {
  const map = new OwnedMap<string, string>({ maxEntries: 3, maxWeight: 10 });
  map.set("k", "first", 2, "a");
  map.set("l", "other", 2, "a");
  map.set("k", "second", 2, "b");
  expect(map.oldest()).toEqual(["l", "other"]);
  map.set("k", "third", 11, "b");
  expect(map.get("k")).toBeUndefined();
  map.delete("l");
  map.delete("l");
  expect(map.oldest()).toBeUndefined();
});

it("counts what is deleted no longer", () => {
  const map = new OwnedMap<number, number>({ maxEntries: 2, maxWeight: 4 });
  for (let index = 0; index < 100; index++) {
    map.set(index, index, 4, `owner${index}`);
    map.delete(index);
  }
  map.set(1, 1, 2, "a");
  map.set(2, 2, 2, "b");
  expect(map.values()).toEqual([1, 2]);
});

it("evicts others for a new entry that is the heaviest, and no more of them than needed", () => {
  const map = new OwnedMap<string, string>({ maxEntries: 100, maxWeight: 10 });
  for (const owner of ["a", "b", "c"]) map.set(owner, owner, 3, owner);
  map.set("new", "new", 6, "d");
  expect(map.values()).toEqual(["c", "new"]);
  map.set("all", "all", 10, "d");
  expect(map.values()).toEqual(["all"]);
});

it("counts a new entry to its owner when it looks for the owner with the most", () => {
  const map = new OwnedMap<string, string>({ maxEntries: 4, maxWeight: 100 });
  for (const [key, owner] of ["aa", "Aa", "bb", "Bb", "cb"]) map.set(`${key}`, `${key}`, 1, `${owner}`);
  expect(map.values()).toEqual(["a", "A", "B", "c"]);
});

it("evicts in little time among many owners", () => {
  const map = new OwnedMap<number, number>({ maxEntries: 10_000, maxWeight: Number.POSITIVE_INFINITY });
  let index = 0;
  const add = (count: number) => {
    for (const end = index + count; index < end; index++) map.set(index, index, 1, `owner${index}`);
  };
  add(10_000);
  // A scan of all owners takes 0.2 ms for each eviction.
  expectCpuMsBelow(20, () => add(1_000));
  expect(map.oldest()).toEqual([index - 10_000, index - 10_000]);
});
