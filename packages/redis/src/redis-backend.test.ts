import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { serveTasks, startTool, tasks } from "parley-mcp/tasks";
import { describe, expect, it, vi } from "vitest";
import { type RedisBackend, redisBackend } from "./redis-backend.js";
import { eventually, TestRedis } from "./redis-server.fixture.js";

const ANN = { name: "ann", version: "1.0.0" };
const FORM = { message: "How many?", schema: { type: "object", properties: { count: { type: "integer" } } } } as const;

/** One process of a server. */
async function replica(shared: RedisBackend) {
  const server = new McpServer({
    ...{ name: "shop", version: "1.0.0", onError: () => {} },
    tasks: serveTasks({ store: shared.taskStore }),
    ...shared.server,
  });
  server.tool("order", {}, async (_args, context) => {
    const { content } = await context.elicit(FORM);
    return `ordered ${content?.count}`;
  });
  server.tool("bake", { task: "required" }, () => "baked");
  server.resource("shop://stock", { name: "stock" }, () => "12");
  const host = await serveHttp(server, { port: 0, ...shared.http });
  return { server, url: host.url, [Symbol.asyncDispose]: () => host.close() };
}

/** Sends each request to the next process, as a load balancer does. Keeps the answers. */
function roundRobin(urls: readonly (string | URL)[]) {
  const answers: Response[] = [];
  const balanced: typeof fetch = async (_input, init) => {
    const answer = await fetch(urls[answers.length % urls.length] as string | URL, init);
    answers.push(answer);
    return answer;
  };
  return { answers, target: { url: urls[0] as string | URL, fetch: balanced } };
}

describe("redisBackend", () => {
  it("lets one process go on with the input round of another", async () => {
    await using redis = await TestRedis.start();
    await using one = await redisBackend(redis.url);
    await using other = await redisBackend(redis.url);
    await using first = await replica(one);
    await using second = await replica(other);
    const { target } = roundRobin([first.url, second.url]);
    const elicit = () => ({ action: "accept", content: { count: 3 } }) as const;
    await using client = await Client.connect(target, { ...ANN, revisions: ["2026-07-28"], elicit });
    expect((await client.callTool("order")).content).toEqual([{ type: "text", text: "ordered 3" }]);
    expect(await one.connection.send("states", ["ZCARD", one.connection.key("used-states")])).toBe(1);
  });

  it("lets one process answer for the task of another", async () => {
    await using redis = await TestRedis.start();
    await using one = await redisBackend(redis.url);
    await using other = await redisBackend(redis.url);
    await using first = await replica(one);
    await using second = await replica(other);
    const { target } = roundRobin([first.url, second.url]);
    await using client = await Client.connect(target, { ...ANN, revisions: ["2026-07-28"], extensions: [tasks] });
    const { content } = await (await startTool(client, "bake")).result();
    expect(content).toEqual([{ type: "text", text: "baked" }]);
  });

  it("answers 503 with Retry-After while Redis is gone, and serves what needs no Redis", async () => {
    await using redis = await TestRedis.start();
    await using shared = await redisBackend(redis.url);
    await using only = await replica(shared);
    const { target, answers } = roundRobin([only.url]);
    const elicit = async () => {
      await redis.kill();
      return { action: "accept", content: { count: 3 } } as const;
    };
    await using client = await Client.connect(target, { ...ANN, revisions: ["2026-07-28"], elicit });
    await expect(client.callTool("order")).rejects.toMatchObject({ code: 429 });
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect((await client.readResource("shop://stock")).contents).toHaveLength(1);
    await redis.restart();
    await eventually(() =>
      shared.connection.send("any", ["PING"]).then(
        () => true,
        () => false,
      ),
    );
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
  });

  it("lets two processes serve no more calls of a client than its rate, and each by itself while Redis is gone", async () => {
    await using redis = await TestRedis.start();
    await using one = await redisBackend(redis.url);
    await using other = await redisBackend(redis.url);
    const rateLimits = { "tools/call": { perSecond: 0.001, burst: 10 } };
    const reported: Error[] = [];
    const onError = (error: Error) => void reported.push(error);
    const hosts = await Promise.all(
      [one, other].map((shared) => {
        const server = new McpServer({ name: "shop", version: "1.0.0", rateLimits, onError, ...shared.server });
        server.tool("look", () => "fine");
        return serveHttp(server, { authenticate: (request) => ({ principal: request.header("x-user") }) });
      }),
    );
    const served = async (user: string) => {
      let sent = 0;
      const balanced: typeof fetch = (_url, init) => {
        const headers = new Headers(init?.headers);
        headers.set("x-user", user);
        sent += 1;
        return fetch(hosts[sent % 2]?.url as string, { ...init, headers });
      };
      const target = { url: hosts[0]?.url as string, fetch: balanced };
      await using client = await Client.connect(target, { ...ANN, revision: "2026-07-28" });
      const calls = Array.from({ length: 30 }, () => client.callTool("look"));
      const outcomes = await Promise.allSettled(calls);
      const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      for (const refusal of refusals) expect(refusal).toMatchObject({ code: 429, data: { limit: "principal" } });
      return outcomes.length - refusals.length;
    };

    expect(await served("ann")).toBe(10);
    expect(await served("ben")).toBe(10);
    await redis.kill();
    expect(await served("eve")).toBe(20);
    expect(reported.map(({ message }) => message)).toEqual(
      new Array(2).fill(expect.stringContaining("The rate store failed")),
    );
    for (const host of hosts) await host.close();
  });

  it("takes the keys of states that it is given", async () => {
    await using redis = await TestRedis.start();
    const stateKeys = [new Uint8Array(32)];
    await using shared = await redisBackend(redis.url, { stateKeys });
    expect(shared.server.requestState?.keys).toBe(stateKeys);
    expect(await shared.connection.send("key", ["EXISTS", shared.connection.key("state-key")])).toBe(0);
  });

  it("gives a process that starts later the same key of states, although Redis has lost its data", async () => {
    await using redis = await TestRedis.start();
    const errors: Error[] = [];
    const onError = (error: Error) => void errors.push(error);
    await using shared = await redisBackend(redis.url, { onError });
    const key = shared.connection.key("state-key");
    const stored = () => shared.connection.send(key, ["GET", key]).catch(() => null);
    await redis.kill();
    await redis.restart();
    await eventually(async () => (await stored()) !== null);
    await using late = await redisBackend(redis.url);
    expect(late.server.requestState?.keys).toEqual(shared.server.requestState?.keys);

    const interval = vi.spyOn(globalThis, "setInterval");
    await using flushed = await redisBackend(redis.url, { onError });
    const storeAgain = interval.mock.calls.map(([run]) => run);
    interval.mockRestore();
    await flushed.connection.send("everything", ["FLUSHALL"]);
    for (const run of storeAgain) run();
    await eventually(async () => (await stored()) !== null);
    await using latest = await redisBackend(redis.url);
    expect(latest.server.requestState?.keys).toEqual(shared.server.requestState?.keys);

    errors.length = 0;
    await flushed.connection.send(key, ["SET", key, Buffer.alloc(32).toString("base64")]);
    for (const run of [...storeAgain, ...storeAgain]) run();
    await eventually(() => errors.length > 0);
    await flushed.connection.send(key, ["PING"]);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(`${key} has changed`)]);
  });

  it("names the key of a foreign value, and closes its connection", async () => {
    await using redis = await TestRedis.start();
    await using shared = await redisBackend(redis.url);
    const key = shared.connection.key("state-key");
    expect(await shared.connection.send(key, ["PTTL", key])).toBeGreaterThan(0);
    await shared.connection.send(key, ["SET", key, "short"]);
    await expect(redisBackend(redis.url)).rejects.toThrow(`The Redis key ${key} holds no key of 32 bytes; delete it`);
    const clients = String(await shared.connection.send("clients", ["CLIENT", "LIST"]));
    expect(clients.trim().split("\n")).toHaveLength(1);
  });

  it("lets a client hear of the changes of another process, and missed ones after Redis was gone", async () => {
    await using redis = await TestRedis.start();
    await using one = await redisBackend(redis.url);
    await using other = await redisBackend(redis.url);
    await using first = await replica(one);
    await using second = await replica(other);
    await using client = await Client.connect(first.url, ANN);
    const heard: unknown[] = [];
    const subscription = await client.listen({ resource: ["shop://stock"] });
    const listening = (async () => {
      for await (const change of subscription) heard.push(change);
    })();
    second.server.announce.resourceUpdated("shop://stock");
    await eventually(() => heard.length === 1);
    await redis.kill();
    await redis.restart();
    await eventually(() => heard.length > 1);
    expect(heard[1]).toEqual({ kind: "resource", uri: "shop://stock" });
    await client.close();
    await listening.catch(() => {});
  });
});
