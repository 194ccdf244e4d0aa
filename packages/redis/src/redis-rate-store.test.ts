import { describe, expect, it } from "vitest";
import { rateStoreContract } from "../../sdk/src/routing/rate-store-contract.js";
import { RedisRateStore } from "./redis-rate-store.js";
import { useRedis } from "./redis-server.fixture.js";

const connect = useRedis();
const RATE = { perSecond: 0.001, burst: 10 };

rateStoreContract(async (options) => new RedisRateStore(await connect(), options));

describe("RedisRateStore", () => {
  it("counts the calls of two processes together, by the clock of Redis", async () => {
    const stores = [await connect({ prefix: "both" }), await connect({ prefix: "both" })].map(
      (connection) => new RedisRateStore(connection),
    );
    const grants = await Promise.all([...stores, ...stores].map((store) => store.take("a", RATE, 4)));

    expect(grants.map(({ calls }) => calls).sort()).toEqual([0, 2, 4, 4]);
    const [, refused] = await Promise.all(stores.map((store) => store.take("a", RATE, 1)));
    expect(refused?.retryAfterMs).toBeGreaterThan(900_000);
    expect(refused?.retryAfterMs).toBeLessThanOrEqual(1_000_000);
  });

  it("gives a process with a smaller burst no more than that", async () => {
    const store = new RedisRateStore(await connect());
    await store.take("a", { perSecond: 0.001, burst: 10 }, 1);

    expect(await store.take("a", { perSecond: 0.001, burst: 4 }, 9)).toMatchObject({ calls: 4 });
  });

  it("gives every key an expiry, after the time in which the bucket is full", async () => {
    const connection = await connect();
    await new RedisRateStore(connection).take("a", RATE, 1);
    const keys = (await connection.send("keys", ["KEYS", connection.key("*")])) as string[];

    expect(keys).toHaveLength(2);
    for (const key of keys) expect(await connection.send(key, ["PTTL", key])).toBeGreaterThan(1_000_000);
  });

  it("keeps no bucket that is full again", async () => {
    const connection = await connect();
    let now = 1_000;
    const store = new RedisRateStore(connection, { now: () => now });
    for (const key of ["a", "b", "c"]) await store.take(key, RATE, 1);
    now += 1_000_000;
    await store.take("d", RATE, 1);

    expect(await connection.send("buckets", ["HLEN", connection.key("rates")])).toBe(1);
    expect(await connection.send("times", ["ZCARD", connection.key("rates", "full")])).toBe(1);
  });

  it("keeps no more buckets than its limit", async () => {
    const connection = await connect();
    const store = new RedisRateStore(connection, { maxBuckets: 3 });
    for (let index = 0; index < 9; index += 1) await store.take(`${index}`, RATE, 1);

    expect(await connection.send("buckets", ["HLEN", connection.key("rates")])).toBe(3);
  });

  it("names the key of a foreign value", async () => {
    const connection = await connect();
    const store = new RedisRateStore(connection);
    await store.take("a", RATE, 1);
    const key = connection.key("rates");
    const [field] = (await connection.send(key, ["HKEYS", key])) as string[];
    for (const value of ["", "much", "1", "1 later", "1 2 3"]) {
      await connection.send(key, ["HSET", key, String(field), value]);
      await expect(store.take("a", RATE, 1)).rejects.toThrow(`The Redis key ${key} holds a value of another program`);
    }
  });

  it("refuses 0 as maxBuckets", async () => {
    const connection = await connect();
    expect(() => new RedisRateStore(connection, { maxBuckets: 0 })).toThrow(
      "maxBuckets: expected a number from 1, got 0",
    );
  });
});
