import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
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
