import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { gzipSync } from "node:zlib";
import { Client } from "parley-mcp/client";
import { type AccessLogEntry, HttpRefusal, type HttpRequest, serveHttp, type WebRoute } from "parley-mcp/node";
import { McpServer, ProtocolError } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect, onTestFinished, vi } from "vitest";
import { z } from "zod";
import {
  callPost,
  enveloped,
  exchange,
  initializePost,
  MODERN,
  modernPost,
  type Post,
  post,
  refused,
} from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

function greeter(): McpServer {
  const server = new McpServer({ name: "greeter", version: "1.0.0", onError: () => {} });
  server.tool("greet", {}, () => "hello");
  return server;
}

/** `fetch` names the host by itself, so a foreign one takes a request made by hand. */
function statusFor(url: string, { method, headers, body }: Post): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end(body);
  });
}

function bytesOf({ headers, body }: Post): string {
  const lines = Object.entries({ host: "localhost", ...headers, "content-length": String(body.length) });
  return `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}

/** All that a server says to these bytes until it closes the connection. */
function exchangeBytes(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect({ port, host: "127.0.0.1" });
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("error", () => {}).on("close", () => resolve(received));
    socket.write(text);
  });
}

/** What breaks for a client that goes on sending after the server has answered and closed its direction. */
function failureOfLateReader(port: number, head: string, body: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", resolve).on("close", () => resolve(undefined));
    socket.on("end", () => socket.end(body)).resume();
    socket.write(head);
  });
}

verifies(
  ["hosting:http:dns-rebinding", "transport:streamable-http:origin-validation"],
  "foreign hosts and pages are 403 on loopback, on every path and verb and in every era",
  async () => {
    await using host = await hostHttp(greeter(), { fallback: (_request, response) => void response.end() });
    const elsewhere = new URL("/status", host.url).href;
    for (const foreign of [{ host: "evil.example.com" }, { origin: "http://evil.example.com" }, { origin: "null" }]) {
      expect(await statusFor(host.url, callPost("greet", {}, foreign))).toBe(403);
      expect(await statusFor(host.url, initializePost(foreign))).toBe(403);
      expect(await statusFor(elsewhere, post("", foreign))).toBe(403);
      expect(await statusFor(host.url, { ...post("", foreign), method: "GET" as "POST" })).toBe(403);
    }
    for (const own of ["localhost", "127.0.0.1:1", "[::1]:3000"]) {
      expect(await statusFor(host.url, callPost("greet", {}, { host: own, origin: `http://${own}` }))).toBe(200);
    }
  },
);

verifies("hosting:http:loopback", "127.0.0.1 answers, and another address of this machine refuses", async () => {
  await using serving = await serveHttp(greeter());
  const { hostname, port } = new URL(serving.url);
  const reach = (host: string) =>
    new Promise((resolve) => {
      const socket = connect(Number(port), host);
      socket.once("connect", () => resolve("connected")).once("error", () => resolve("refused"));
      socket.once("connect", () => socket.destroy());
    });

  expect(hostname).toBe("127.0.0.1");
  expect(await reach("127.0.0.1")).toBe("connected");
  // An address of every machine, which a server on all interfaces answers.
  expect(await reach("127.0.0.2")).toBe("refused");
});

verifies(
  "hosting:http:host-validation-middleware",
  "lists name the hosts and origins that are allowed beside the loopback's own",
  async () => {
    const allowed = { allowedHosts: ["mcp.example.com"], allowedOrigins: ["https://app.example.com"] };
    await using host = await hostHttp(greeter(), allowed);
    const status = (headers: Record<string, string>) => statusFor(host.url, callPost("greet", {}, headers));
    expect(await status({ host: "mcp.example.com", origin: "https://app.example.com" })).toBe(200);
    expect(await status({ host: "other.example.com" })).toBe(403);
    expect(await status({ origin: "https://other.example.com" })).toBe(403);
    const remote = createFetchHandler(greeter(), allowed);
    const at = (url: string) => remote(new Request(url, callPost("greet")));
    expect((await at("https://mcp.example.com/")).status).toBe(200);
    expect((await at("https://other.example.com/")).status).toBe(403);
    expect((await at("https://localhost/")).status).toBe(403);
  },
);

verifies(
  "hosting:http:cors-routes",
  "routes decide for themselves which pages may read them, beside an endpoint that one page may read",
  async () => {
    const origin = "http://localhost:6274";
    const routes: WebRoute[] = [
      async ({ url }) =>
        url.endsWith("/token") ? new Response("{}", { headers: { "access-control-allow-origin": "*" } }) : undefined,
      async ({ url }) => (url.endsWith("/login") ? new Response("<form>") : undefined),
    ];
    await using host = await hostHttp(greeter(), { cors: { origins: [origin] }, routes });

    const allowed = async (path: string, from: string) =>
      (await fetch(new URL(path, host.url), { headers: { origin: from } })).headers.get("access-control-allow-origin");

    expect(await allowed("/token", origin)).toBe("*");
    expect(await allowed("/token", "http://localhost:1234")).toBe("*");
    expect(await allowed("/login", origin)).toBeNull();
    const called = await exchange(host.url, callPost("greet", {}, { origin }));
    expect(called.headers.get("access-control-allow-origin")).toBe(origin);
  },
);

verifies(
  "hosting:http:routes-bytes",
  "a picture comes from a route byte for byte, and reaches a route so",
  async () => {
    const picture = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
    const routes: WebRoute[] = [
      async ({ url }) => (url.endsWith("/icon.png") ? new Response(picture) : undefined),
      async (request) => (request.url.endsWith("/copy") ? new Response(await request.arrayBuffer()) : undefined),
    ];
    await using host = await hostHttp(greeter(), { routes });

    const received = await (await fetch(new URL("/icon.png", host.url))).arrayBuffer();
    const copy = await (await fetch(new URL("/copy", host.url), { method: "POST", body: picture })).arrayBuffer();

    expect(Buffer.from(received).equals(picture)).toBe(true);
    expect(Buffer.from(copy).equals(picture)).toBe(true);
    expect((await exchange(host.url, callPost("greet"))).status).toBe(200);
  },
);

verifies(
  "hosting:http:routes-framing",
  "a route's chunked and compressed response arrives whole, and one without an end is 500 and reported",
  async () => {
    const upstream = createServer((_request, response) => {
      response.setHeader("content-encoding", "gzip").write(gzipSync("hello"));
      response.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void upstream.close());
    await once(upstream, "listening");
    const { port } = upstream.address() as AddressInfo;
    const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1_048_576)) });
    const routes: WebRoute[] = [
      async ({ url }) => (url.endsWith("/proxied") ? fetch(`http://127.0.0.1:${port}`) : undefined),
      async ({ url }) => (url.endsWith("/endless") ? new Response(endless) : undefined),
    ];
    const onError = vi.fn();
    await using host = await hostHttp(new McpServer({ name: "proxy", version: "1.0.0", onError }), { routes });

    const proxied = await fetch(new URL("/proxied", host.url));
    expect(await proxied.text()).toBe("hello");
    expect(proxied.headers.get("content-encoding")).toBeNull();
    expect((await fetch(new URL("/endless", host.url))).status).toBe(500);
    expect(onError.mock.calls[0]?.[0].cause.message).toContain("longer than 16777216 bytes");
    expect((await exchange(host.url, modernPost("server/discover"))).status).toBe(200);
  },
);

verifies("hosting:http:store-503", "a store that is down is 503 with Retry-After, wherever it is asked", async () => {
  const down = () => {
    const data = { limit: "server", retryAfterMs: 2_000 };
    throw new ProtocolError(429, "A store of the server is not available; try again later", { data });
  };
  const routes: WebRoute[] = [async ({ url }) => (url.endsWith("/token") ? down() : undefined)];
  const server = greeter();
  server.tool("count", {}, down);
  const authenticate = (request: HttpRequest) =>
    request.header("x-user") === "anyone" ? down() : { principal: "ann" };
  await using host = await hostHttp(server, { routes, authenticate });

  const byHook = await exchange(host.url, callPost("greet", {}, { "x-user": "anyone" }));
  for (const answer of [
    await fetch(new URL("/token", host.url)),
    byHook,
    await exchange(host.url, callPost("count", {})),
  ]) {
    expect(answer.status).toBe(503);
  }
  expect((await fetch(new URL("/token", host.url))).headers.get("retry-after")).toBe("2");
  expect((await exchange(host.url, callPost("greet", {}))).status).toBe(200);
});

verifies("hosting:http:cors", "pages may call and read what cors allows, and nothing without it", async () => {
  const origin = "http://localhost:6274";
  const preflight = {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,mcp-method,mcp-param-region,x-evil",
    },
  };
  await using open = await hostHttp(greeter(), { cors: { origins: [origin] } });
  const answer = await fetch(open.url, preflight);
  expect(answer.status).toBe(204);
  expect(answer.headers.get("access-control-allow-headers")).toBe("content-type, mcp-method, mcp-param-region");
  const called = await fetch(open.url, callPost("greet", {}, { origin }));
  expect(called.headers.get("access-control-allow-origin")).toBe(origin);
  expect(called.headers.get("access-control-expose-headers")).toMatch(/Mcp-Session-Id.*MCP-Protocol-Version/);
  await using closed = await hostHttp(greeter());
  expect((await fetch(closed.url, preflight)).status).toBe(405);
  const unread = await fetch(closed.url, callPost("greet", {}, { origin }));
  expect(unread.headers.has("access-control-allow-origin")).toBe(false);
});

verifies(
  "hosting:http:body-limit",
  "a body that is too large is 413 also for a client that is still sending, and the connection closes",
  async () => {
    await using host = await hostHttp(greeter(), { maxBodyBytes: 10_000 });
    const { port } = host.handle;
    const head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\n";
    const announced = await exchangeBytes(port, `${head}content-length: 67108864\r\n\r\n`);
    expect(announced).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":-32600/);
    const chunk = `4e20\r\n${"x".repeat(20_000)}\r\n`;
    const chunked = await exchangeBytes(port, `${head}transfer-encoding: chunked\r\n\r\n${chunk}`);
    expect(chunked).toMatch(/^HTTP\/1.1 413 /);
    const text = "x".repeat(5_000_000);
    expect(await failureOfLateReader(port, `${head}content-length: ${text.length}\r\n\r\n`, text)).toBeUndefined();
    await using client = await Client.connect(host.url, { name: "app", version: "1.0.0", revision: MODERN });
    const message = expect.stringContaining("at most 10000 bytes");
    await expect(client.callTool("greet", { text })).rejects.toMatchObject({ code: -32600, message });
    expect((await fetch(host.url, callPost("greet"))).status).toBe(200);
  },
);

verifies(
  "hosting:http:slow-writer-408",
  "a client that sends a head or a body too slowly gets 408, and the connection closes",
  async () => {
    await using heads = await hostHttp(greeter(), { headersTimeoutMs: 1_000 });
    await using bodies = await hostHttp(greeter(), { bodyTimeoutMs: 1_000 });
    const head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\n";
    const rest = "content-type: application/json\r\naccept: */*\r\ncontent-length: 100\r\n\r\n{";
    const [slowHead, slowBody] = await Promise.all([
      exchangeBytes(heads.handle.port, head),
      exchangeBytes(bodies.handle.port, head + rest),
    ]);
    expect(slowHead).toMatch(/^HTTP\/1.1 408 /);
    expect(slowBody).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":-32600/);
    for (const { url } of [heads, bodies]) expect((await fetch(url, callPost("greet"))).status).toBe(200);
  },
);

verifies("hosting:http:notification-flood", "a thousand notifications leave nothing behind", async () => {
  const server = greeter();
  const seen = vi.fn();
  server.onNotification("acme/note", seen);
  await using host = await hostHttp(server);
  const { sessionId } = await host.client().open();
  for (const headers of [{ "mcp-protocol-version": MODERN }, { "mcp-session-id": sessionId }]) {
    seen.mockClear();
    const note = post({ jsonrpc: "2.0", method: "acme/note" }, headers);
    const last = callPost("greet", {}, { connection: "close" });
    const received = await exchangeBytes(host.handle.port, bytesOf(note).repeat(1_000) + bytesOf(last));
    expect(received.match(/^HTTP\/1.1 202 /gm)).toHaveLength(1_000);
    expect(received).toContain('"hello"');
    expect(seen).toHaveBeenCalledTimes(1_000);
  }
});

verifies(
  ["hosting:http:authenticate", "hosting:context:web-request-headers"],
  "the hook decides before the body is read, and handlers see whom it named and what was sent",
  async () => {
    const server = greeter();
    server.tool("who", {}, (_args, { caller }) => `${caller?.principal} ${caller?.headers?.["x-trace"]}`);
    const authenticate = async (asked: HttpRequest) => {
      const token = asked.header("authorization");
      if (token === undefined) throw HttpRefusal.unauthorized();
      return { principal: token.replace("Bearer ", "") };
    };
    await using host = await hostHttp(server, { authenticate });
    const stranger = await fetch(host.url, post("this is never read"));
    expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    const headers = { authorization: "Bearer ann", "x-trace": "t-1" };
    const seen = { result: { content: [{ text: "ann t-1" }] } };
    expect((await exchange(host.url, callPost("who", {}, headers))).json).toMatchObject(seen);
    const legacy = await host.client({ headers }).open();
    expect(await (await legacy.request(1, "tools/call", { name: "who" })).answer()).toMatchObject(seen);
    await using stateless = await hostHttp(server, { authenticate, legacy: { stateless: true } });
    const once = await stateless.client({ headers }).request(1, "tools/call", { name: "who" });
    expect(await once.answer()).toMatchObject(seen);
  },
);

verifies("hosting:http:state-owner", "one caller cannot continue what another began", async () => {
  const server = greeter();
  server.tool("ask", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
    return action;
  });
  const authenticate = (asked: HttpRequest) => ({ principal: String(asked.header("authorization")) });
  await using host = await hostHttp(server, { authenticate });
  const meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const ask = (authorization: string, more = {}) =>
    exchange(host.url, modernPost("tools/call", enveloped({ name: "ask", ...more }, meta), { authorization }));
  const { json } = await ask("ann");
  const { requestState, inputRequests } = z
    .object({ requestState: z.string(), inputRequests: z.record(z.string(), z.unknown()) })
    .parse(json?.result);
  const [key = ""] = Object.keys(inputRequests);
  const answer = { requestState, inputResponses: { [key]: { action: "accept", content: { ok: true } } } };
  expect((await ask("bob", answer)).json).toMatchObject({ error: { code: -32602 } });
  expect((await ask("ann", answer)).json).toMatchObject({ result: { content: [{ text: "accept" }] } });
});

verifies(
  ["hosting:http:onerror", "hosting:http:observer"],
  "hooks hear of what was turned away, and of every exchange at its end",
  async () => {
    const refusals: Error[] = [];
    const reports: AccessLogEntry[] = [];
    await using host = await hostHttp(greeter(), {
      onRefusal: (error) => void refusals.push(error),
      onResponse: (report) => void reports.push(report),
    });
    await fetch(host.url, post("{"));
    await fetch(host.url, callPost("greet"));
    await fetch(host.url, initializePost());
    expect(refusals).toMatchObject([{ status: 400, error: { code: -32700 } }]);
    const common = { verb: "POST", path: "/mcp", isStream: false, ms: expect.any(Number) };
    expect(reports).toEqual([
      { ...common, era: undefined, method: undefined, name: undefined, status: 400 },
      { ...common, era: "modern", method: "tools/call", name: "greet", status: 200 },
      { ...common, era: "legacy", method: "initialize", name: undefined, status: 200 },
    ]);
  },
);

verifies("hosting:http:modern:response-400", "responses and batches are no part of the modern era", async () => {
  await using host = await hostHttp(greeter());
  const headers = { "mcp-protocol-version": MODERN };
  for (const body of [{ jsonrpc: "2.0", id: 1, result: {} }, [{ jsonrpc: "2.0", id: 1, method: "ping" }]]) {
    expect(await exchange(host.url, post(body, headers))).toMatchObject(refused(400, -32600));
  }
});
