import { expect, it } from "vitest";
import { usedStatesContract } from "../../sdk/src/server/input/used-states-contract.js";
import { useRedis } from "./redis-server.fixture.js";
import { RedisUsedStates } from "./redis-used-states.js";

const connect = useRedis();

usedStatesContract(async (options) => new RedisUsedStates(await connect(), options));

it("grants an id to one process", async () => {
  const stores = [await connect({ prefix: "both" }), await connect({ prefix: "both" })].map(
    (connection) => new RedisUsedStates(connection),
  );
  const claims = await Promise.all(stores.map((store) => store.claim("a", Date.now() + 60_000)));
  expect(claims.filter(Boolean)).toHaveLength(1);
});

it("gives every key an expiry", async () => {
  const connection = await connect();
  const used = new RedisUsedStates(connection, { maxStates: 1 });
  for (const id of ["a", "b"]) await used.claim(id, Date.now() + 60_000);
  const keys = (await connection.send("keys", ["KEYS", connection.key("*")])) as string[];
  expect(keys).toHaveLength(2);
  for (const key of keys) expect(await connection.send(key, ["PTTL", key])).toBeGreaterThan(60_000);
});

it("gives every key of a principal an expiry, and removes the keys with its last state", async () => {
  const connection = await connect();
  const used = new RedisUsedStates(connection, { maxStates: 2 });
  const keys = async () => (await connection.send("keys", ["KEYS", connection.key("*")])) as string[];
  const expiresAt = Date.now() + 60_000;
  for (const index of [0, 1, 2]) await used.claim(`ann ${index}`, expiresAt + index, "ann");
  expect(await keys()).toHaveLength(4);
  for (const key of await keys()) expect(await connection.send(key, ["PTTL", key])).toBeGreaterThan(60_000);
  for (const index of [3, 4]) await used.claim(`${index}`, expiresAt + index);
  expect(await keys()).toHaveLength(2);
});

it("refuses 0 as maxStates", async () => {
  const connection = await connect();
  expect(() => new RedisUsedStates(connection, { maxStates: 0 })).toThrow("maxStates: expected a number from 1, got 0");
});
