/** The contract suite of `CacheStore`. */
import { describe, expect, it } from "vitest";
import type { CacheEntry, CacheStore, InMemoryCacheStoreOptions } from "./cache-store.js";

export function cacheStoreContract(open: (limits?: InMemoryCacheStoreOptions) => Promise<CacheStore>): void {
  const entry = (text: string): CacheEntry => ({ text, receivedAt: 5, ttlMs: 60_000 });

  describe("a cache store", () => {
    it("returns the entry that was set last under the same group and key, and nothing else", async () => {
      const store = await open();
      await store.set("g", "k", entry("old"));
      await store.set("g", "k", entry("é"));
      expect(await store.get("g", "k")).toEqual(entry("é"));
      expect(await store.get("g", "other")).toBeUndefined();
      expect(await store.get("other", "k")).toBeUndefined();
    });

    it("takes groups and keys of any text", async () => {
      const store = await open();
      const names = ["", ":", '"', "a b", "\u0000"];
      for (const group of names) for (const key of names) await store.set(group, key, entry(`${group}/${key}`));
      for (const group of names) {
        for (const key of names) expect(await store.get(group, key)).toEqual(entry(`${group}/${key}`));
      }
    });

    it("deletes an entry, or a group and no other", async () => {
      const store = await open();
      for (const group of ["g", "h"]) for (const key of ["a", "b", "c"]) await store.set(group, key, entry(key));
      await store.delete("g", "a");
      await store.delete("g", "a");
      expect(await store.get("g", "a")).toBeUndefined();
      expect(await store.get("g", "b")).toEqual(entry("b"));
      await store.deleteGroup("g");
      await store.deleteGroup("g");
      expect(await store.get("g", "b")).toBeUndefined();
      expect(await store.get("h", "a")).toEqual(entry("a"));
    });

    it("lets calls take effect in the order they are made", async () => {
      const store = await open();
      const calls = [
        store.set("g", "k", entry("1")),
        store.deleteGroup("g"),
        store.set("g", "k", entry("2")),
        store.delete("g", "other"),
      ];
      expect(await store.get("g", "k")).toEqual(entry("2"));
      await Promise.all(calls);
    });

    it("drops the oldest entry of a group beyond the number of entries", async () => {
      const store = await open({ maxEntries: 2 });
      for (const key of ["a", "b", "c"]) await store.set("g", key, entry(key));
      expect(await store.get("g", "a")).toBeUndefined();
      expect(await store.get("g", "b")).toEqual(entry("b"));
      expect(await store.get("g", "c")).toEqual(entry("c"));
    });

    it("keeps no entry that is too long by itself, nor the one before", async () => {
      const store = await open({ maxCharacters: 500 });
      await store.set("g", "k", entry("short"));
      await store.set("g", "k", entry("x".repeat(500)));
      expect(await store.get("g", "k")).toBeUndefined();
    });
  });
}
