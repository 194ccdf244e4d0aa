import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "parley-mcp/client";
import { type HttpRequest, SocketTransport, serveHttp, serveSocket } from "parley-mcp/node";
import { InMemoryRateStore, McpServer, type McpServerOptions } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect, vi } from "vitest";
import { z } from "zod";
import { callPost, exchange, outcomeOf } from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

/** Runs with a clock that stands still until it is told otherwise. */
async function withClock(body: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    await body();
  } finally {
    vi.useRealTimers();
  }
}

function greeter(rateLimits: McpServerOptions["rateLimits"], options: Partial<McpServerOptions> = {}): McpServer {
  const server = new McpServer({ name: "greeter", version: "1.0.0", rateLimits, ...options });
  server.tool("greet", {}, () => "hello");
  server.prompt("ask", { input: z.object({ who: z.string() }), complete: { who: () => ["Ada"] } }, () => "Who?");
  return server;
}

const WHO = { ref: { type: "ref/prompt", name: "ask" }, argument: { name: "who", value: "A" } } as const;

/** Makes calls one after the other, and returns how many of them succeed before one is refused. */
async function succeeding(most: number, call: () => Promise<unknown>): Promise<number> {
  for (let count = 0; count < most; count += 1) {
    const refused = await call().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused === undefined) continue;
    expect(refused).toMatchObject({ code: 429, data: { limit: "connection" } });
    return count;
  }
  return most;
}

verifies(
  "limits:rates:calls",
  "the third call over a rate of two is refused, a list is not, and the call is served after the time in the refusal",
  async ({ connect }) => {
    const client = await connect(greeter({ "tools/call": { perSecond: 2, burst: 2 } }));

    await withClock(async () => {
      await client.callTool("greet");
      await client.callTool("greet");
      const refused = await client.callTool("greet").catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 429, data: { limit: "connection", retryAfterMs: 500 } });
      expect(refused).toHaveProperty("message", expect.stringContaining("2 per second, 2 at once"));
      expect((await client.listTools()).tools).toHaveLength(1);
      vi.advanceTimersByTime(499);
      await expect(client.callTool("greet")).rejects.toMatchObject({ data: { retryAfterMs: 1 } });
      vi.advanceTimersByTime(1);
      expect((await client.callTool("greet")).content).toEqual([{ type: "text", text: "hello" }]);
    });
  },
);

verifies(
  "limits:rates:completion",
  "the second completion over a rate of one is refused, and tools are served",
  async ({ connect }) => {
    const client = await connect(greeter({ "completion/complete": { perSecond: 0.001, burst: 1 } }));

    expect((await client.complete({ ref: WHO.ref, argument: WHO.argument })).completion.values).toEqual(["Ada"]);
    await expect(client.complete({ ref: WHO.ref, argument: WHO.argument })).rejects.toMatchObject({ code: 429 });
    expect((await client.callTool("greet")).content).toEqual([{ type: "text", text: "hello" }]);
  },
);

verifies(
  "limits:rates:by-default",
  "10,000 calls and 1,000 completions at once are served without options, and any number where the rates are lifted",
  async () => {
    await withClock(async () => {
      await using limited = await Client.connect(greeter(undefined), { name: "busy", version: "1.0.0" });
      expect(await succeeding(10_010, () => limited.callTool("greet"))).toBe(10_000);
      expect(await succeeding(1_010, () => limited.complete({ ref: WHO.ref, argument: WHO.argument }))).toBe(1_000);
      vi.advanceTimersByTime(10);
      expect(await succeeding(120, () => limited.callTool("greet"))).toBe(100);
      expect(await succeeding(20, () => limited.complete({ ref: WHO.ref, argument: WHO.argument }))).toBe(1);

      await using free = await Client.connect(greeter(false), { name: "busy", version: "1.0.0" });
      expect(await succeeding(10_010, () => free.callTool("greet"))).toBe(10_010);
      await using other = await Client.connect(greeter({ "tools/call": false }), { name: "busy", version: "1.0.0" });
      expect(await succeeding(10_010, () => other.callTool("greet"))).toBe(10_010);
      expect(await succeeding(1_010, () => other.complete({ ref: WHO.ref, argument: WHO.argument }))).toBe(1_000);
    });
  },
);

verifies(
  "limits:rates:per-client",
  "each principal has a rate, each forwarded address has one, and all others share that of the address they come from",
  async () => {
    const authenticate = (request: HttpRequest) => ({
      principal: request.header("x-user"),
      address: request.header("x-forwarded-for"),
    });
    await using host = await hostHttp(greeter({ "tools/call": { perSecond: 0.1, burst: 1 } }), { authenticate });
    const call = (headers = {}) => exchange(host.url, callPost("greet", {}, headers));
    const expectRefused = async (headers: Record<string, string>, limit: string) => {
      const { status, headers: sent, json } = await call(headers);
      expect([status, json]).toMatchObject([429, { error: { code: 429, data: { limit } } }]);
      expect(Number(sent.get("retry-after"))).toBeGreaterThan(1);
    };

    for (const [headers, limit] of [
      [{ "x-user": "ada" }, "principal"],
      [{ "x-user": "bob" }, "principal"],
      [{ "x-forwarded-for": "192.0.2.1" }, "address"],
      [{ "x-forwarded-for": "192.0.2.2" }, "address"],
      [{}, "address"],
    ] as const) {
      expect((await call(headers)).status).toBe(200);
      await expectRefused(headers, limit);
    }
    const legacy = await host.client({ headers: { "x-user": "ada" } }).open();
    const refused = await legacy.request(2, "tools/call", { name: "greet" });
    expect([refused.status, await refused.json()]).toMatchObject([429, { id: 2, error: { code: 429 } }]);
    expect(Number(refused.header("retry-after"))).toBeGreaterThan(1);
  },
);

verifies(
  "limits:rates:shared",
  "two servers serve three calls of a principal together, and then refuse it in either era, while another one is served",
  async () => {
    const rateStore = new InMemoryRateStore();
    const authenticate = (request: HttpRequest) => ({ principal: request.header("x-user") });
    const open = () =>
      hostHttp(greeter({ "tools/call": { perSecond: 0.1, burst: 3 } }, { rateStore }), { authenticate });
    await using first = await open();
    await using second = await open();
    const call = (host: { url: string }, user: string) => exchange(host.url, callPost("greet", {}, { "x-user": user }));

    for (const host of [first, second, first]) expect((await call(host, "ada")).status).toBe(200);
    for (const host of [first, second]) {
      const { status, headers, json } = await call(host, "ada");
      expect([status, json]).toMatchObject([429, { error: { code: 429, data: { limit: "principal" } } }]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(1);
      const legacy = await host.client({ headers: { "x-user": "ada" } }).open();
      const refused = await legacy.request(2, "tools/call", { name: "greet" });
      expect([refused.status, await refused.json()]).toMatchObject([429, { id: 2, error: { code: 429 } }]);
    }
    expect((await call(second, "bob")).status).toBe(200);
  },
);

verifies(
  "limits:rates:store-fails",
  "each of two servers serves two calls while their store rejects, and reports one error",
  async () => {
    const rateStore = { take: () => Promise.reject(new Error("the store is away")) };
    for (let server = 0; server < 2; server += 1) {
      const reported: Error[] = [];
      const onError = (error: Error) => void reported.push(error);
      await using host = await hostHttp(
        greeter({ "tools/call": { perSecond: 0.001, burst: 2 } }, { rateStore, onError }),
      );
      const statuses: number[] = [];
      for (let call = 0; call < 4; call += 1) statuses.push((await exchange(host.url, callPost("greet"))).status);

      expect(statuses).toEqual([200, 200, 429, 429]);
      expect(reported).toEqual([expect.objectContaining({ code: "handler-failed" })]);
      expect(reported[0]?.cause).toHaveProperty("message", "the store is away");
    }
  },
);

verifies("limits:rates:refused", "a rate of zero, of a negative number, NaN or a text is refused", () => {
  const make = (rate: unknown) => () =>
    new McpServer({ name: "s", version: "1.0.0", rateLimits: { "tools/call": rate as { perSecond: 1; burst: 1 } } });

  for (const perSecond of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "1"]) {
    expect(make({ perSecond, burst: 1 })).toThrow('rateLimits["tools/call"]: expected perSecond above 0');
  }
  for (const burst of [0, 0.5, Number.NaN, undefined]) {
    expect(make({ perSecond: 1, burst })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  }
  const options = { name: "c", version: "1.0.0", rateLimits: { "elicitation/create": { perSecond: 0, burst: 1 } } };
  expect(() => new Client(options)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
});

verifies(
  "limits:rates:questions",
  "a client refuses the second question over its rate of one, for forms and for sampling, and runs no handler",
  async ({ connect, revision }) => {
    const refusal = { code: 429, message: expect.stringContaining("this connection may send 0.001 per second") };
    const message = { role: "user", content: { type: "text", text: "hi" } } as const;
    const heard: unknown[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("form", {}, async (_args, context) => {
      const asked = context.elicit({ message: "Go on?", schema: z.object({ yes: z.boolean() }) });
      if (context.era === "legacy") asked.catch((error: unknown) => heard.push(error));
      return (await asked).action;
    });
    server.tool("sample", {}, async (_args, context) => {
      const asked = context.sample({ messages: [message], maxTokens: 1 });
      if (context.era === "legacy") asked.catch((error: unknown) => heard.push(error));
      return (await asked).model;
    });
    const called: string[] = [];
    const once = { perSecond: 0.001, burst: 1 };
    const client = await connect(server, {
      rateLimits: { "sampling/createMessage": once, "elicitation/create": once },
      sample: () => {
        called.push("sample");
        return { role: "assistant", content: message.content, model: "m" };
      },
      elicit: () => {
        called.push("form");
        return { action: "decline" };
      },
    });
    const tools = revision >= "2025-06-18" ? ["form", "sample"] : ["sample"];

    for (const tool of tools) {
      expect((await client.callTool(tool)).content).toHaveLength(1);
      const refused = await client.callTool(tool).catch((error: unknown) => error);
      // A legacy server's handler hears of it, and what it throws stays with it.
      if (client.era === "legacy") expect(refused).toMatchObject({ isError: true });
      else heard.push(refused);
    }
    expect(heard).toMatchObject(tools.map(() => refusal));
    expect(called).toEqual(tools);
  },
);

verifies(
  "limits:rates:socket-address",
  "the second of two connections is refused over TCP, and served over a Unix socket",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-"));
    const outcomes: unknown[] = [];
    for (const where of [{ port: 0 }, { path: join(folder, "mcp.sock") }]) {
      await using serving = await serveSocket(greeter({ "tools/call": { perSecond: 0.001, burst: 1 } }), where);
      for (const name of ["first", "second"]) {
        await using client = await Client.connect(new SocketTransport(serving.address), { name, version: "1.0.0" });
        outcomes.push(await client.callTool("greet").catch((error: unknown) => error));
      }
    }
    await rm(folder, { recursive: true });

    expect(outcomes[0]).toHaveProperty("content");
    expect(outcomes[1]).toMatchObject({ code: 429, data: { limit: "address" } });
    expect(outcomes[2]).toHaveProperty("content");
    expect(outcomes[3]).toHaveProperty("content");
  },
);

verifies(
  "limits:rates:proxied-address",
  "two clients behind one proxy have a rate each, over one connection",
  async () => {
    const rates = { "tools/call": { perSecond: 0.001, burst: 1 } };
    const clientAddress = ({ headers }: IncomingMessage) => headers["x-real-ip"];
    await using http = await serveHttp(greeter(rates), { clientAddress });
    const outcomes: Awaited<ReturnType<typeof outcomeOf>>[] = [];
    for (const from of ["192.0.2.1", "192.0.2.2", "192.0.2.1"]) {
      outcomes.push(await outcomeOf(fetch(http.url, callPost("greet", {}, { "x-real-ip": from }))));
    }
    const direct = await outcomeOf(fetch(http.url, callPost("greet")));

    expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(outcomes[2]?.json).toMatchObject({ error: { code: 429, data: { limit: "address" } } });
    expect(direct.status).toBe(200);
  },
);

verifies(
  "limits:rates:fetch-address",
  "two addresses have a rate each, and requests without an address share the rate of the server",
  async () => {
    const rates = { "tools/call": { perSecond: 0.001, burst: 1 } };
    const post = (from: string) => new Request("https://mcp.example/mcp", callPost("greet", {}, { "x-client": from }));
    const clientAddress = (request: Request) => request.headers.get("x-client");
    const telling = createFetchHandler(greeter(rates), { clientAddress });
    const silent = createFetchHandler(greeter(rates));

    const outcomes: Awaited<ReturnType<typeof outcomeOf>>[] = [];
    const senders = ["192.0.2.1", "192.0.2.2", "192.0.2.1", ""];
    for (const from of senders) outcomes.push(await outcomeOf(telling(post(from))));
    for (const from of ["192.0.2.1", "192.0.2.2"]) outcomes.push(await outcomeOf(silent(post(from))));

    expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 429, 200, 200, 503]);
    expect(outcomes[2]?.json).toMatchObject({ error: { code: 429, data: { limit: "address" } } });
    expect(outcomes[5]?.json).toMatchObject({ error: { code: 429, data: { limit: "server" } } });
    expect(outcomes[5]?.headers.get("retry-after")).toMatch(/^\d+$/);
    await Promise.all([telling.close(), silent.close()]);
  },
);
