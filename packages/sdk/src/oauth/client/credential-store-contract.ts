/** The contract suite of `CredentialStore`. */
import { describe, expect, it } from "vitest";
import type { CredentialStore } from "./credential-store.js";

/** @param open opens a store without entries; opened twice, it may be two views of one place */
export function credentialStoreContract(name: string, open: () => Promise<CredentialStore> | CredentialStore): void {
  describe(`${name} as a credential store`, () => {
    it("gives back what was set last, and nothing once it was deleted", async () => {
      const store = await open();
      expect(await store.get("key")).toBeUndefined();
      await store.set("key", '{"a":1}');
      await store.set("key", '{"a":2}');
      await store.set("other", '"é"');
      expect(await store.get("key")).toBe('{"a":2}');
      await store.delete("key");
      await store.delete("key");
      expect([await store.get("key"), await store.get("other")]).toEqual([undefined, '"é"']);
    });

    it("takes keys of any text", async () => {
      const store = await open();
      const keys = ["", "../up", '["tokens","https://a.example/mcp"]', "a".repeat(2_000), "\u0000"];
      for (const key of keys) await store.set(key, JSON.stringify(key));
      for (const key of keys) expect(await store.get(key)).toBe(JSON.stringify(key));
    });

    it("runs one at a time under a key, in the order of asking", async () => {
      const store = await open();
      const log: number[] = [];
      const run = (turn: number) =>
        store.withLock("key", async () => {
          log.push(turn);
          await store.set("key", String(turn));
          await Promise.resolve();
          log.push(turn);
          return turn;
        });
      expect(await Promise.all([run(1), run(2), run(3)])).toEqual([1, 2, 3]);
      for (const index of [0, 2, 4]) expect(log[index]).toBe(log[index + 1]);
      expect(log).toHaveLength(6);
    });

    it("releases a lock whose work fails, and passes the failure on", async () => {
      const store = await open();
      const failing = store.withLock("key", () => Promise.reject(new Error("failed")));
      await expect(failing).rejects.toThrow("failed");
      expect(await store.withLock("key", async () => "free")).toBe("free");
    });

    it("does not let one key wait for another", async () => {
      const store = await open();
      const inner = store.withLock("outer", () => store.withLock("inner", async () => "both"));
      expect(await inner).toBe("both");
    });
  });
}
