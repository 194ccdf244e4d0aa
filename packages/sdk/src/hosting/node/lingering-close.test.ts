import { createServer } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import { HttpRefusal } from "../http/http-refusal.js";
import { call } from "../http/modern-requests.fixture.js";
import { createNodeHandler } from "./node-handler.js";
import { listen, RawClient, rawPost } from "./node-host.fixture.js";

const ANSWER = /^HTTP\/1.1 413 [\s\S]*connection: close[\s\S]*"The body must have at most 1000 bytes"/i;

/** A client that has announced so many bytes, and goes on sending although it was refused. */
async function refuse(length: number) {
  const authenticate = vi.fn(() => ({}));
  const { http } = await listen({ maxBodyBytes: 1_000, authenticate });
  const client = new RawClient(http.port, { allowHalfOpen: true });
  const ended = new Promise<void>((resolve) => {
    client.socket.once("end", resolve);
  });
  client.write(rawPost({ ...call("hi"), body: "" }, { "content-length": String(length) }));
  await ended;
  expect(client.received).toMatch(ANSWER);
  return { http, client, authenticate };
}

/** Everything is written, or the connection is gone. */
function written({ socket }: RawClient, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    socket.write(text, (error) => resolve(!error));
  });
}

it("hears a client out that was refused while it was sending", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { client } = await refuse(3_000_000);
  expect(await written(client, "x".repeat(3_000_000))).toBe(true);
  // What it has sent is all there is, so the connection goes before its time is up.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
  client.socket.end();
  await client.closed;
  expect(client.failure).toBeUndefined();
});

it("does not serve what comes after it on the same connection", async () => {
  const { http, client, authenticate } = await refuse(2_000);
  client.write("x".repeat(2_000) + rawPost(call("hi")) + rawPost(call("hi")));
  client.socket.end();
  await http.close();
  expect(authenticate).toHaveBeenCalledOnce();
});

it("hangs up on a client that does not stop", async () => {
  const { client } = await refuse(1_000_000_000);
  const chunk = "x".repeat(1_000_000);
  let sent = 0;
  while (await written(client, chunk)) sent += chunk.length;
  await client.closed;
  expect(sent).toBeGreaterThanOrEqual(67_108_864 - chunk.length);
  // The rest is what the kernel holds.
  expect(sent).toBeLessThan(67_108_864 * 1.5);
});

it("hangs up on a client that says nothing more and stays", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { client } = await refuse(3_000);
  const isClosed = vi.fn();
  void client.closed.then(isClosed);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(vi.getTimerCount()).toBe(1);
  expect(await written(client, "x")).toBe(true);
  expect(isClosed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  // This side is still open: only writing finds out that the other one is not.
  while (await written(client, "x"));
  await client.closed;
  expect(vi.getTimerCount()).toBe(0);
});

it("holds up no server that closes", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { http, client } = await refuse(3_000);
  const closed = http.close();
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2));
  await vi.advanceTimersByTimeAsync(1_000);
  await closed;
  client.socket.destroy();
  expect(vi.getTimerCount()).toBe(0);
});

it("sends answers without a body as well", async () => {
  const authenticate = () => {
    throw new HttpRefusal(401, { headers: { connection: "close" } });
  };
  const { http } = await listen({ authenticate });
  const client = new RawClient(http.port);
  client.write(rawPost({ ...call("hi"), body: "" }, { "content-length": "100" }));
  await client.closed;
  expect(client.received).toMatch(/^HTTP\/1.1 401 [\s\S]*connection: close[\s\S]*\r\n\r\n$/i);
});

it("does not wait for a request that has arrived", async () => {
  const authenticate = () => {
    throw new HttpRefusal(401, { headers: { connection: "close" } });
  };
  const handler = createNodeHandler(new McpServer({ name: "s", version: "1.0.0" }), { authenticate });
  const isEnded = vi.fn();
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    await handler(request, response, body);
    isEnded(response.writableEnded);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void http.close());
  await new Promise((resolve) => http.once("listening", resolve));
  const { status } = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, call("hi"));
  expect(status).toBe(401);
  expect(isEnded).toHaveBeenCalledWith(true);
});

it("takes a stream of HTTP/2 for a connection", async () => {
  const server = new McpServer({ name: "s", version: "1.0.0" });
  const handler = createNodeHandler(server, { maxBodyBytes: 1_000 });
  // What node:http2 hands out for compatibility is of types of its own.
  const http = createHttp2Server(handler as never).listen(0, "127.0.0.1");
  onTestFinished(() => void http.close());
  await new Promise((resolve) => http.once("listening", resolve));
  const session = connectHttp2(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  onTestFinished(() => session.destroy());
  const { accept, "content-type": type } = call("hi").headers;
  for (const body of ["x".repeat(2_000), "y".repeat(2_000)]) {
    const stream = session.request({
      ":method": "POST",
      ":path": "/",
      host: "localhost",
      accept,
      "content-type": type,
    });
    stream.write(body);
    expect(Buffer.concat(await stream.toArray()).toString()).toContain("at most 1000 bytes");
    stream.end(body);
  }
});
