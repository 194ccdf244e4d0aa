import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { InMemoryEventStore } from "./event-store.js";
import { eventStoreContract } from "./event-store-contract.js";

async function fill(store: InMemoryEventStore, sessionId: string, streamId: string, count: number, data = "x") {
  for (let number = 1; number <= count; number += 1) await store.append(sessionId, streamId, { number, data });
}

async function numbers(store: InMemoryEventStore, sessionId: string, streamId: string, after = 0) {
  return (await store.read(sessionId, streamId, after)).map(({ number }) => number);
}

describe("InMemoryEventStore", () => eventStoreContract(async (limits) => new InMemoryEventStore(limits)));

describe("events in memory", () => {
  it("are read back by session and stream, in order, after a number", async () => {
    const store = new InMemoryEventStore();
    await fill(store, "a", "s", 3);
    await fill(store, "a", "t", 1);
    await fill(store, "b", "s", 2);
    expect(await numbers(store, "a", "s", 1)).toEqual([2, 3]);
    expect(await numbers(store, "a", "t")).toEqual([1]);
    expect(await numbers(store, "b", "s")).toEqual([1, 2]);
    expect(await numbers(store, "b", "t")).toEqual([]);
    expect(await numbers(store, "c", "s")).toEqual([]);
  });

  it("go with their stream or their session, and leave nothing", async () => {
    const store = new InMemoryEventStore();
    await fill(store, "a", "s", 3);
    await fill(store, "a", "t", 2);
    await fill(store, "b", "s", 1);
    await store.deleteStream("a", "s");
    await store.deleteStream("a", "unknown");
    await store.deleteStream("unknown", "s");
    expect([await numbers(store, "a", "s"), store.size]).toEqual([[], 3]);
    await store.deleteSession("a");
    await store.deleteSession("unknown");
    expect([await numbers(store, "a", "t"), store.size]).toEqual([[], 1]);
  });

  it("make room for newer ones: by count and bytes of a session, and bytes of all", async () => {
    const byCount = new InMemoryEventStore({ maxEvents: 2 });
    await fill(byCount, "a", "s", 5);
    await fill(byCount, "b", "s", 1);
    expect([await numbers(byCount, "a", "s"), byCount.size]).toEqual([[4, 5], 3]);

    const byBytes = new InMemoryEventStore({ maxBytes: 1_000 });
    await fill(byBytes, "a", "s", 5, "x".repeat(150));
    expect(await numbers(byBytes, "a", "s")).toEqual([4, 5]);

    const inAll = new InMemoryEventStore({ maxTotalBytes: 1_000 });
    await fill(inAll, "a", "s", 2, "x".repeat(150));
    await fill(inAll, "b", "s", 1, "x".repeat(150));
    expect([await numbers(inAll, "a", "s"), await numbers(inAll, "b", "s")]).toEqual([[2], [1]]);

    await inAll.append("c", "s", { number: 1, data: "x".repeat(1_000) });
    expect([await numbers(inAll, "c", "s"), inAll.size]).toEqual([[], 2]);
  });

  it("are 1,000 of a session by default", async () => {
    const store = new InMemoryEventStore();
    await fill(store, "a", "s", 1_000, "");
    expect((await numbers(store, "a", "s"))[0]).toBe(1);
    await store.append("a", "s", { number: 1_001, data: "" });
    expect((await numbers(store, "a", "s"))[0]).toBe(2);
  });

  it("have 1 MiB of a session by default, two bytes per character and 200 per event", async () => {
    const store = new InMemoryEventStore();
    const characters = (1_048_576 - 200) / 2;
    await fill(store, "a", "s", 1, "x".repeat(characters));
    expect(store.size).toBe(1);
    await fill(store, "b", "s", 1, "x".repeat(characters + 1));
    expect(await numbers(store, "b", "s")).toEqual([]);

    const tight = new InMemoryEventStore({ maxBytes: 399 });
    await fill(tight, "a", "s", 2, "");
    expect(tight.size).toBe(1);
  });

  it("have 64 MiB in all by default", async () => {
    const store = new InMemoryEventStore();
    const mebibyte = "x".repeat((1_048_576 - 200) / 2);
    for (let session = 1; session <= 64; session += 1) await fill(store, String(session), "s", 1, mebibyte);
    expect(store.size).toBe(64);
    await fill(store, "65", "s", 1, "");
    expect([await numbers(store, "1", "s"), store.size]).toEqual([[], 64]);
  });

  it("are dropped after five minutes by default", async () => {
    vi.useFakeTimers();
    try {
      const store = new InMemoryEventStore();
      await fill(store, "a", "s", 1);
      vi.advanceTimersByTime(299_999);
      expect(await numbers(store, "a", "s")).toEqual([1]);
      vi.advanceTimersByTime(1);
      expect(await numbers(store, "a", "s")).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("have claims of 10,000 sessions at most", async () => {
    const store = new InMemoryEventStore();
    for (let session = 0; session <= 10_000; session += 1) await store.claim(`${session}`, "a");
    const append = (session: string) => store.append(session, "a", { number: 1, data: "{}" });
    expect([await append("0"), await append("1")]).toEqual([true, false]);
  });

  it("grow old", async () => {
    vi.useFakeTimers();
    try {
      const store = new InMemoryEventStore({ maxAgeMs: 1_000 });
      await fill(store, "a", "s", 1);
      vi.advanceTimersByTime(999);
      expect(await numbers(store, "a", "s")).toEqual([1]);
      vi.advanceTimersByTime(1);
      expect([await numbers(store, "a", "s"), store.size]).toEqual([[], 0]);
      await fill(store, "a", "s", 1);
      vi.advanceTimersByTime(1_000);
      await fill(store, "b", "s", 1);
      expect(store.size).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(["maxEvents", "maxBytes", "maxTotalBytes", "maxAgeMs"])("refuse %s of 0", (name) => {
    expect(() => new InMemoryEventStore({ [name]: 0 })).toThrow(name);
  });

  it("behave like a list of rows", async () => {
    const key = fc.constantFrom("a", "b", "c");
    const step = fc.record({
      act: fc.constantFrom("append", "append", "append", "stream", "session"),
      session: key,
      stream: key,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const store = new InMemoryEventStore({ maxEvents: 5 });
        let rows: { session: string; stream: string; number: number }[] = [];
        let number = 0;
        for (const { act, session, stream } of steps) {
          if (act === "append") {
            number += 1;
            await store.append(session, stream, { number, data: "" });
            rows.push({ session, stream, number });
            const own = rows.filter((row) => row.session === session);
            if (own.length > 5) rows = rows.filter((row) => row !== own[0]);
          } else if (act === "stream") {
            await store.deleteStream(session, stream);
            rows = rows.filter((row) => row.session !== session || row.stream !== stream);
          } else {
            await store.deleteSession(session);
            rows = rows.filter((row) => row.session !== session);
          }
          const expected = rows.filter((row) => row.session === session && row.stream === stream);
          expect(await numbers(store, session, stream)).toEqual(expected.map((row) => row.number));
          expect(store.size).toBe(rows.length);
        }
      }),
    );
  });
});
