import { describe, expect, it } from "vitest";
import { storeContract } from "../../sdk/src/oauth/server/store-contract.js";
import { RedisAuthorizationStore } from "./redis-authorization-store.js";
import { useRedis } from "./redis-server.fixture.js";

const connect = useRedis();

storeContract(async () => {
  const clock = { now: 1_000 };
  return { store: new RedisAuthorizationStore(await connect(), { now: () => clock.now }), clock };
});

describe("RedisAuthorizationStore", () => {
  const revoked = (owner: string) => () => ({
    value: { isRevoked: true } as const,
    expiresAt: Number.MAX_SAFE_INTEGER,
    owner,
  });

  it("drops the oldest records of the owner with the most, and tells the owner", async () => {
    const store = new RedisAuthorizationStore(await connect(), { maxRecords: 3 });
    await store.update("revoked", "of the user", revoked("user"));
    for (const key of ["1", "2", "3", "4"]) await store.update("revoked", key, revoked("flood"));
    expect(await store.get("revoked", "of the user")).toMatchObject({ owner: "user" });
    expect(await store.get("revoked", "2")).toBeUndefined();
    expect(await store.get("revoked", "3")).toBeDefined();
    expect(await store.get("revoked", "4")).toBeDefined();
  });

  it("drops the records of the owner with the most characters", async () => {
    const store = new RedisAuthorizationStore(await connect(), { maxCharacters: 1_000 });
    const consent = (owner: string, size: number) => () => ({
      value: { scopes: ["x".repeat(size)], givenAt: 0 },
      expiresAt: Number.MAX_SAFE_INTEGER,
      owner,
    });
    await store.update("consents", "small", consent("user", 1));
    for (const key of ["1", "2", "3"]) await store.update("consents", key, consent("flood", 300));
    expect(await store.get("consents", "small")).toBeDefined();
    expect(await store.get("consents", "1")).toBeUndefined();
    expect(await store.get("consents", "3")).toBeDefined();
  });

  it("refuses a record that is larger than its table", async () => {
    const store = new RedisAuthorizationStore(await connect(), { maxCharacters: 100 });
    await expect(store.update("revoked", "k".repeat(100), revoked("user"))).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringContaining(":1:oauth:revoked takes more than all the 100 characters of its table"),
    });
  });

  it("counts no record that has expired", async () => {
    let now = 1_000;
    const store = new RedisAuthorizationStore(await connect(), { maxRecords: 2, now: () => now });
    const until = (expiresAt: number) => () => ({ value: { isSpent: true } as const, expiresAt });
    await store.update("spent", "long", until(9_000));
    await store.update("spent", "short", until(2_000));
    now = 2_000;
    await store.update("spent", "next", until(9_000));
    expect(await store.get("spent", "long")).toBeDefined();
  });

  it("makes room among expired records whose owner Redis has forgotten", async () => {
    const connection = await connect({ prefix: "forgotten" });
    let now = 1_000;
    const open = (maxRecords: number) => new RedisAuthorizationStore(connection, { maxRecords, now: () => now });
    const spent = (owner: string, expiresAt: number) => () => ({ value: { isSpent: true } as const, expiresAt, owner });
    const large = open(2_000);
    await large.update("spent", "long", spent("user", 9_000_000));
    await Promise.all(
      Array.from({ length: 1_200 }, (_, index) => large.update("spent", `${index}`, spent("flood", 2_000))),
    );
    const ids = connection.key("oauth:spent:o:flood");
    expect(await connection.send(ids, ["DEL", ids])).toBe(1);
    now = 3_000;
    const small = open(100);
    await small.update("spent", "next", spent("user", 9_000_000));
    expect(await small.get("spent", "next")).toBeDefined();
  });

  it("lets no updates of two processes interleave", async () => {
    const [one, other] = [await connect({ prefix: "both" }), await connect({ prefix: "both" })];
    const stores = [new RedisAuthorizationStore(one), new RedisAuthorizationStore(other)];
    const add = (scope: number) =>
      stores[scope % 2]?.update("consents", "k", (current) => ({
        value: { scopes: [...(current?.value.scopes ?? []), String(scope)], givenAt: 0 },
        expiresAt: Date.now() + 60_000,
      }));
    await Promise.all(Array.from({ length: 20 }, (_, scope) => add(scope)));
    expect((await stores[0]?.get("consents", "k"))?.value.scopes).toHaveLength(20);
  });

  it("gives up an update that others always overtake", async () => {
    const connection = await connect();
    const store = new RedisAuthorizationStore(connection);
    const key = connection.key("oauth", "spent", "r", "k");
    let turn = 0;
    const overtaken = store.update("spent", "k", () => {
      turn += 1;
      const rival = { value: { isSpent: true, turn }, expiresAt: Number.MAX_SAFE_INTEGER };
      void connection.send(key, ["SET", key, JSON.stringify(rival)]);
      return { value: { isSpent: true }, expiresAt: Number.MAX_SAFE_INTEGER };
    });
    await expect(overtaken).rejects.toMatchObject({ code: 429, data: { limit: "server" } });
    expect(turn).toBe(32);
  });

  it.each([
    "not JSON",
    "[]",
    '{"value":1}',
    '{"expiresAt":1}',
    '{"expiresAt":1,"value":1}',
    '{"expiresAt":1,"value":{},"owner":1}',
  ])("names the key of the foreign value %s", async (text) => {
    const connection = await connect();
    const key = connection.key("oauth", "spent", "r", "k");
    await connection.send(key, ["SET", key, text]);
    await expect(new RedisAuthorizationStore(connection).get("spent", "k")).rejects.toMatchObject({
      code: "invalid-message",
      message: `The Redis key ${key} holds a value of another program; delete it`,
    });
  });

  it("gives every key an expiry", async () => {
    const connection = await connect();
    const store = new RedisAuthorizationStore(connection);
    await store.update("revoked", "k", revoked("user"));
    const keys = (await connection.send("keys", ["KEYS", `${connection.key("")}*`])) as string[];
    expect(keys).toHaveLength(7);
    for (const key of keys) expect(await connection.send(key, ["PTTL", key])).toBeGreaterThan(0);
  });

  it.each(["maxRecords", "maxCharacters"])("refuses 0 as %s", async (name) => {
    const connection = await connect();
    expect(() => new RedisAuthorizationStore(connection, { [name]: 0 })).toThrow(
      `${name}: expected a number from 1, got 0`,
    );
  });
});
