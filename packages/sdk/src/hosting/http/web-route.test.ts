import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import { createNodeHandler } from "../node/node-handler.js";
import { RawClient } from "../node/node-host.fixture.js";
import { createFetchHandler } from "../web/fetch-handler.js";
import type { HttpOptions } from "./http-options.js";
import { call } from "./modern-requests.fixture.js";
import type { RouteFacts, WebRoute } from "./web-route.js";

interface Host {
  readonly origin: string;
  readonly errors: Error[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

function defineServer(errors: Error[]): McpServer {
  const server = new McpServer({ name: "s", version: "1.0.0", onError: (error) => void errors.push(error) });
  server.tool("hi", {}, () => "hello");
  return server;
}

async function onNode(options: HttpOptions, parse?: (text: string) => unknown): Promise<Host> {
  const errors: Error[] = [];
  const handler = createNodeHandler(defineServer(errors), options);
  const http = createServer(async (request, response) => {
    const body = parse?.(Buffer.concat(await request.toArray()).toString());
    handler(request, response, body);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void http.close().closeAllConnections());
  await new Promise((resolve) => http.once("listening", resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { origin, errors, fetch: (path, init) => fetch(origin + path, { redirect: "manual", ...init }) };
}

async function onWeb(options: HttpOptions): Promise<Host> {
  const errors: Error[] = [];
  const handler = createFetchHandler(defineServer(errors), options);
  const origin = "http://127.0.0.1:3000";
  return { origin, errors, fetch: (path, init) => handler(new Request(origin + path, init)) };
}

const echo: WebRoute = async (request) => {
  const { pathname, search } = new URL(request.url);
  if (pathname !== "/echo") return undefined;
  const text = await request.text();
  return Response.json({ method: request.method, search, text, type: request.headers.get("content-type") });
};

describe.each([
  ["node", onNode],
  ["web", onWeb],
])("routes of %s", (_name, open) => {
  it("get the request with its query, headers and body, and answer it", async () => {
    const host = await open({ path: "/mcp", routes: [async () => undefined, echo] });
    const posted = await host.fetch("/echo?a=1", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "b=2",
    });
    expect(posted.headers.get("content-type")).toBe("application/json");
    expect(await posted.json()).toEqual({
      method: "POST",
      search: "?a=1",
      text: "b=2",
      type: "application/x-www-form-urlencoded",
    });
    expect(await (await host.fetch("/echo")).json()).toMatchObject({ method: "GET", text: "" });
  });

  it("may redirect, set a cookie and answer without a body", async () => {
    const headers = { location: "https://client.example/", "set-cookie": "a=1; HttpOnly", "content-length": "0" };
    const host = await open({ path: "/mcp", routes: [async () => new Response(null, { status: 302, headers })] });
    const answer = await host.fetch("/authorize");
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toBe("https://client.example/");
    expect(answer.headers.getSetCookie()).toEqual(["a=1; HttpOnly"]);
  });

  it.each([1_000, 300_000])("may answer with %i bytes of any value", async (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => at % 256);
    const host = await open({ path: "/mcp", routes: [async () => new Response(bytes)] });
    const answer = await host.fetch("/icon");
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("get the bytes of a binary body", async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256);
    const count: WebRoute = async (request) => new Response(await request.arrayBuffer());
    const host = await open({ path: "/mcp", routes: [count] });
    const answer = await host.fetch("/upload", { method: "POST", body: bytes });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("leave the framing of a response to the host", async () => {
    const headers = { "transfer-encoding": "chunked", "content-length": "99", connection: "close", "x-own": "kept" };
    const host = await open({ path: "/mcp", routes: [async () => new Response("text", { headers })] });
    const answer = await host.fetch("/file");
    expect(await answer.text()).toBe("text");
    expect(answer.headers.get("transfer-encoding")).toBeNull();
    expect(answer.headers.get("content-length")).not.toBe("99");
    expect(answer.headers.get("x-own")).toBe("kept");
  });

  it("may pass on a response of fetch, whose body is decoded, and encode one themselves", async () => {
    const upstream = createServer((_request, response) => {
      response.setHeader("content-encoding", "gzip").write(gzipSync("hello"));
      response.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void upstream.close().closeAllConnections());
    await new Promise((resolve) => upstream.once("listening", resolve));
    const { port } = upstream.address() as AddressInfo;
    const routes: WebRoute[] = [
      async ({ url }) => (url.endsWith("/proxied") ? fetch(`http://127.0.0.1:${port}`) : undefined),
      async () => new Response(gzipSync("own"), { headers: { "content-encoding": "gzip" } }),
    ];
    const host = await open({ path: "/mcp", routes });

    const proxied = await host.fetch("/proxied");
    expect(await proxied.text()).toBe("hello");
    expect(proxied.headers.get("content-encoding")).toBeNull();
    expect((await host.fetch("/own")).headers.get("content-encoding")).toBe("gzip");
  });

  it("have a body up to 16 MiB; a longer one is cancelled, answered 500 and reported", async () => {
    const cancelled = vi.fn();
    const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(4_194_304)), cancel: cancelled });
    const host = await open({ path: "/mcp", routes: [async () => new Response(endless)] });
    expect((await host.fetch("/endless")).status).toBe(500);
    expect(cancelled).toHaveBeenCalledOnce();
    expect(host.errors).toMatchObject([
      { cause: { code: "invalid-result", message: expect.stringContaining("longer than 16777216 bytes") } },
    ]);
  });

  it("have their body cancelled when the client disconnects", async () => {
    const pulled = vi.fn();
    const cancelled = vi.fn(() => {
      throw new Error("stuck");
    });
    const hanging = new ReadableStream({ pull: pulled, cancel: cancelled }, { highWaterMark: 0 });
    const host = await open({ path: "/mcp", routes: [async () => new Response(hanging)] });
    const leaving = new AbortController();
    const left = host.fetch("/hanging", { signal: leaving.signal });
    left.catch(() => undefined);
    await vi.waitFor(() => expect(pulled).toHaveBeenCalled());
    leaving.abort();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
    expect(host.errors).toEqual([]);
  });

  it("are not asked for the endpoint's own path, and leave others to 404", async () => {
    const asked: string[] = [];
    const note: WebRoute = async ({ url }) => void asked.push(new URL(url).pathname) as undefined;
    const host = await open({ path: "/mcp", routes: [note] });
    expect((await host.fetch("/mcp", call("hi"))).status).toBe(200);
    expect((await host.fetch("/other")).status).toBe(404);
    expect(asked).toEqual(["/other"]);
  });

  it("go before an endpoint on every path, which still reads the body", async () => {
    const host = await open({ routes: [echo] });
    expect((await host.fetch("/any", call("hi"))).status).toBe(200);
    expect((await host.fetch("/echo")).status).toBe(200);
  });

  it("are asked after the check of Host, from any origin", async () => {
    const host = await open({ path: "/mcp", routes: [echo], allowedHosts: ["mcp.example.com"] });
    const headers = { origin: "https://page.example" };
    expect((await host.fetch("/echo", { headers })).status).toBe(200);
    expect((await host.fetch("/other", { headers })).status).toBe(403);
  });

  it("decide alone which pages may read their answers", async () => {
    const page = "https://page.example";
    const readable = { "access-control-allow-origin": "*", "access-control-expose-headers": "X-Own", vary: "Accept" };
    const routes: WebRoute[] = [
      async ({ url }) => (url.endsWith("/token") ? new Response("t", { headers: readable }) : undefined),
      async ({ url }) => (url.endsWith("/login") ? new Response("l") : undefined),
    ];
    const host = await open({ path: "/mcp", routes, cors: { origins: [page] } });
    const headersOf = async (path: string, init: RequestInit = {}) =>
      Object.fromEntries((await host.fetch(path, { headers: { origin: page }, ...init })).headers);
    expect(await headersOf("/token")).toMatchObject(readable);
    expect(await headersOf("/login")).not.toHaveProperty("access-control-allow-origin");
    expect(await headersOf("/mcp", call("hi", {}, { origin: page }))).toHaveProperty(
      "access-control-allow-origin",
      page,
    );
  });

  it("get no body over the limit", async () => {
    const host = await open({ path: "/mcp", routes: [echo], maxBodyBytes: 10 });
    expect((await host.fetch("/echo", { method: "POST", body: "x".repeat(11) })).status).toBe(413);
    expect(host.errors).toEqual([]);
  });

  it("that fail are answered 500 and reported", async () => {
    const cookies = new Response("");
    cookies.headers.append("set-cookie", "a=1");
    cookies.headers.append("set-cookie", "b=2");
    const routes: WebRoute[] = [
      async ({ url }) => (url.endsWith("/cookies") ? cookies : Promise.reject(new Error("x"))),
    ];
    const host = await open({ path: "/mcp", routes });
    expect((await host.fetch("/fail")).status).toBe(500);
    expect((await host.fetch("/cookies")).status).toBe(500);
    expect(host.errors).toMatchObject([{ code: "handler-failed" }, { cause: { code: "invalid-argument" } }]);
  });
});

describe("on Node, a route", () => {
  it("answers 304 without a length", async () => {
    const { origin } = await onNode({ path: "/mcp", routes: [async () => new Response(null, { status: 304 })] });
    const client = new RawClient(Number(new URL(origin).port));
    client.write("GET /file HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const head = await client.until("\r\n\r\n");
    expect(head).toContain("HTTP/1.1 304");
    expect(head.toLowerCase()).not.toContain("content-length");
  });

  it("hears where a request comes from", async () => {
    const heard: RouteFacts[] = [];
    const note: WebRoute = async (_request, facts) => void heard.push(facts) as undefined;
    const host = await onNode({ path: "/mcp", routes: [note] });
    await host.fetch("/other");
    expect(heard).toEqual([{ address: "127.0.0.1" }]);
  });

  it.each([
    ["text", (text: string) => text, "a=1&b=2"],
    ["bytes", (text: string) => Buffer.from(text), "a=1&b=2"],
    ["a form", (text: string) => Object.fromEntries(new URLSearchParams(text)), "a=1&b=2"],
    ["JSON", () => ({ a: 1 }), '{"a":1}'],
  ])("reads what a framework has parsed as %s", async (kind, parse, expected) => {
    const host = await onNode({ path: "/mcp", routes: [echo] }, parse);
    const type = kind === "JSON" ? "application/json" : "application/x-www-form-urlencoded";
    const headers = kind === "text" ? undefined : { "content-type": type };
    const posted = await host.fetch("/echo", { method: "POST", body: "a=1&b=2", ...(headers && { headers }) });
    expect(await posted.json()).toMatchObject({ text: expected });
  });

  it("gets the server's own address in the URL of a request without Host", async () => {
    const tell: WebRoute = async ({ url }) => new Response(url);
    const { origin } = await onNode({ path: "/mcp", routes: [tell], allowedHosts: "any" });
    const client = new RawClient(Number(new URL(origin).port));
    client.write("GET /echo HTTP/1.0\r\n\r\n");
    await client.closed;
    expect(client.received).toContain(`\r\n\r\n${origin}/echo`);
  });

  it("gets localhost in the URL of a request without Host over a Unix socket", async () => {
    const tell: WebRoute = async ({ url }) => new Response(url);
    const path = join(tmpdir(), `parley-route-${process.pid}.sock`);
    const http = createServer(createNodeHandler(defineServer([]), { path: "/mcp", routes: [tell] })).listen(path);
    onTestFinished(() => void http.close().closeAllConnections());
    await once(http, "listening");
    const client = connect(path);
    client.write("GET /echo HTTP/1.0\r\n\r\n");
    expect(await text(client)).toContain("\r\n\r\nhttp://localhost/echo");
  });

  it("gets no request whose method or host no URL and no Request can have", async () => {
    const { origin } = await onNode({ path: "/mcp", routes: [echo], allowedHosts: "any" });
    for (const [method, host] of [
      ["TRACE", "localhost"],
      ["GET", "a:b:c"],
    ]) {
      const client = new RawClient(Number(new URL(origin).port));
      client.write(`${method} /echo HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      expect(await client.until("\r\n\r\n")).toContain("HTTP/1.1 400");
    }
  });
});
