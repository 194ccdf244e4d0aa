/** The contract suite of `AuthorizationStore`. */
import { describe, expect, it } from "vitest";
import type { AuthorizationStore } from "./authorization-store.js";

export interface OpenedStore {
  readonly store: AuthorizationStore;
  readonly clock: { now: number };
}

export function storeContract(open: () => Promise<OpenedStore>): void {
  describe("a store", () => {
    it("gives back what was put in, until it expires", async () => {
      const { store, clock } = await open();
      const record = { value: { scopes: ["read"], givenAt: 0 }, expiresAt: clock.now + 10 };
      await store.update("consents", "k", () => record);
      expect(await store.get("consents", "k")).toEqual(record);
      expect(await store.get("consents", "other")).toBeUndefined();
      clock.now += 10;
      expect(await store.get("consents", "k")).toBeUndefined();
    });

    it("shows an update the record, and deletes it for undefined", async () => {
      const { store, clock } = await open();
      const seen: unknown[] = [];
      const expiresAt = clock.now + 10;
      await store.update("consents", "k", () => ({ value: { scopes: ["a"], givenAt: 0 }, expiresAt }));
      await store.update("consents", "k", (current) => {
        seen.push(current?.value.scopes);
        return { value: { scopes: ["b"], givenAt: 0 }, expiresAt };
      });
      await store.update("consents", "k", (current) => {
        seen.push(current?.value.scopes);
        return undefined;
      });
      await store.update("consents", "k", (current) => {
        seen.push(current);
        return undefined;
      });
      expect(seen).toEqual([["a"], ["b"], undefined]);
    });

    it("lets no two updates of a key interleave", async () => {
      const { store, clock } = await open();
      const add = (scope: string) =>
        store.update("consents", "k", (current) => ({
          value: { scopes: [...(current?.value.scopes ?? []), scope], givenAt: 0 },
          expiresAt: clock.now + 10,
        }));
      await Promise.all(["a", "b", "c", "d"].map(add));
      expect((await store.get("consents", "k"))?.value.scopes).toHaveLength(4);
    });

    it("refuses a record that would never expire, and keeps the one before", async () => {
      const { store, clock } = await open();
      const record = { value: { scopes: ["a"], givenAt: 0 }, expiresAt: clock.now + 10 };
      await store.update("consents", "k", () => record);
      for (const expiresAt of [Number.POSITIVE_INFINITY, Number.NaN]) {
        await expect(store.update("consents", "k", () => ({ ...record, expiresAt }))).rejects.toMatchObject({
          code: "invalid-argument",
          message: `consents: expiresAt must be a finite number of milliseconds since 1970, got ${expiresAt}`,
        });
      }
      expect(await store.get("consents", "k")).toEqual(record);
    });

    it("keeps a copy, not the object", async () => {
      const { store, clock } = await open();
      const scopes = ["a"];
      await store.update("consents", "k", () => ({ value: { scopes, givenAt: 0 }, expiresAt: clock.now + 10 }));
      scopes.push("b");
      expect((await store.get("consents", "k"))?.value.scopes).toEqual(["a"]);
    });

    it("passes on what an update throws, and changes nothing", async () => {
      const { store, clock } = await open();
      await store.update("consents", "k", () => ({ value: { scopes: ["a"], givenAt: 0 }, expiresAt: clock.now + 10 }));
      const failure = new Error("no");
      const failing = store.update("consents", "k", () => {
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      expect((await store.get("consents", "k"))?.value.scopes).toEqual(["a"]);
    });
  });
}
