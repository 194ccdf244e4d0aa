import { describe, expect, it } from "vitest";
import { credentialStoreContract } from "../../sdk/src/oauth/client/credential-store-contract.js";
import { RedisCredentialStore } from "./redis-credential-store.js";
import { useRedis } from "./redis-server.fixture.js";

const connect = useRedis();

credentialStoreContract("RedisCredentialStore", async () => new RedisCredentialStore(await connect()));

describe("RedisCredentialStore", () => {
  it("lets the work of two processes take turns", async () => {
    const stores = [await connect({ prefix: "both" }), await connect({ prefix: "both" })].map(
      (connection) => new RedisCredentialStore(connection),
    );
    let running = 0;
    const work = async () => {
      running += 1;
      expect(running).toBe(1);
      await stores[0]?.set("k", "1");
      running -= 1;
    };
    await Promise.all([0, 1, 0, 1].map((index) => stores[index]?.withLock("k", work)));
  });

  it("gives up a lock that another process holds for too long", async () => {
    const connection = await connect();
    const lock = connection.key("credentials", "lock", "k");
    await connection.send(lock, ["SET", lock, "other"]);
    const store = new RedisCredentialStore(connection, { lockTimeoutMs: 1 });
    await expect(store.withLock("k", async () => {})).rejects.toMatchObject({
      code: "authorization-failed",
      message: "Another process has held a lock on credentials for 1 ms",
    });
  });

  it("renews a lock while the work runs, and leaves the lock of another process alone", async () => {
    const connection = await connect();
    const lock = connection.key("credentials", "lock", "k");
    const store = new RedisCredentialStore(connection, { lockMs: 300 });
    await store.withLock("k", async () => {
      const leftMs = async () => Number(await connection.send(lock, ["PTTL", lock]));
      // The time that is left shrinks until it is renewed.
      let [before, now] = [Number.POSITIVE_INFINITY, await leftMs()];
      while (now <= before) [before, now] = [now, await leftMs()];
      await connection.send(lock, ["SET", lock, "other"]);
    });
    expect(await connection.send(lock, ["GET", lock])).toBe("other");
  });

  it("returns the result of work during which Redis ended", async () => {
    const connection = await connect();
    const store = new RedisCredentialStore(connection);
    expect(await store.withLock("k", () => connection.close().then(() => "done"))).toBe("done");
  });

  it("names the key of a foreign value", async () => {
    const connection = await connect();
    const key = connection.key("credentials", "r", "k");
    await connection.send(key, ["SET", key, '{"expiresAt":9e15,"value":1}']);
    await expect(new RedisCredentialStore(connection).get("k")).rejects.toThrow(`The Redis key ${key} holds a value`);
  });

  it.each(["maxEntries", "maxCharacters", "ttlMs", "lockTimeoutMs", "lockMs"])("refuses 0 as %s", async (name) => {
    const connection = await connect();
    expect(() => new RedisCredentialStore(connection, { [name]: 0 })).toThrow(
      `${name}: expected a number from 1, got 0`,
    );
  });
});
