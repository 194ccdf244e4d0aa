import { describe, expect, it } from "vitest";
import { sessionChannelContract } from "../../sdk/src/hosting/http/legacy/sessions/session-channel-contract.js";
import { RedisConnection } from "./redis-connection.js";
import { eventually, TestRedis, useRedis } from "./redis-server.fixture.js";
import { RedisSessionChannel } from "./redis-session-channel.js";

const connect = useRedis();
let count = 0;

sessionChannelContract(async () => {
  count += 1;
  const prefix = `channel-${count}`;
  return [new RedisSessionChannel(await connect({ prefix })), new RedisSessionChannel(await connect({ prefix }))];
});

async function channels(connection: RedisConnection): Promise<unknown> {
  return connection.send("channels", ["PUBSUB", "CHANNELS", connection.key("*")]);
}

describe("RedisSessionChannel", () => {
  it("says after a lost connection that texts may have been lost, and goes on", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url);
    const channel = new RedisSessionChannel(connection);
    const heard: unknown[] = [];
    await channel.subscribe("s", (text) => heard.push(text));
    await redis.kill();
    await redis.restart();
    await eventually(() => heard.length > 0);
    expect(await channel.publish("s", "x")).toBe(1);
    await eventually(() => heard.length > 1);
    expect(heard).toEqual([undefined, "x"]);
  });

  it("leaves no subscription behind that ends while Redis is gone", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url);
    const channel = new RedisSessionChannel(connection);
    const heard: unknown[] = [];
    const end = await channel.subscribe("s", () => {});
    await channel.subscribe("t", (text) => heard.push(text));
    await redis.kill();
    await expect(channel.publish("s", "x")).rejects.toMatchObject({ code: 429 });
    await end();
    await redis.restart();
    await eventually(() => heard.length > 0);
    await eventually(async () => JSON.stringify(await channels(connection)) === '["parley:1:session:t"]');
  });

  it("leaves no subscription behind that Redis answers too late", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url, { commandTimeoutMs: 1_000 });
    const channel = new RedisSessionChannel(connection);
    redis.pause();
    await expect(channel.subscribe("s", () => {})).rejects.toMatchObject({ code: 429 });
    redis.resume();
    await eventually(async () => JSON.stringify(await channels(connection).catch(() => undefined)) === "[]");
  });

  it("counts subscriptions among the commands that wait", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url, { maxPendingCommands: 1, commandTimeoutMs: 1_000 });
    const channel = new RedisSessionChannel(connection);
    redis.pause();
    const refused: string[] = [];
    const subscribe = async (session: string) => {
      await expect(channel.subscribe(session, () => {})).rejects.toMatchObject({ code: 429 });
      refused.push(session);
    };
    await Promise.all(["s", "t"].map(subscribe));
    expect(refused).toEqual(["t", "s"]);
    redis.resume();
  });
});
