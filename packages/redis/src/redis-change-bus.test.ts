import { describe, expect, it } from "vitest";
import { changeBusContract } from "../../sdk/src/server/changes/change-bus-contract.js";
import { RedisChangeBus } from "./redis-change-bus.js";
import { RedisConnection } from "./redis-connection.js";
import { eventually, TestRedis, useRedis } from "./redis-server.fixture.js";

const connect = useRedis();

changeBusContract(async () => RedisChangeBus.open(await connect()));

function kinds(bus: RedisChangeBus): string[] {
  const heard: string[] = [];
  bus.subscribe(({ kind }) => heard.push(kind));
  return heard;
}

describe("RedisChangeBus", () => {
  it("carries changes between processes", async () => {
    const [one, other] = [await connect({ prefix: "both" }), await connect({ prefix: "both" })];
    await using publisher = await RedisChangeBus.open(one);
    await using bus = await RedisChangeBus.open(other);
    const heard = kinds(bus);
    await publisher.publish({ kind: "tools" });
    await eventually(() => heard.length > 0);
    expect(heard).toEqual(["tools"]);
  });

  it("says after a lost connection that changes were missed", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url);
    await using bus = await RedisChangeBus.open(connection);
    const heard = kinds(bus);
    await redis.kill();
    await redis.restart();
    await eventually(() => heard.length > 0);
    expect(heard).toEqual(["missed"]);
  });

  it("tells other processes of a change that could not be published", async () => {
    await using redis = await TestRedis.start();
    await using one = await RedisConnection.open(redis.url, { commandTimeoutMs: 1_000 });
    await using other = await RedisConnection.open(redis.url);
    await using publisher = await RedisChangeBus.open(one);
    await using bus = await RedisChangeBus.open(other);
    const heard = kinds(bus);
    redis.pause();
    await expect(publisher.publish({ kind: "prompts" })).rejects.toMatchObject({ code: 429 });
    redis.resume();
    await eventually(() =>
      publisher.publish({ kind: "tools" }).then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => heard.includes("missed"));
    expect(heard.at(-1)).toBe("missed");
  });

  it("reports after the next connection that it still cannot publish", async () => {
    await using redis = await TestRedis.start();
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    // No command of the bus fits.
    await using connection = await RedisConnection.open(redis.url, { maxPendingCharacters: 20, onError });
    await using bus = await RedisChangeBus.open(connection);
    await expect(bus.publish({ kind: "tools" })).rejects.toMatchObject({ code: 429 });
    await redis.kill();
    await redis.restart();
    await eventually(() => errors.some((error) => "code" in error && error.code === 429));
  });

  it("publishes after the next connection that changes were missed", async () => {
    await using redis = await TestRedis.start();
    await using one = await RedisConnection.open(redis.url);
    await using other = await RedisConnection.open(redis.url);
    await using publisher = await RedisChangeBus.open(one);
    await using bus = await RedisChangeBus.open(other);
    await redis.kill();
    await expect(publisher.publish({ kind: "prompts" })).rejects.toMatchObject({ code: 429 });
    const reconnected = new Promise<void>((resolve) => void other.onReconnect(resolve));
    await redis.restart();
    await reconnected;
    const heard = kinds(bus);
    await publisher.publish({ kind: "tools" }).catch(() => {});
    await eventually(() => heard.includes("missed"));
  });

  it.each(["{", "null", '{"kind":"other"}', '{"kind":"resource"}'])(
    "reports the foreign message %s",
    async (message) => {
      const errors: string[] = [];
      const connection = await connect({ onError: (error) => errors.push(error.message) });
      await using bus = await RedisChangeBus.open(connection);
      const heard = kinds(bus);
      const channel = connection.key("changes");
      await connection.send(channel, ["PUBLISH", channel, message]);
      await eventually(() => errors.length > 0);
      expect(errors).toEqual([`The Redis key ${channel} holds a value of another program; delete it`]);
      expect(heard).toEqual([]);
    },
  );

  it("hears nothing once it is closed", async () => {
    const connection = await connect();
    const bus = await RedisChangeBus.open(connection);
    await bus.close();
    await bus.close();
    const channel = connection.key("changes");
    expect(await connection.send(channel, ["PUBLISH", channel, "{}"])).toBe(0);
  });
});
