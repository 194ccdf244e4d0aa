import { createServer, Server as HttpServer, type RequestListener } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import { call, modern, withEnvelope } from "../http/modern-requests.fixture.js";
import { listen, RawClient, rawPost, send } from "./node-host.fixture.js";
import { serveHttp } from "./serve-http.js";

const body = async (response: Response) => JSON.parse(await response.text());

it("serves on a free loopback port by default", async () => {
  const { http } = await listen();
  expect(http.url).toBe(`http://127.0.0.1:${http.port}/mcp`);
  const response = await fetch(http.url, call("hi"));
  expect(response.status).toBe(200);
  expect(await body(response)).toMatchObject({ result: { content: [{ type: "text", text: "hello" }] } });
});

it("does not listen on any free port for a resource whose tokens name another", async () => {
  const gate = (resource: string) => ({
    resource,
    ...{ ready: async () => undefined, documents: new Map(), requiredScopes: [], authenticate: () => ({}) },
  });
  const server = new McpServer({ name: "s", version: "1.0.0" });
  const serve = (resource: string) => serveHttp(server, { authorization: gate(resource) });
  await expect(serve("http://127.0.0.1:3000/mcp")).rejects.toMatchObject({
    code: "invalid-argument",
    message:
      "port: the resource of authorization is http://127.0.0.1:3000/mcp, and 0 listens on any free port; pass port: 3000, or find a free port and put it into both",
  });
  await expect(serve("http://localhost/mcp")).rejects.toThrow("pass port: 80,");
  await using proxied = await serve("https://mcp.example.com/mcp");
  expect(proxied.port).toBeGreaterThan(0);
});

it("needs no options, and names the other addresses it can have", async () => {
  const server = new McpServer({ name: "s", version: "1.0.0" });
  await using plain = await serveHttp(server);
  await using all = await serveHttp(server, { host: "0.0.0.0", path: "/x" });
  await using six = await serveHttp(server, { host: "::1" });
  await using allOfSix = await serveHttp(server, { host: "::" });
  expect(plain.port).toBeGreaterThan(0);
  expect(all.url).toBe(`http://localhost:${all.port}/x`);
  expect(six.url).toBe(`http://[::1]:${six.port}/mcp`);
  expect(allOfSix.url).toBe(`http://localhost:${allOfSix.port}/mcp`);
  expect((await fetch(six.url, modern("server/discover"))).status).toBe(200);
});

it.each([{ idleConnectionMs: Number.NaN }, { headersTimeoutMs: 0 }])("cannot be limited by %j", async (limits) => {
  await expect(serveHttp(new McpServer({ name: "s", version: "1" }), limits)).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining(String(Object.keys(limits)[0])),
  });
});

it("needs a path that begins with a slash", async () => {
  await expect(serveHttp(new McpServer({ name: "s", version: "1" }), { path: "mcp" })).rejects.toThrow(
    'path: expected one such as "/mcp", got "mcp"',
  );
});

it("lets go of the server if a limit on connections is invalid", async () => {
  const onClose = vi.fn();
  const server = new McpServer({ name: "s", version: "1.0.0", onClose });
  const error = { code: "invalid-argument", message: "maxConnections: expected a number from 1, got 0" };
  await expect(serveHttp(server, { maxConnections: 0 })).rejects.toMatchObject(error);
  expect(onClose).toHaveBeenCalledOnce();
});

it("says why it cannot listen", async () => {
  const { http, server } = await listen();
  await expect(serveHttp(server, { port: http.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

describe("other paths", () => {
  it("are 404", async () => {
    const { http } = await listen();
    expect((await fetch(new URL("/", http.url))).status).toBe(404);
  });

  it("can be served as well, behind the same checks", async () => {
    const { http } = await listen({ fallback: (request, response) => void response.end(`page ${request.url}`) });
    expect(await (await fetch(new URL("/status?x=1", http.url))).text()).toBe("page /status?x=1");
    const foreign = await send(new URL("/", http.url).href, {
      method: "POST",
      headers: { host: "evil.example" },
      body: "",
    });
    expect(foreign.statusCode).toBe(403);
    expect((await fetch(http.url, call("hi"))).status).toBe(200);
  });

  it("are no exchanges of this endpoint, also when their clients leave early", async () => {
    const onResponse = vi.fn();
    const left = vi.fn();
    const fallback: RequestListener = (_request, response) => {
      response.once("close", left).writeHead(200).write("still going");
    };
    const { http } = await listen({ onResponse, fallback });
    const client = new RawClient(http.port);
    client.write("GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await client.until("still going");
    client.socket.destroy();
    await vi.waitFor(() => expect(left).toHaveBeenCalled());
    await fetch(http.url, call("hi"));
    expect(onResponse.mock.calls).toMatchObject([[{ path: "/mcp", status: 200 }]]);
  });
});

it("waits for a request without end if its grace has none", async () => {
  const server = new McpServer({ name: "s", version: "1.0.0" });
  let started = () => {};
  let finish = () => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  server.tool("slow", {}, async () => {
    started();
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return "done";
  });
  const http = await serveHttp(server, { shutdownGraceMs: Number.POSITIVE_INFINITY });
  const answer = fetch(http.url, call("slow"));
  await running;
  const closing = http.close();
  // A timer that had wrapped around would fire in the next turn.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  finish();
  expect((await answer).status).toBe(200);
  await closing;
});

describe("a connection", () => {
  it("that sends its head too slowly is 408", async () => {
    const { http } = await listen({ headersTimeoutMs: 40 });
    const client = new RawClient(http.port);
    client.write("POST /mcp HTTP/1.1\r\nhost: localhost\r\n");
    await client.closed;
    expect(client.received).toMatch(/^HTTP\/1.1 408 /);
  });

  it("that sends its body too slowly is 408", async () => {
    const { http } = await listen({ bodyTimeoutMs: 20 });
    const client = new RawClient(http.port);
    client.write(rawPost({ ...call("hi"), body: "" }, { "content-length": "100" }));
    client.write('{"json');
    await client.closed;
    expect(client.received).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":-32600/);
  });

  it("may be as slow as it likes if told so", async () => {
    const never = Number.POSITIVE_INFINITY;
    const { http } = await listen({ headersTimeoutMs: never, bodyTimeoutMs: never, idleConnectionMs: never });
    expect((await fetch(http.url, call("hi"))).status).toBe(200);
  });

  it.each([0.5, 41, 2 ** 53, Number.MAX_VALUE])("may have times of %d ms", async (ms) => {
    const { http } = await listen({ headersTimeoutMs: ms, bodyTimeoutMs: ms, idleConnectionMs: ms });
    expect(http.port).toBeGreaterThan(0);
  });

  it("that sends too much is 413 and closed before all of it was read", async () => {
    const { http } = await listen({ maxBodyBytes: 1_000 });
    const announced = new RawClient(http.port);
    announced.write(rawPost({ ...call("hi"), body: "" }, { "content-length": "67108864" }));
    await announced.closed;
    expect(announced.received).toMatch(/^HTTP\/1.1 413 [\s\S]*connection: close/);

    const chunked = new RawClient(http.port);
    const { "content-type": type = "", accept = "" } = call("hi").headers;
    chunked.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\naccept: ${accept}\r\n`);
    chunked.write("transfer-encoding: chunked\r\n\r\n");
    const chunk = `1000\r\n${"x".repeat(0x1000)}\r\n`;
    chunked.write(chunk);
    await chunked.closed;
    expect(chunked.received).toMatch(/^HTTP\/1.1 413 /);
  });

  it("may send its body in chunks", async () => {
    const { http } = await listen();
    const { headers, body: text } = call("hi");
    const client = new RawClient(http.port);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    client.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n${lines.join("")}\r\n`);
    for (const character of text) client.write(`1\r\n${character}\r\n`);
    client.write("0\r\n\r\n");
    expect(await client.until("hello")).toMatch(/^HTTP\/1.1 200 /);
  });

  it("that names two hosts is refused, since proxies and servers may each believe another one", async () => {
    const { http } = await listen();
    const client = new RawClient(http.port);
    client.write(rawPost(call("hi")).replace("\r\n", "\r\nhost: localhost\r\nHost: evil.example\r\n"));
    expect(await client.until("more than one Host")).toMatch(/^HTTP\/1.1 400 /);
  });

  it("may send several requests at once, and gets their answers in order", async () => {
    const { http } = await listen();
    const client = new RawClient(http.port);
    const one = modern("tools/list", withEnvelope(), {}, "first");
    const two = modern("server/discover", withEnvelope(), {}, "second");
    client.write(rawPost(one) + rawPost(two));
    const text = await client.until('"second"');
    expect(text.indexOf('"first"')).toBeLessThan(text.indexOf('"second"'));
    expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  });

  it("that is closed in one direction still gets its answer", async () => {
    const { http } = await listen();
    const client = new RawClient(http.port);
    client.socket.end(rawPost(call("hi")));
    await client.closed;
    expect(client.received).toContain('"hello"');
  });

  it("that breaks off while it sends harms nobody", async () => {
    const onRefusal = vi.fn();
    const authenticate = vi.fn(() => ({}));
    const { http, errors } = await listen({ onRefusal, authenticate });
    const client = new RawClient(http.port);
    client.write(rawPost({ ...call("hi"), body: "" }, { "content-length": "100" }));
    await vi.waitFor(() => expect(authenticate).toHaveBeenCalledOnce());
    client.socket.destroy();
    await vi.waitFor(() => expect(onRefusal).toHaveBeenCalledOnce());
    expect(errors).toEqual([]);
  });
});

describe("bodies that arrive slowly", () => {
  const start = (length: number, text: string) =>
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `accept: application/json, text/event-stream\r\ncontent-length: ${length}\r\n\r\n${text}`;

  it("are refused once those before have used up the bytes of the server, and leave none behind", async () => {
    const server = new McpServer({ name: "s", version: "1.0.0", limits: { maxBytes: 100_000 } });
    const http = await serveHttp(server, { shutdownGraceMs: 0 });
    onTestFinished(() => http.close());
    const first = new RawClient(http.port);
    first.write(start(90_000, "x".repeat(80_000)));
    await vi.waitFor(() => expect(server.hosting.limits.bytes.used).toBe(80_000));
    const second = new RawClient(http.port);
    second.write(start(90_000, "x".repeat(80_000)));
    await second.closed;
    expect(second.received).toMatch(/^HTTP\/1\.1 503 /);
    expect(second.received).toContain("retry-after: 1");
    expect(second.received).toContain("Too many bytes arrive for this server");
    first.write("x".repeat(10_000));
    await first.until("Parse error");
    expect(server.hosting.limits.bytes.used).toBe(0);
  });

  it("take about their own size if they come byte by byte", async () => {
    const { http } = await listen();
    const client = new RawClient(http.port);
    const { body, headers } = call("hi");
    const head = Object.entries({ ...headers, host: "127.0.0.1", "transfer-encoding": "chunked" });
    client.write(`POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    for (const character of body) client.write(`1\r\n${character}\r\n`);
    client.write("0\r\n\r\n");
    await client.until("hello");
  });
});

describe("a client that goes away", () => {
  it("aborts its handler", async () => {
    const signals: AbortSignal[] = [];
    const { http } = await listen({}, (server) => {
      server.tool("wait", {}, (_args, context) => {
        signals.push(context.signal);
        return new Promise<string>(() => {});
      });
    });
    const client = new RawClient(http.port);
    client.write(rawPost(call("wait")));
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    client.socket.destroy();
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
  });

  it("while it was being authenticated never reaches a handler", async () => {
    const onResponse = vi.fn();
    const onRefusal = vi.fn();
    const arrived = vi.fn();
    const { http } = await listen({
      onResponse,
      onRefusal,
      authenticate: async (request) => {
        arrived();
        await new Promise<void>((resolve) => request.onDisconnect(resolve));
        return undefined;
      },
    });
    const client = new RawClient(http.port);
    client.write(rawPost(call("hi")));
    await vi.waitFor(() => expect(arrived).toHaveBeenCalledOnce());
    client.socket.destroy();
    await vi.waitFor(() => expect(onRefusal).toHaveBeenCalledOnce());
    expect(onResponse.mock.lastCall?.[0]).toMatchObject({ status: undefined });
  });
});

describe("closing", () => {
  it("lets requests finish, ends subscriptions with their result, and frees the port", async () => {
    const started = vi.fn();
    let release = () => {};
    const { http } = await listen({ shutdownGraceMs: 10_000 }, (server) => {
      server.tool("wait", {}, async () => {
        started();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return "finished";
      });
    });
    const waiting = fetch(http.url, call("wait"));
    const params = withEnvelope({ notifications: { toolsListChanged: true } });
    const listening = await fetch(http.url, modern("subscriptions/listen", params, {}, "sub"));
    await vi.waitFor(() => expect(started).toHaveBeenCalledOnce());
    const closed = http.close();
    expect(http.close()).toBe(closed);
    expect(await listening.text()).toMatch(/acknowledged[\s\S]*"id":"sub","result"/);
    release();
    expect(await body(await waiting)).toMatchObject({ result: { content: [{ text: "finished" }] } });
    await closed;
    await expect(fetch(http.url, call("hi"))).rejects.toThrow();
    const probe = createServer().listen(http.port, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    probe.close();
  });

  it("closes connections that have nothing more to get", async () => {
    const started = vi.fn();
    let release = () => {};
    const { http } = await listen({ shutdownGraceMs: 10_000 }, (server) => {
      server.tool("wait", {}, () => {
        started();
        return new Promise<string>((resolve) => {
          release = () => resolve("finished");
        });
      });
    });
    const client = new RawClient(http.port);
    client.write(rawPost(call("wait")));
    await vi.waitFor(() => expect(started).toHaveBeenCalledOnce());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = http.close();
    release();
    await closed;
    expect(await client.until("finished")).toContain("keep-alive");
    await client.closed;
  });

  it("cuts off no answer that is still on its way", async () => {
    const { http } = await listen({}, (server) => {
      server.tool("large", {}, () => "x".repeat(20_000_000));
    });
    const response = await send(http.url, call("large"));
    const closed = http.close();
    expect(Buffer.concat(await response.toArray()).length).toBeGreaterThan(20_000_000);
    await closed;
  });

  it("does not wait for clients that do not read their answer", async () => {
    const abort = vi.spyOn(HttpServer.prototype, "closeAllConnections");
    onTestFinished(() => abort.mockRestore());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { http } = await listen({}, (server) => {
      server.tool("large", {}, () => "x".repeat(20_000_000));
    });
    const response = await send(http.url, call("large"));
    const closed = http.close();
    // That of the stall limit, and that of closing.
    while (vi.getTimerCount() < 2) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(999);
    expect(abort).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(abort).toHaveBeenCalledOnce();
    await closed;
    vi.useRealTimers();
    await expect(response.toArray()).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});
