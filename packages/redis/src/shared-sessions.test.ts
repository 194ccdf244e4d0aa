import { type HttpServerHandle, serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type RedisBackend, redisBackend } from "./redis-backend.js";
import { eventually, TestRedis } from "./redis-server.fixture.js";

const form = z.object({ ok: z.boolean() });

/** One process: a server with its own connection to Redis. */
interface Replica extends AsyncDisposable {
  readonly shared: RedisBackend;
  readonly host: HttpServerHandle;
  readonly server: McpServer;
  /** Lets the tool `steps` go on. */
  step(): void;
  readonly aborted: unknown[];
}

async function replica(url: string, commandTimeoutMs = 2_000): Promise<Replica> {
  const shared = await redisBackend(url, { commandTimeoutMs });
  const server = new McpServer({
    name: "r",
    version: "1",
    ...shared.server,
    capabilities: { logging: {} },
    onError: () => {},
  });
  const waiting: (() => void)[] = [];
  const aborted: unknown[] = [];
  const next = () => new Promise<void>((resolve) => void waiting.push(resolve));
  server.tool("quick", () => "done");
  server.tool("ask", async (_args, context) => (await context.elicit({ message: "Sure?", schema: form })).action);
  server.tool("steps", async (_args, context) => {
    context.signal.addEventListener("abort", () => aborted.push(context.signal.reason));
    for (const step of [1, 2]) {
      await context.progress(step);
      await next();
    }
    return "stepped";
  });
  server.tool("talk", (_args, context) => {
    context.log.debug("chatter");
    return "";
  });
  server.resource("a://b", { name: "b" }, () => "");
  const host = await serveHttp(server, { ...shared.http, shutdownGraceMs: 0 });
  const close = async () => {
    await host.close();
    await shared.close();
  };
  return { shared, host, server, aborted, step: () => waiting.shift()?.(), [Symbol.asyncDispose]: close };
}

const ACCEPT = "application/json, text/event-stream";

/** Raw exchanges of one session. Each names the replica that it goes to. */
class Wire {
  session = "";

  headers(): Record<string, string> {
    const session = this.session === "" ? {} : { "mcp-session-id": this.session };
    return { "content-type": "application/json", accept: ACCEPT, ...session };
  }

  post({ host }: Replica, message: object): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return fetch(host.url, { method: "POST", headers: this.headers(), body });
  }

  call(at: Replica, id: number, name: string): Promise<Response> {
    const params = { name, arguments: {}, _meta: { progressToken: id } };
    return this.post(at, { id, method: "tools/call", params });
  }

  get({ host }: Replica, after?: string): Promise<Response> {
    const resumed = after === undefined ? {} : { "last-event-id": after };
    return fetch(host.url, { headers: { ...this.headers(), ...resumed } });
  }

  delete({ host }: Replica): Promise<Response> {
    return fetch(host.url, { method: "DELETE", headers: this.headers() });
  }

  async open(at: Replica): Promise<void> {
    const capabilities = { elicitation: {}, roots: {} };
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "c", version: "1" } };
    const opened = await this.post(at, { id: 0, method: "initialize", params });
    await opened.text();
    this.session = opened.headers.get("mcp-session-id") ?? "";
    expect((await this.post(at, { method: "notifications/initialized" })).status).toBe(202);
  }
}

/** Reads the events of a response one by one. */
class Events {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";
  lastId = "";

  constructor(response: Response) {
    if (!response.body) throw new Error("The response has no body");
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next message; undefined at the end of the stream. */
  async next(): Promise<Record<string, unknown> | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        this.lastId = /^id: (.*)$/m.exec(block)?.[1] ?? this.lastId;
        const data = /^data: (.+)$/m.exec(block)?.[1];
        if (data !== undefined) return JSON.parse(data);
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}

async function open() {
  const redis = await TestRedis.start();
  const all = [await replica(redis.url), await replica(redis.url), await replica(redis.url)] as const;
  return { redis, all };
}

describe("legacy sessions over Redis", () => {
  let redis: TestRedis;
  let a: Replica;
  let b: Replica;
  let c: Replica;

  beforeAll(async () => {
    const opened = await open();
    redis = opened.redis;
    [a, b, c] = opened.all;
  });

  afterAll(async () => {
    for (const one of [a, b, c]) await one[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  async function session(): Promise<Wire> {
    const wire = new Wire();
    await wire.open(a);
    return wire;
  }

  it("carry the answer that is posted at one process to the handler at another", async () => {
    const wire = await session();
    const events = new Events(await wire.call(b, 1, "ask"));
    const question = await events.next();
    const answer = { id: question?.id, result: { action: "accept", content: { ok: true } } };
    expect((await wire.post(c, answer)).status).toBe(202);
    expect(await events.next()).toMatchObject({ result: { content: [{ text: "accept" }] } });
  });

  it("carry a cancellation", async () => {
    const wire = await session();
    const events = new Events(await wire.call(b, 7, "steps"));
    await events.next();
    await wire.post(c, { method: "notifications/cancelled", params: { requestId: 7 } });
    expect(await events.next()).toBeUndefined();
    expect(b.aborted).toHaveLength(1);
  });

  it("let a stream be resumed at another process, once and in order", async () => {
    const wire = await session();
    const first = new Events(await wire.call(a, 2, "steps"));
    await first.next();
    await first.cancel();
    const resumed = new Events(await wire.get(b, first.lastId));
    a.step();
    expect(await resumed.next()).toMatchObject({ params: { progress: 2 } });
    a.step();
    expect(await resumed.next()).toMatchObject({ result: { content: [{ text: "stepped" }] } });
    expect(await resumed.next()).toBeUndefined();
  });

  it("have one standalone stream, which gets each change once", async () => {
    const wire = await session();
    const stream = await wire.get(b);
    expect(stream.status).toBe(200);
    expect((await wire.get(c)).status).toBe(409);
    await (await wire.call(c, 3, "quick")).text();
    await (await wire.post(c, { id: 4, method: "resources/subscribe", params: { uri: "a://b" } })).text();
    const events = new Events(stream);
    a.server.announce.resourceUpdated("a://b");
    expect(await events.next()).toMatchObject({ params: { uri: "a://b" } });
    await (await wire.post(a, { id: 5, method: "logging/setLevel", params: { level: "debug" } })).text();
    expect(await (await wire.call(c, 6, "talk")).text()).toContain("chatter");
    a.server.announce.toolsChanged();
    expect(await events.next()).toMatchObject({ method: "notifications/tools/list_changed" });
    await events.cancel();
  });

  it("end everywhere", async () => {
    const wire = await session();
    const stream = new Events(await wire.get(a));
    const call = new Events(await wire.call(b, 1, "steps"));
    await call.next();
    expect((await wire.delete(c)).status).toBe(204);
    expect(await stream.next()).toBeUndefined();
    expect(await call.next()).toMatchObject({ error: { code: -32603 } });
    for (const one of [a, b, c]) expect((await wire.call(one, 2, "quick")).status).toBe(404);
  });

  it("need one command for a plain call", async () => {
    const wire = await session();
    for (const one of [a, b, c]) await (await wire.call(one, 1, "quick")).text();
    const commands = async () => {
      const stats = String(await a.shared.connection.send("stats", ["INFO", "commandstats"]));
      const calls = [...stats.matchAll(/^cmdstat_(?!info|ping|hello|client)(\S+?):calls=(\d+)/gm)];
      return Object.fromEntries(calls.map(([, name, count]) => [name, Number(count)]));
    };
    const before = await commands();
    const calls = 30;
    for (let id = 0; id < calls; id += 1) {
      const at = [a, b, c][id % 3] as Replica;
      expect(await (await wire.call(at, id, "quick")).text()).toContain("done");
    }
    const after = await commands();
    const used = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
    // The task store shows a sign of life now and then.
    expect(used.filter(([, count]) => count > 3)).toEqual([["get", calls]]);
  });
});

describe("legacy sessions without Redis", () => {
  it("are 503 while it hangs, what needs nothing of it is served, and they go on afterwards", async () => {
    await using redis = await TestRedis.start();
    await using a = await replica(redis.url, 200);
    await using b = await replica(redis.url, 200);
    const wire = new Wire();
    await wire.open(a);
    const running = new Events(await wire.call(a, 1, "steps"));
    await running.next();
    await (await wire.call(b, 2, "quick")).text();

    redis.pause();
    const started = performance.now();
    const refused = await wire.call(b, 3, "quick");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    const opening = { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } };
    const clientInfo = { name: "c", version: "1" };
    const initialize = { ...opening, params: { ...opening.params, clientInfo } };
    expect((await new Wire().post(b, initialize)).status).toBe(503);
    expect((await wire.delete(b)).status).toBe(503);
    expect((await wire.get(b)).status).toBe(503);
    expect(performance.now() - started).toBeLessThan(5_000);
    a.step();
    expect(await running.next()).toMatchObject({ params: { progress: 2 } });
    a.step();
    expect(await running.next()).toMatchObject({ result: { content: [{ text: "stepped" }] } });

    redis.resume();
    await eventually(async () => {
      const response = await wire.call(b, 4, "quick");
      await response.text();
      return response.status === 200;
    });
  });

  it("are lost with a Redis that is restarted empty, and new ones open", async () => {
    await using redis = await TestRedis.start();
    await using a = await replica(redis.url);
    const wire = new Wire();
    await wire.open(a);
    const stream = new Events(await wire.get(a));
    await redis.kill();
    expect((await wire.call(a, 1, "quick")).status).toBe(503);
    await redis.restart();
    expect(await stream.next()).toBeUndefined();
    expect((await wire.call(a, 1, "quick")).status).toBe(404);
    await new Wire().open(a);
  });
});
