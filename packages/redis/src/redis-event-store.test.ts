import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventStoreContract } from "../../sdk/src/hosting/http/legacy/streams/event-store-contract.js";
import { RedisEventStore } from "./redis-event-store.js";
import { useRedis } from "./redis-server.fixture.js";

const connect = useRedis();

// In a group of its own, since it fakes the clock of its group.
describe("RedisEventStore as an event store", () =>
  eventStoreContract(async (limits) => new RedisEventStore(await connect(), limits)));

describe("RedisEventStore", () => {
  it("keeps the order of events if the clock goes back", async () => {
    const connection = await connect();
    const store = new RedisEventStore(connection);
    const ahead = Date.now() + 10_000;
    const key = connection.key("events", "s", "s");
    await connection.send(key, ["XADD", key, `${ahead}-1`, "s", "a", "n", "1", "d", "{}", "b", "204"]);
    await store.append("s", "a", { number: 2, data: "{}" });
    expect((await store.read("s", "a", 0)).map(({ number }) => number)).toEqual([1, 2]);
  });

  it("counts no bytes of a session that Redis has expired", async () => {
    const connection = await connect();
    const store = new RedisEventStore(connection, { maxTotalBytes: 2 * 204 });
    await store.append("s", "a", { number: 1, data: "{}" });
    const key = connection.key("events", "s", "s");
    await connection.send(key, ["DEL", key]);
    vi.setSystemTime(Date.now() + 300_001);
    onTestFinished(() => void vi.useRealTimers());
    for (const number of [1, 2]) await store.append("t", "a", { number, data: "{}" });
    expect(await store.read("t", "a", 0)).toHaveLength(2);
    expect(await connection.send("bytes", ["GET", connection.key("events", "n")])).toBe(String(2 * 204));
  });

  it("keeps the next event of a session that Redis has expired", async () => {
    const connection = await connect();
    const store = new RedisEventStore(connection, { maxBytes: 300 });
    await store.append("s", "a", { number: 1, data: "{}" });
    const key = connection.key("events", "s", "s");
    await connection.send(key, ["DEL", key]);
    await store.append("s", "b", { number: 1, data: "{}" });
    expect(await store.read("s", "b", 0)).toHaveLength(1);
  });

  /** Fills a session with events of 204 bytes. */
  async function fill(store: RedisEventStore, session: string, count: number): Promise<void> {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    await Promise.all(numbers.map((number) => store.append(session, "a", { number, data: "{}" })));
  }

  it("drops at most 250 expired events per call of Redis", async () => {
    const connection = await connect();
    const store = new RedisEventStore(connection);
    for (const session of ["s", "t"]) await fill(store, session, 200);
    const bytes = async () => Number(await connection.send("bytes", ["GET", connection.key("events", "n")]));
    vi.setSystemTime(Date.now() + 300_001);
    onTestFinished(() => void vi.useRealTimers());
    await store.append("u", "a", { number: 1, data: "{}" });
    expect(await bytes()).toBe((150 + 1) * 204);
    await store.append("u", "a", { number: 2, data: "{}" });
    expect(await bytes()).toBe(2 * 204);
  });

  it("makes room for a large event in several calls of Redis", async () => {
    const connection = await connect();
    const store = new RedisEventStore(connection, { maxEvents: 2_000, maxTotalBytes: 1_500 * 204 });
    await fill(store, "s", 1_500);
    const run = vi.spyOn(connection, "run");
    await store.append("t", "a", { number: 1, data: "x".repeat(51_900) });
    expect(run).toHaveBeenCalledTimes(3);
    expect(await store.read("s", "a", 0)).toHaveLength(990);
  });

  it("deletes a stream in several calls of Redis", async () => {
    const connection = await connect();
    const store = new RedisEventStore(connection);
    await fill(store, "s", 499);
    await store.append("s", "b", { number: 1, data: "{}" });
    const run = vi.spyOn(connection, "run");
    await store.deleteStream("s", "a");
    expect(run).toHaveBeenCalledTimes(3);
    expect(await store.read("s", "a", 0)).toEqual([]);
    expect(await store.read("s", "b", 0)).toHaveLength(1);
  });

  it("gives every key an expiry", async () => {
    const connection = await connect();
    const store = new RedisEventStore(connection);
    await store.claim("s", "a");
    await store.append("s", "b", { number: 1, data: "{}" });
    const keys = (await connection.send("keys", ["KEYS", connection.key("*")])) as string[];
    expect(keys).toHaveLength(5);
    for (const key of keys) expect(await connection.send(key, ["PTTL", key])).toBeGreaterThan(0);
  });

  it("keeps the claims of an idle session for a day", async () => {
    const connection = await connect();
    const store = new RedisEventStore(connection, { maxAgeMs: 1_000 });
    const claims = connection.key("events", "f", "s");
    const leftHours = async () => Math.round(Number(await connection.send(claims, ["PTTL", claims])) / 3_600_000);
    await store.claim("s", "a");
    expect(await leftHours()).toBe(24);
    await connection.send(claims, ["PEXPIRE", claims, "60000"]);
    await store.append("s", "b", { number: 1, data: "{}" });
    expect(await leftHours()).toBe(24);
  });

  it.each([
    ["n", "x", "d", "{}"],
    ["n", "1"],
  ])("names the key of a foreign event", async (...fields) => {
    const connection = await connect();
    const key = connection.key("events", "s", "s");
    await connection.send(key, ["XADD", key, "*", "s", "a", ...fields]);
    await expect(new RedisEventStore(connection).read("s", "a", 0)).rejects.toThrow(
      `The Redis key ${key} holds a value of another program; delete it`,
    );
  });

  it.each(["maxEvents", "maxBytes", "maxTotalBytes", "maxAgeMs"])("refuses 0 as %s", async (name) => {
    const connection = await connect();
    expect(() => new RedisEventStore(connection, { [name]: 0 })).toThrow(`${name}: expected a number from 1, got 0`);
  });
});
