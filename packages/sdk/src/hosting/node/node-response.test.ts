import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { SegmentedText } from "../../wire/preserialized-json.js";
import { PIECE_LENGTH } from "../../wire/text-pieces.js";
import type { EventSink } from "../http/http-host.js";
import { ConnectionOutputs } from "./connection-output.js";
import { NodeResponse } from "./node-response.js";

function outputs(maxQueuedBytes: number): ConnectionOutputs {
  return new ConnectionOutputs({ maxQueuedBytes, maxTotalQueuedBytes: 100_000_000, stallTimeoutMs: 1_000 });
}

async function openStream(timeoutMs = 0): Promise<{ sink: EventSink; client: Response; socket: Socket }> {
  let sink: EventSink | undefined;
  let socket: Socket | undefined;
  const http = createServer((request, response) => {
    socket = request.socket;
    sink = new NodeResponse(response, outputs(1_000_000)).stream({ "x-own": "1" });
  });
  http.setTimeout(timeoutMs).listen(0, "127.0.0.1");
  onTestFinished(() => void http.close().closeAllConnections());
  await new Promise((resolve) => http.once("listening", resolve));
  // It listens on a port.
  const client = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
  if (!sink || !socket) throw new Error("The server has not answered");
  return { sink, client, socket };
}

it("sends the head of a stream before there is an event, and nothing after its end", async () => {
  const { sink, client } = await openStream();
  expect(client.headers.get("content-type")).toBe("text/event-stream");
  expect(client.headers.get("x-own")).toBe("1");
  expect(sink.drained?.()).toBeUndefined();
  expect(sink.write("data: a\n\n")).toBe(true);
  sink.end();
  sink.end();
  expect(sink.write("data: b\n\n")).toBe(false);
  expect(await client.text()).toBe("data: a\n\n");
});

it("tells when a slow reader has caught up, and leaves the socket's own timeout alone", async () => {
  const { sink, client, socket } = await openStream(60_000);
  sink.write("x".repeat(20_000_000));
  const drained = sink.drained?.();
  expect(sink.drained?.()).toBe(drained);
  expect(socket.timeout).toBe(60_000);
  const read = client.text();
  await drained;
  expect(sink.drained?.()).toBeUndefined();
  sink.end();
  expect(await read).toHaveLength(20_000_000);
});

it("waits for the end of a connection that was destroyed, also if little was queued", async () => {
  const { sink, client, socket } = await openStream();
  sink.write("x");
  socket.destroy();
  const drained = sink.drained?.();
  expect(drained).toBeInstanceOf(Promise);
  await drained;
  expect(sink.drained?.()).toBeUndefined();
  expect(sink.write("y")).toBe(false);
  await expect(client.text()).rejects.toThrow();
});

it("ends a stream behind a long event", async () => {
  const { sink, client } = await openStream();
  sink.write("x".repeat(20_000_000));
  sink.end();
  sink.end();
  expect(sink.write("late")).toBe(false);
  expect(await client.text()).toHaveLength(20_000_000);
});

it("disconnects a reader that stalls at the end of a stream", async () => {
  const { sink, client, socket } = await openStream();
  while (socket.writableLength === 0) sink.write("x".repeat(PIECE_LENGTH));
  sink.end();
  await once(socket, "close");
  await expect(client.text()).rejects.toThrow();
});

it.each([
  ["short", 0],
  ["long", 200_000],
])("sends a %s text that is in pieces as one body of known length", async (_, length) => {
  const filler = "x".repeat(length);
  const http = createServer((_, response) => {
    const text = `["größe${filler}"]`;
    const body = new SegmentedText('{"result":{"list":', { text, toEnd: Buffer.from(`${text}}}`) });
    new NodeResponse(response, outputs(1)).send(200, { "x-own": "1" }, body);
  });
  http.listen(0, "127.0.0.1");
  onTestFinished(() => void http.close().closeAllConnections());
  await new Promise((resolve) => http.once("listening", resolve));
  // It listens on a port.
  const response = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
  expect([response.headers.get("content-length"), response.headers.get("x-own")]).toEqual([String(31 + length), "1"]);
  expect(await response.text()).toBe(`{"result":{"list":["größe${filler}"]}}`);
});

it("writes a long body at once to a client that took the one before at once, and piece by piece after one that it did not", async () => {
  const written: number[] = [];
  let take: (() => void) | undefined;
  let isSlow = false;
  const write = (chunks: readonly { chunk: Buffer }[], done: () => void) => {
    written.push(chunks.reduce((length, { chunk }) => length + chunk.length, 0));
    if (isSlow) take = done;
    else done();
  };
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => write([{ chunk }], done),
    writev: write,
  });
  const connection = outputs(1_000_000);
  const body = "x".repeat(10 * PIECE_LENGTH);
  /** The lengths of the writes of one response, in whole pieces. */
  const send = (text: string | Uint8Array): number[] => {
    const request = new IncomingMessage(socket as Socket);
    const response = new ServerResponse(Object.assign(request, { complete: true }));
    response.assignSocket(socket as Socket);
    new NodeResponse(response, connection).send(200, {}, text);
    response.detachSocket(socket as Socket);
    return written.splice(0).map((length) => Math.floor(length / PIECE_LENGTH));
  };
  expect(send(Buffer.from(body))).toEqual([1, 4, 4, 1]);
  expect(send(Buffer.from(body))).toEqual([10]);
  expect(send(body)).toEqual([10]);
  expect(send(`${body}x`)).toHaveLength(11);
  expect(send(`${body}x`)).toEqual([10]);

  isSlow = true;
  expect(send(body)).toEqual([10]);
  isSlow = false;
  take?.();
  await new Promise((resolve) => setImmediate(resolve));
  // The end of the slow response.
  written.length = 0;
  expect(send(Buffer.from(body))).toEqual([1, 4, 4, 1]);

  const longest = 16 * PIECE_LENGTH;
  send(Buffer.alloc(longest));
  expect(send(Buffer.alloc(longest))).toEqual([16]);
  expect(send(Buffer.alloc(longest + 1)).length).toBeGreaterThan(1);
  expect(send(Buffer.alloc(longest + 1)).length).toBeGreaterThan(1);
});
