import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CacheEntry, InMemoryCacheStore } from "./cache-store.js";
import { cacheStoreContract } from "./cache-store-contract.js";

const entry = (text: string): CacheEntry => ({ text, receivedAt: 0, ttlMs: 1 });

/** The characters that a group and a key of one character each take. */
const ID_LENGTH = JSON.stringify(["a", "1"]).length;

cacheStoreContract(async (limits) => new InMemoryCacheStore(limits));

describe("the store in memory", () => {
  it("gives back what was set last under the same group and key, and nothing else", () => {
    const store = new InMemoryCacheStore();
    store.set("a", "1", entry("old"));
    store.set("a", "1", entry("new"));
    store.set("a1", "", entry("other"));

    expect(store.get("a", "1")).toEqual(entry("new"));
    expect(store.get("a1", "")).toEqual(entry("other"));
    expect(store.get("a", "11")).toBeUndefined();
  });

  it("forgets one entry, or a group and no other", () => {
    const store = new InMemoryCacheStore();
    for (const key of ["1", "2", "3"]) store.set("a", key, entry(key));
    store.set("b", "1", entry("b"));

    store.delete("a", "1");
    expect(store.get("a", "1")).toBeUndefined();
    expect(store.get("a", "2")).toEqual(entry("2"));

    store.deleteGroup("a");
    expect(["2", "3"].map((key) => store.get("a", key))).toEqual([undefined, undefined]);
    expect(store.get("b", "1")).toEqual(entry("b"));
  });

  it("forgets what it does not have", () => {
    const store = new InMemoryCacheStore();
    store.delete("a", "1");
    store.deleteGroup("a");
    expect(store.get("a", "1")).toBeUndefined();
  });

  it("drops what was not used for longest once there are too many entries", () => {
    const store = new InMemoryCacheStore({ maxEntries: 2 });
    store.set("a", "1", entry("1"));
    store.set("a", "2", entry("2"));
    store.get("a", "1");
    store.set("b", "3", entry("3"));

    expect(store.get("a", "2")).toBeUndefined();
    expect(store.get("a", "1")).toEqual(entry("1"));
    expect(store.get("b", "3")).toEqual(entry("3"));
  });

  it("drops as much as a long text needs, and keeps no text that is too long by itself", () => {
    const store = new InMemoryCacheStore({ maxCharacters: 3 * ID_LENGTH + 10 });
    for (const key of ["1", "2", "3"]) store.set("a", key, entry("xxx"));
    store.set("a", "4", entry("xxxxxx"));
    expect(["1", "2", "3", "4"].map((key) => store.get("a", key) !== undefined)).toEqual([false, false, true, true]);

    store.set("a", "4", entry("x".repeat(100)));
    expect(["3", "4"].map((key) => store.get("a", key) !== undefined)).toEqual([true, false]);
  });

  it("counts groups and keys, which may hold a cursor of the server's choosing", () => {
    const store = new InMemoryCacheStore({ maxCharacters: 1_000 });
    for (let key = 0; key < 10; key += 1) store.set("a", `${key}`.repeat(300), entry("x"));
    const kept = Array.from({ length: 10 }, (_, key) => store.get("a", `${key}`.repeat(300))).filter(Boolean);
    expect(kept).toHaveLength(3);
  });

  it("keeps 16 Mi characters by itself", () => {
    const store = new InMemoryCacheStore();
    store.set("a", "1", entry("x".repeat(16_777_216 - ID_LENGTH)));
    expect(store.get("a", "1")).toBeDefined();
    store.set("a", "1", entry("x".repeat(16_777_216 - ID_LENGTH + 1)));
    expect(store.get("a", "1")).toBeUndefined();
  });

  it("keeps 1,000 entries by itself", () => {
    const store = new InMemoryCacheStore();
    for (let key = 0; key <= 1_000; key += 1) store.set("a", `${key}`, entry("x"));

    expect(store.get("a", "0")).toBeUndefined();
    expect(store.get("a", "1")).toEqual(entry("x"));
  });

  it("holds what a plain list of the last uses would hold, whatever is done with it", () => {
    const place = { group: fc.constantFrom("a", "b"), key: fc.constantFrom("1", "2", "3") };
    const step = fc.oneof(
      fc.record({ do: fc.constant("get" as const), ...place }),
      fc.record({ do: fc.constant("set" as const), ...place, length: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ do: fc.constant("delete" as const), ...place }),
      fc.record({ do: fc.constant("deleteGroup" as const), group: place.group }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = new InMemoryCacheStore({ maxEntries: 3, maxCharacters: 2 * ID_LENGTH + 10 });
        let model: { group: string; key: string; entry: CacheEntry }[] = [];
        const without = (group: string, key?: string) =>
          model.filter((kept) => kept.group !== group || (key !== undefined && kept.key !== key));
        const characters = () => model.reduce((sum, kept) => sum + ID_LENGTH + kept.entry.text.length, 0);
        for (const step of steps) {
          if (step.do === "deleteGroup") {
            store.deleteGroup(step.group);
            model = without(step.group);
          } else if (step.do === "delete") {
            store.delete(step.group, step.key);
            model = without(step.group, step.key);
          } else if (step.do === "set") {
            const kept = { group: step.group, key: step.key, entry: entry("x".repeat(step.length)) };
            store.set(kept.group, kept.key, kept.entry);
            model = [...without(step.group, step.key), kept];
            while (model.length > 3 || characters() > 2 * ID_LENGTH + 10) model.shift();
          } else {
            const kept = model.find(({ group, key }) => group === step.group && key === step.key);
            expect(store.get(step.group, step.key)).toEqual(kept?.entry);
            if (kept) model = [...without(step.group, step.key), kept];
          }
        }
      }),
    );
  });
});

it("keeps 16,777,216 characters by default", () => {
  const store = new InMemoryCacheStore();
  // An entry counts with its key, the JSON text of group and name: `["a","1"]`.
  const half = "x".repeat(8_388_608 - '["a","1"]'.length);
  store.set("a", "1", entry(half));
  store.set("a", "2", entry(half));
  expect(store.get("a", "1")).toBeDefined();

  store.set("a", "3", entry("x"));
  expect([store.get("a", "1"), store.get("a", "2"), store.get("a", "3")].map(Boolean)).toEqual([true, false, true]);
});
