import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { toolsOf } from "../tools.js";
import { jobAt, type Order, quoteResult } from "../workload.js";
import { constantAnswer } from "./constant-answer.js";
import { Exchange, messageIn } from "./exchange.js";
import type { Listening } from "./http-contender.js";
import { Lane } from "./lane.js";
import { Load, percentile } from "./load.js";
import { type LoadTarget, prepareExchanges } from "./requests.js";
import { listen } from "./servers/listening.js";

interface Call {
  readonly id: number;
  readonly params: { readonly arguments: Order };
}

const FOREVER = Number.POSITIVE_INFINITY;
const MODERN = { mode: "modern", method: "tools/call", connections: 2 } as const;

describe("a load", () => {
  const running: Listening[] = [];
  afterEach(async () => {
    for (const listening of running.splice(0)) await listening.close();
  });

  const answering = async (answer: (call: Call, count: number) => unknown, status = 200): Promise<LoadTarget> => {
    let count = 0;
    const listening = await listen(respond((call) => JSON.stringify(answer(call as Call, count++)), status));
    running.push(listening);
    return { ...MODERN, url: listening.url };
  };
  const right = ({ id, params }: Call) => ({ jsonrpc: "2.0", id, result: quoteResult(params.arguments) });

  it("counts right answers and times them", async () => {
    const load = await Load.prepare(await answering(right));
    const { calls, seconds, p99Ms } = await load.round(30);
    expect(calls).toBeGreaterThanOrEqual(2);
    expect(seconds).toBeGreaterThanOrEqual(0.03);
    expect(p99Ms).toBeGreaterThan(0);
    expect((await load.round(5)).calls).toBeGreaterThan(0);
  });

  it("has different orders with different ids for its connections, and the session of each", async () => {
    const exchanges = await prepareExchanges({ ...MODERN, url: "http://127.0.0.1:1/mcp" });
    const texts = exchanges.flat().map(({ request }) => request.toString("utf8"));
    const calls = texts.map((text) => JSON.parse(text.slice(text.indexOf("\r\n\r\n"))) as Call);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(16);
    expect(new Set(calls.map(({ params }) => params.arguments.sku)).size).toBe(16);
    expect(texts.every((text) => text.includes("\r\nmcp-method: tools/call\r\nmcp-name: quote\r\n"))).toBe(true);
  });

  it.each<[string, (call: Call, count: number) => unknown, string]>([
    ["another id", (call) => ({ ...right(call), id: call.id + 1 }), "expected id"],
    ["another order's quote", (call) => ({ ...right(call), result: quoteResult(jobAt(63).order) }), "expected"],
    ["an error", ({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32603, message: "no" } }), "expected"],
    [
      "a wrong answer after many right ones",
      (call, n) => (n < 40 ? right(call) : { ...right(call), id: 0 }),
      "expected id",
    ],
  ])("gives up at %s", async (_, answer, complaint) => {
    const load = await Load.prepare(await answering(answer));
    await expect(load.round(FOREVER)).rejects.toThrow(complaint);
  });

  it("gives up at another status", async () => {
    const load = await Load.prepare(await answering(right, 500));
    await expect(load.round(FOREVER)).rejects.toThrow("expected status 200, got 500");
  });

  it("wants the constant from the floor and nothing else", async () => {
    const constant = constantAnswer("modern", toolsOf("one tool"));
    const target = await answering((_, count) => (count < 20 ? JSON.parse(constant) : { id: 1 }));
    await expect((await Load.prepare({ ...target, constant })).round(FOREVER)).rejects.toThrow('got {"id":1}');
  });

  it.each([
    [
      "a server that is asked for many tools and has one",
      { tools: [{ name: "quote-0", inputSchema: {}, outputSchema: {} }] },
    ],
    ["one that has none", {}],
  ])("gives up at %s", async (_, result) => {
    const target = await answering(({ id }) => ({ jsonrpc: "2.0", id, result }));
    await expect((await Load.prepare({ ...target, method: "tools/list" })).round(FOREVER)).rejects.toThrow(
      "1000 tools",
    );
  });

  it("gives up where a server opens no session", async () => {
    const target = await answering(({ id }) => ({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25" } }));
    await expect(Load.prepare({ ...target, mode: "legacy sessions" })).rejects.toThrow("expected a session");
  });
});

describe("a lane", () => {
  it("gives up when the server closes the connection", async () => {
    await using server = await accepting((socket) => socket.on("data", () => socket.end()));
    const lane = await Lane.open(server.url, [new Exchange(Buffer.from("x"), () => undefined)]);
    await expect(lane.run(FOREVER, [])).rejects.toThrow("closed the connection after 0 answers");
  });

  it("does not wait for an answer on a connection that is closed already", async () => {
    await using server = await accepting((socket) => socket.resume().end());
    const lane = await Lane.open(server.url, [new Exchange(Buffer.from("x"), () => undefined)]);
    await expect(lane.run(FOREVER, [])).rejects.toThrow("closed the connection");
    await expect(lane.run(FOREVER, [])).rejects.toThrow("closed the connection");
  });

  it("gives up at what is no response", async () => {
    await using server = await accepting((socket) => socket.once("data", () => socket.write("hello\r\n\r\n")));
    const lane = await Lane.open(server.url, [new Exchange(Buffer.from("x"), () => undefined)]);
    await expect(lane.run(FOREVER, [])).rejects.toThrow("expected a response");
  });
});

describe("an exchange", () => {
  const answer = (text: string) => ({ status: 200, body: Buffer.from(text) });

  it("checks an answer in full unless its bytes were right before", () => {
    const checked: unknown[] = [];
    const exchange = new Exchange(Buffer.of(), ({ id }) => checked.push(id));
    for (const text of ['{"id":1}', '{"id":1}', '{"id":2}', '{"id":2}', '{"id":1}']) exchange.verify(answer(text));
    expect(checked).toEqual([1, 2, 1]);
  });

  it.each([
    ['{"id":1}', 1],
    ['event: message\ndata: {"id":2}\n\n', 2],
    ['id: 1\ndata: {"method":"x"}\n\nid: 2\r\ndata:{"id":3}\r\n\r\n', 3],
  ])("finds the answer in %j", (body, id) => {
    expect(messageIn(body).id).toBe(id);
  });

  it.each(["", "data: hello\n\n", "<html>"])("finds none in %j", (body) => {
    expect(() => messageIn(body)).toThrow("expected a JSON-RPC answer");
  });
});

describe("a percentile", () => {
  it.each([
    [100, 99],
    [101, 100],
    [1, 1],
  ])("of 1 to %d, at 99 of 100, is %d", (count, expected) => {
    const values = Array.from({ length: count }, (_, index) => index + 1).toReversed();
    expect(percentile(values, 0.99)).toBe(expected);
  });

  it("of nothing is nothing", () => {
    expect(() => percentile([], 0.99)).toThrow("no values");
  });
});

function respond(answer: (message: unknown) => string, status: number): RequestListener {
  return async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(answer(JSON.parse(String(Buffer.concat(chunks)))));
  };
}

async function accepting(onSocket: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(onSocket).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
