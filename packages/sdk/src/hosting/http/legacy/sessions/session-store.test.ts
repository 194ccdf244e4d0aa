import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemorySessionStore, type SessionRecord } from "./session-store.js";
import { sessionStoreContract } from "./session-store-contract.js";

const DAY = 86_400_000;

function record(principal?: string, name = "tester"): SessionRecord {
  const envelope = {
    revision: "2025-11-25",
    era: "legacy",
    clientInfo: { name, version: "1.0.0" },
    clientCapabilities: {},
  } as const;
  return {
    ...(principal !== undefined && { principal }),
    handshake: { envelope, announced: {}, isReady: true, logLevel: "info", watched: [] },
  };
}

const bytesOf = (value: SessionRecord) => JSON.stringify(value).length * 2;

async function kept(store: InMemorySessionStore, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map(async (id) => ((await store.get(id)) ? [id] : [])));
  return found.flat();
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("InMemorySessionStore as a session store", () =>
  sessionStoreContract(async (limits) => new InMemorySessionStore(limits)));

describe("InMemorySessionStore", () => {
  it.each(["maxSessions", "maxBytes"])("refuses a %s below 1", (name) => {
    expect(() => new InMemorySessionStore({ [name]: 0 })).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(name) }),
    );
  });

  it("forgets what has expired, and what is deleted", async () => {
    const store = new InMemorySessionStore();
    await store.set("a", record(), 1_000);
    await store.set("b", record(), 2_000);
    await store.delete("none");
    vi.advanceTimersByTime(1_000);
    expect(await kept(store, ["a", "b"])).toEqual(["b"]);
    await store.set("b", record(), 2_000);
    expect(store.size).toBe(1);
    await store.delete("b");
    expect(store.size).toBe(0);
  });

  it("holds 10,000 sessions, the principal with the most giving up its oldest", async () => {
    const store = new InMemorySessionStore();
    await store.set("polite", record("polite"), DAY);
    for (let index = 0; index < 10_050; index++) await store.set(`greedy ${index}`, record("greedy"), DAY);
    expect(store.size).toBe(10_000);
    expect(await kept(store, ["polite", "greedy 50", "greedy 51"])).toEqual(["polite", "greedy 51"]);
    await store.set("late", record("late"), DAY);
    expect(await kept(store, ["polite", "late", "greedy 51", "greedy 52"])).toEqual(["polite", "late", "greedy 52"]);
  });

  it("holds 64 MiB of records", async () => {
    const store = new InMemorySessionStore();
    const large = record("greedy", "x".repeat(524_288 - JSON.stringify(record("greedy", "")).length));
    expect(bytesOf(large)).toBe(1_048_576);
    for (let index = 0; index < 65; index++) await store.set(String(index), large, DAY);
    expect([store.size, await kept(store, ["0", "1"])]).toEqual([64, ["1"]]);
  });

  it("keeps no record that only others could make room for", async () => {
    const small = record("polite");
    const store = new InMemorySessionStore({ maxBytes: 2 * bytesOf(small) });
    await store.set("a", small, DAY);
    await store.set("b", record("greedy", "x".repeat(200)), DAY);
    expect(await kept(store, ["a", "b"])).toEqual(["a"]);
  });
});
