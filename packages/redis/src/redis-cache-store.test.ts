import { describe, expect, it } from "vitest";
import { cacheStoreContract } from "../../sdk/src/client/cache-store-contract.js";
import { RedisCacheStore } from "./redis-cache-store.js";
import { useRedis } from "./redis-server.fixture.js";

const connect = useRedis();

cacheStoreContract(async (limits) => new RedisCacheStore(await connect(), limits));

describe("RedisCacheStore", () => {
  const entry = { text: "{}", receivedAt: 0, ttlMs: 1_000 };

  it.each(["{", '{"expiresAt":9e15,"value":null}', '{"expiresAt":9e15,"value":{"text":1}}'])(
    "takes the foreign value %s for absent, and replaces it",
    async (text) => {
      const connection = await connect();
      const store = new RedisCacheStore(connection);
      const key = connection.key("cache", "r", '["g","k"]');
      await connection.send(key, ["SET", key, text]);
      expect(await store.get("g", "k")).toBeUndefined();
      await store.set("g", "k", entry);
      expect(await store.get("g", "k")).toEqual(entry);
    },
  );

  it("keeps a stale entry for a while", async () => {
    const connection = await connect();
    await new RedisCacheStore(connection, { keepStaleMs: 5_000 }).set("g", "k", entry);
    const key = connection.key("cache", "r", '["g","k"]');
    expect(Number(await connection.send(key, ["PTTL", key]))).toBeGreaterThan(60_000);
    expect(JSON.parse(String(await connection.send(key, ["GET", key]))).expiresAt).toBeGreaterThan(Date.now() + 5_000);
  });

  it("passes on that Redis is gone", async () => {
    const connection = await connect();
    const store = new RedisCacheStore(connection);
    await connection.close();
    await expect(store.get("g", "k")).rejects.toMatchObject({ code: 429 });
    await expect(store.set("g", "k", entry)).rejects.toMatchObject({ code: 429 });
  });

  it.each(["maxEntries", "maxCharacters", "keepStaleMs"])("refuses -1 as %s", async (name) => {
    const connection = await connect();
    expect(() => new RedisCacheStore(connection, { [name]: -1 })).toThrow(`${name}: expected a number from 0, got -1`);
  });
});
