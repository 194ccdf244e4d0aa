import { describe, expect, it, vi } from "vitest";
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

  it("deletes a large group in several calls of Redis", async () => {
    const connection = await connect();
    const store = new RedisCacheStore(connection);
    const keys = Array.from({ length: 300 }, (_, index) => `${index}`);
    await Promise.all(keys.map((key) => store.set("g", key, { ...entry, ttlMs: 60_000, receivedAt: Date.now() })));
    const run = vi.spyOn(connection, "run");
    await store.deleteGroup("g");
    expect(run).toHaveBeenCalledTimes(2);
    expect(await Promise.all(keys.map((key) => store.get("g", key)))).toEqual(keys.map(() => undefined));
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
