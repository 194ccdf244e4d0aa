import { describe, expect, it } from "vitest";
import { sessionStoreContract } from "../../sdk/src/hosting/http/legacy/sessions/session-store-contract.js";
import { useRedis } from "./redis-server.fixture.js";
import { RedisSessionStore } from "./redis-session-store.js";

const connect = useRedis();

// In a group of its own, since it fakes the clock of its group.
describe("RedisSessionStore as a session store", () =>
  sessionStoreContract(async (limits) => new RedisSessionStore(await connect(), limits)));

describe("RedisSessionStore", () => {
  it.each(["null", "{}", '{"handshake":{},"principal":1}'])("names the key of the foreign value %s", async (value) => {
    const connection = await connect();
    const key = connection.key("sessions", "r", "s");
    await connection.send(key, ["SET", key, `{"expiresAt":9e15,"value":${value}}`]);
    await expect(new RedisSessionStore(connection).get("s")).rejects.toThrow(`The Redis key ${key} holds a value`);
  });

  it.each(["maxSessions", "maxBytes"])("refuses 0 as %s", async (name) => {
    const connection = await connect();
    expect(() => new RedisSessionStore(connection, { [name]: 0 })).toThrow(`${name}: expected a number from 1, got 0`);
  });
});
