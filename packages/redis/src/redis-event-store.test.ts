import { describe, expect, it } from "vitest";
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

  it("gives every key an expiry", async () => {
    const connection = await connect();
    await new RedisEventStore(connection).append("s", "a", { number: 1, data: "{}" });
    const keys = (await connection.send("keys", ["KEYS", connection.key("*")])) as string[];
    expect(keys).toHaveLength(4);
    for (const key of keys) expect(await connection.send(key, ["PTTL", key])).toBeGreaterThan(0);
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
