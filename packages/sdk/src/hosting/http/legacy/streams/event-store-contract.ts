/** The contract suite of `EventStore`. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStore, InMemoryEventStoreOptions } from "./event-store.js";

export function eventStoreContract(open: (limits?: InMemoryEventStoreOptions) => Promise<EventStore>): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  async function append(store: EventStore, session: string, stream: string, ...numbers: number[]): Promise<void> {
    for (const number of numbers) await store.append(session, stream, { number, data: `{"n":${number}}` });
  }

  async function numbers(store: EventStore, session: string, stream: string, after = 0): Promise<number[]> {
    return (await store.read(session, stream, after)).map(({ number }) => number);
  }

  describe("a store of events", () => {
    it("returns the events of a stream after a number, in order", async () => {
      const store = await open();
      await append(store, "s", "a", 1, 2, 3);
      await append(store, "s", "b", 1);
      await append(store, "t", "a", 1);
      expect(await store.read("s", "a", 1)).toEqual([
        { number: 2, data: '{"n":2}' },
        { number: 3, data: '{"n":3}' },
      ]);
      expect(await numbers(store, "s", "a", 3)).toEqual([]);
      expect(await numbers(store, "u", "a")).toEqual([]);
    });

    it("deletes a stream or a session, and nothing else", async () => {
      const store = await open();
      for (const session of ["s", "t"]) for (const stream of ["a", "b"]) await append(store, session, stream, 1);
      await store.deleteStream("s", "a");
      await store.deleteStream("s", "unknown");
      await store.deleteSession("t");
      await store.deleteSession("unknown");
      expect(await numbers(store, "s", "a")).toEqual([]);
      expect(await numbers(store, "s", "b")).toEqual([1]);
      expect(await numbers(store, "t", "b")).toEqual([]);
    });

    it("refuses the events of a process whose stream another one has claimed", async () => {
      const store = await open();
      const event = (number: number) => ({ number, data: "{}" });
      const claim = async (session: string, stream: string) => (await store.claim?.(session, stream)) ?? 0;
      expect(await store.append("s", "a", event(1), 0)).not.toBe(false);
      const first = await claim("s", "a");
      expect(await store.append("s", "a", event(2), 0)).toBe(false);
      expect(await store.append("s", "a", event(2), first)).not.toBe(false);
      const second = await claim("s", "a");
      expect(second).toBeGreaterThan(first);
      expect(await store.append("s", "a", event(3), first)).toBe(false);
      expect(await store.append("s", "a", event(3), second)).not.toBe(false);
      expect(await numbers(store, "s", "a")).toEqual([1, 2, 3]);
      for (const [session, stream] of [
        ["s", "b"],
        ["t", "a"],
      ] as const) {
        expect(await store.append(session, stream, event(1))).not.toBe(false);
      }
    });

    it("refuses them also after all events were dropped, and forgets claims with their session", async () => {
      const store = await open({ maxEvents: 1 });
      const claimed = await store.claim?.("s", "a");
      await append(store, "s", "b", 1, 2);
      await store.deleteStream("s", "b");
      expect(await store.append("s", "a", { number: 1, data: "{}" }, 0)).toBe(false);
      await store.deleteSession("s");
      expect(await store.append("s", "a", { number: 1, data: "{}" }, 0)).not.toBe(false);
      expect(claimed).toBeGreaterThan(0);
    });

    it("drops the oldest events of a session beyond its number", async () => {
      const store = await open({ maxEvents: 3 });
      await append(store, "s", "a", 1, 2);
      await append(store, "t", "a", 1);
      await append(store, "s", "b", 1, 2);
      expect(await numbers(store, "s", "a")).toEqual([2]);
      expect(await numbers(store, "s", "b")).toEqual([1, 2]);
      expect(await numbers(store, "t", "a")).toEqual([1]);
    });

    it("drops the oldest events of a session beyond its bytes", async () => {
      const store = await open({ maxBytes: 2 * 214 });
      await append(store, "s", "a", 1, 2, 3);
      expect(await numbers(store, "s", "a")).toEqual([2, 3]);
      await store.append("s", "a", { number: 4, data: "x".repeat(1_000) });
      expect(await numbers(store, "s", "a")).toEqual([]);
      await append(store, "s", "a", 5, 6);
      expect(await numbers(store, "s", "a")).toEqual([5, 6]);
    });

    it("drops the oldest events of the session with the most bytes beyond the bytes of all", async () => {
      const store = await open({ maxTotalBytes: 4 * 214 });
      await append(store, "s", "a", 1);
      vi.setSystemTime(Date.now() + 1);
      await append(store, "t", "a", 1, 2, 3);
      vi.setSystemTime(Date.now() + 1);
      await append(store, "u", "a", 1);
      expect(await numbers(store, "t", "a")).toEqual([2, 3]);
      expect([await numbers(store, "s", "a"), await numbers(store, "u", "a")]).toEqual([[1], [1]]);
    });

    it("keeps the events of others, however much one session writes", async () => {
      const store = await open({ maxTotalBytes: 20 * 214 });
      await append(store, "s", "a", 1);
      for (let number = 1; number <= 60; number += 1) {
        vi.setSystemTime(Date.now() + 1);
        await append(store, "t", "a", number);
      }
      await store.append("t", "a", { number: 61, data: "x".repeat(5_000) });
      expect(await numbers(store, "s", "a")).toEqual([1]);
      expect(await numbers(store, "t", "a")).toEqual([]);
    });

    it("counts no bytes of what it has deleted", async () => {
      const store = await open({ maxTotalBytes: 2 * 214 });
      await append(store, "s", "a", 1);
      await append(store, "s", "b", 1);
      await store.deleteStream("s", "a");
      await append(store, "t", "a", 1);
      expect(await numbers(store, "s", "b")).toEqual([1]);
      await store.deleteSession("t");
      await append(store, "u", "a", 1);
      expect(await numbers(store, "s", "b")).toEqual([1]);
    });

    it("drops events at their age, and not before", async () => {
      const store = await open({ maxAgeMs: 1_000, maxTotalBytes: 3 * 214 });
      await append(store, "s", "a", 1);
      vi.setSystemTime(Date.now() + 999);
      await append(store, "s", "a", 2);
      expect(await numbers(store, "s", "a")).toEqual([1, 2]);
      vi.setSystemTime(Date.now() + 1);
      expect(await numbers(store, "s", "a")).toEqual([2]);
      await append(store, "t", "a", 1, 2);
      expect(await numbers(store, "s", "a")).toEqual([2]);
    });
  });
}
