import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { LongText } from "../../wire/lasting-json.js";
import type { EventSink } from "../http/http-exchange.js";
import { NodeResponse } from "./node-response.js";

async function openStream(timeoutMs = 0): Promise<{ sink: EventSink; client: Response; socket: Socket }> {
  let sink: EventSink | undefined;
  let socket: Socket | undefined;
  const http = createServer((request, response) => {
    socket = request.socket;
    sink = new NodeResponse(response, { maxQueuedBytes: 1_000_000, stallTimeoutMs: 1_000 }).stream({ "x-own": "1" });
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

it.each([0, 60_000])("limits how long a reader may stall while it is waited for, on top of %s ms", async (own) => {
  const { sink, client, socket } = await openStream(own);
  sink.write("x".repeat(20_000_000));
  const drained = sink.drained?.();
  expect(sink.drained?.()).toBe(drained);
  expect(socket.timeout).toBe(1_000);
  const read = client.text();
  await drained;
  expect(socket.timeout).toBe(own);
  expect(sink.drained?.()).toBeUndefined();
  sink.end();
  expect(await read).toHaveLength(20_000_000);
});

it("sends a text that is in pieces as one body of known length", async () => {
  const http = createServer((_, response) => {
    const body = new LongText(['["größe",', '"b"', "]"], 15);
    new NodeResponse(response, { maxQueuedBytes: 1, stallTimeoutMs: 1 }).send(200, { "x-own": "1" }, body);
  });
  http.listen(0, "127.0.0.1");
  onTestFinished(() => void http.close().closeAllConnections());
  await new Promise((resolve) => http.once("listening", resolve));
  // It listens on a port.
  const response = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
  expect([response.headers.get("content-length"), response.headers.get("x-own")]).toEqual(["15", "1"]);
  expect(await response.text()).toBe('["größe","b"]');
});
