/** The contract suite of `SessionStore`. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { InMemorySessionStoreOptions, SessionRecord, SessionStore } from "./session-store.js";

export function sessionStoreContract(open: (limits?: InMemorySessionStoreOptions) => Promise<SessionStore>): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  function session(principal?: string): SessionRecord {
    const handshake = { revision: "2025-11-25", client: { name: "é", version: "1" }, capabilities: {} };
    return {
      handshake: handshake as unknown as SessionRecord["handshake"],
      ...(principal !== undefined && { principal }),
    };
  }

  describe("a store of sessions", () => {
    it("returns the record that was set last, until it is deleted", async () => {
      const store = await open();
      await store.set("s", session("alice"), 1_000);
      await store.set("s", session("bob"), 1_000);
      expect(await store.get("s")).toEqual(session("bob"));
      await store.delete("s");
      await store.delete("s");
      expect(await store.get("s")).toBeUndefined();
    });

    it("forgets a record after its time, counted from the last set", async () => {
      const store = await open();
      await store.set("s", session(), 1_000);
      vi.setSystemTime(Date.now() + 600);
      await store.set("s", session(), 1_000);
      vi.setSystemTime(Date.now() + 999);
      expect(await store.get("s")).toEqual(session());
      vi.setSystemTime(Date.now() + 1);
      expect(await store.get("s")).toBeUndefined();
    });

    it("replaces a record by its next version alone, and only if it is there", async () => {
      const store = await open();
      const version = (number: number, principal: string) => ({ ...session(principal), version: number });
      expect(await store.replace?.("s", version(1, "ann"), 1_000)).toBe(false);
      expect(await store.get("s")).toBeUndefined();
      await store.set("s", version(1, "ann"), 1_000);
      expect(await store.replace?.("s", version(1, "bob"), 1_000)).toBe(false);
      expect(await store.replace?.("s", version(3, "bob"), 1_000)).toBe(false);
      const outcomes = ["bob", "eve", "kim"].map((name) => store.replace?.("s", version(2, name), 1_000));
      expect((await Promise.all(outcomes)).toSorted()).toEqual([false, false, true]);
      expect((await store.get("s"))?.version).toBe(2);
      expect(await store.replace?.("s", session("bob"), 1_000)).toBe(false);
      await store.delete("s");
      expect(await store.replace?.("s", version(3, "bob"), 1_000)).toBe(false);
    });

    it("drops the oldest record of the principal with the most", async () => {
      const store = await open({ maxSessions: 3 });
      await store.set("of bob", session("bob"), 1_000);
      for (const id of ["1", "2", "3", "4"]) await store.set(id, session("alice"), 1_000);
      expect(await store.get("of bob")).toEqual(session("bob"));
      expect(await store.get("2")).toBeUndefined();
      expect(await store.get("3")).toEqual(session("alice"));
      expect(await store.get("4")).toEqual(session("alice"));
    });
  });
}
