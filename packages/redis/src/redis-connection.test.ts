import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { SdkError } from "parley-mcp/server";
import { describe, expect, it } from "vitest";
import { RedisConnection, redisScript } from "./redis-connection.js";
import { eventually, TestRedis, useRedis } from "./redis-server.fixture.js";

const connect = useRedis();
const UNAVAILABLE = { code: 429, data: { limit: "server", retryAfterMs: 1_000 } };

describe("a connection to Redis", () => {
  it("rejects commands at once while Redis is gone, and recovers by itself", async () => {
    await using redis = await TestRedis.start();
    const errors: Error[] = [];
    await using connection = await RedisConnection.open(redis.url, { onError: (error) => errors.push(error) });
    let reconnects = 0;
    connection.onReconnect(() => {
      reconnects += 1;
    });
    await redis.kill();
    await expect(connection.send("k", ["GET", "k"])).rejects.toMatchObject(UNAVAILABLE);
    await expect(connection.send("k", ["GET", "k"])).rejects.toMatchObject(UNAVAILABLE);
    expect(errors.map(({ message }) => message)).toEqual(["Redis fails; requests that need it are refused"]);
    await redis.restart();
    await eventually(() => reconnects > 0);
    expect(await connection.send("k", ["GET", "k"])).toBeNull();
    await redis.kill();
    await eventually(() => errors.length === 2);
  });

  it("reports a full Redis once, although it answers reads", async () => {
    await using redis = await TestRedis.start();
    const errors: Error[] = [];
    await using connection = await RedisConnection.open(redis.url, { onError: (error) => errors.push(error) });
    await connection.send("maxmemory", ["CONFIG", "SET", "maxmemory", "1"]);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(connection.send("k", ["SET", "k", "x"])).rejects.toMatchObject(UNAVAILABLE);
      expect(await connection.send("k", ["GET", "k"])).toBeNull();
    }
    expect(errors).toHaveLength(1);
  });

  it("rejects a command that a hanging Redis does not answer in time", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url, { commandTimeoutMs: 1_000 });
    redis.pause();
    const hanging = connection.send("k", ["GET", "k"]);
    await expect(hanging).rejects.toMatchObject({ ...UNAVAILABLE, cause: { message: /within 1000 ms/ } });
    redis.resume();
    await eventually(() =>
      connection.send("k", ["GET", "k"]).then(
        () => true,
        () => false,
      ),
    );
  });

  it("gets an answer that has arrived while the process was too busy to read it", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url, { commandTimeoutMs: 1_000 });
    const answers = ["a", "b"].map((key) => connection.send(key, ["GET", key]));
    // These two are sent before the process blocks, and the third after that.
    await new Promise(setImmediate);
    answers.push(connection.send("c", ["GET", "c"]));
    const until = performance.now() + 2_000;
    while (performance.now() < until);

    expect(await Promise.all(answers)).toEqual([null, null, null]);
  });

  it.each([{ maxPendingCommands: 3 }, { maxPendingCharacters: 20 }])(
    "refuses further commands while %o wait",
    async (limit) => {
      await using redis = await TestRedis.start();
      await using connection = await RedisConnection.open(redis.url, { ...limit, commandTimeoutMs: 60_000 });
      redis.pause();
      const waiting = ["a", "b", "c"].map((key) => connection.send(key, ["GET", key]));
      const settled = Promise.allSettled(waiting);
      await expect(connection.send("d", ["GET", "d".repeat(10)])).rejects.toMatchObject(UNAVAILABLE);
      redis.resume();
      expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
      expect(await connection.send("d", ["GET", "d".repeat(10)])).toBeNull();
    },
  );

  it("says that a full Redis is not available", async () => {
    const connection = await connect();
    await connection.send("config", ["CONFIG", "SET", "maxmemory", "1"]);
    await expect(connection.send("k", ["SET", "k", "v"])).rejects.toMatchObject(UNAVAILABLE);
    await connection.send("config", ["CONFIG", "SET", "maxmemory", "0"]);
  });

  it("names the key of a command that Redis refuses", async () => {
    const connection = await connect();
    await expect(connection.send("k", ["HGET", "k"])).rejects.toThrow(
      new SdkError(
        "invalid-message",
        "Redis refused a command for k: ERR wrong number of arguments for 'hget' command",
      ),
    );
  });

  it("says where a value of another program is that a command or a script meets", async () => {
    const connection = await connect();
    await connection.send("k", ["SET", "k:m", "v"]);
    const script = redisScript("return redis.call('HGET', KEYS[1] .. ':m', 'f')");
    const advice = /WRONGTYPE.*; a key that begins with this name holds a value of another program: delete it$/;
    await expect(connection.send("k:m", ["HGET", "k:m", "f"])).rejects.toThrow(advice);
    await expect(connection.run(script, "k")).rejects.toThrow(advice);
  });

  it("sends a script once, and again after Redis has forgotten it", async () => {
    const connection = await connect();
    const script = redisScript("return { KEYS[1], ARGV[1] }");
    expect(await connection.run(script, "k", 1)).toEqual(["k", "1"]);
    expect(await connection.run(script, "k", 2)).toEqual(["k", "2"]);
    await connection.send("scripts", ["SCRIPT", "FLUSH"]);
    expect(await connection.run(script, "k", 3)).toEqual(["k", "3"]);
    await expect(connection.run(redisScript("return nothing()"), "k")).rejects.toMatchObject({
      code: "invalid-message",
    });
  });

  it("hears a channel until it stops, also after a lost connection", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url);
    const heard: string[] = [];
    const stop = await connection.subscribe("c", (message) => heard.push(message));
    await connection.send("c", ["PUBLISH", "c", "1"]);
    await eventually(() => heard.length === 1);
    const reconnected = new Promise<void>((resolve) => void connection.onReconnect(resolve));
    await redis.kill();
    await redis.restart();
    await reconnected;
    await connection.send("c", ["PUBLISH", "c", "2"]);
    await eventually(() => heard.length === 2);
    await stop();
    expect(await connection.send("c", ["PUBLISH", "c", "3"])).toBe(0);
  });

  it("does not subscribe while Redis is gone", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url);
    await connection.close();
    await connection.close();
    await expect(connection.subscribe("c", () => {})).rejects.toMatchObject(UNAVAILABLE);
  });

  it("does not wait for a hanging Redis to subscribe", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url, { commandTimeoutMs: 1_000 });
    redis.pause();
    await expect(connection.subscribe("c", () => {})).rejects.toMatchObject(UNAVAILABLE);
    redis.resume();
  });

  it("stops telling of new connections", async () => {
    await using redis = await TestRedis.start();
    await using connection = await RedisConnection.open(redis.url);
    const told: string[] = [];
    connection.onReconnect(() => told.push("stopped"))();
    connection.onReconnect(() => told.push("kept"));
    await redis.kill();
    await redis.restart();
    await eventually(() => told.length > 0);
    expect(told).toEqual(["kept"]);
  });
});

describe("opening a connection", () => {
  it("fails if nothing answers", async () => {
    await using redis = await TestRedis.start();
    await redis.kill();
    await expect(RedisConnection.open(redis.url, { connectTimeoutMs: 100 })).rejects.toMatchObject({
      code: "connection-closed",
      message: expect.stringMatching(
        /^Redis does not answer \(.*ECONNREFUSED.*\); is it running, and is the URL right\?$/,
      ),
    });
  });

  it("fails in time if a server says nothing", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const opened = RedisConnection.open(`redis://127.0.0.1:${port}`, { connectTimeoutMs: 100 });
    await expect(opened).rejects.toThrow(/^Redis does not answer \(.+\); is it running/);
    silent.close();
  });

  it.each([
    ["no password", "", "NOAUTH"],
    ["a wrong password", ":hunter2@", "WRONGPASS"],
  ])("names the refusal of %s at once, and not the password", async (_case, credentials, reply) => {
    await using redis = await TestRedis.start();
    await using admin = await RedisConnection.open(redis.url);
    await admin.send("the password", ["CONFIG", "SET", "requirepass", "right"]);
    const url = redis.url.replace("redis://", `redis://${credentials}`);
    const refusal = await RedisConnection.open(url, { connectTimeoutMs: 600_000 }).catch((error: Error) => error);
    expect(refusal).toMatchObject({ code: "connection-closed", message: expect.stringContaining(reply) });
    expect((refusal as Error).message).toContain("check the user and the password in the URL");
    expect((refusal as Error).message).not.toContain("hunter2");
  });

  it.each(["", "localhost", "http://localhost", "redis://localhost/x"])("refuses the URL %j", async (url) => {
    await expect(RedisConnection.open(url)).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("expected one like redis://"),
    });
  });

  it.each(["", "a:b", "{a}", "x".repeat(65)])("refuses the prefix %j", async (prefix) => {
    await expect(RedisConnection.open("redis://localhost", { prefix })).rejects.toThrow(
      "prefix: expected 1 to 64 letters, digits, and the signs . _ -",
    );
  });

  it.each(["connectTimeoutMs", "commandTimeoutMs", "maxPendingCommands", "maxPendingCharacters"])(
    "refuses 0 as %s",
    async (name) => {
      await expect(RedisConnection.open("redis://localhost", { [name]: 0 })).rejects.toThrow(
        `${name}: expected a number from 1, got 0`,
      );
    },
  );
});
