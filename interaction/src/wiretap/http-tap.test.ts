import { expect, test } from "vitest";
import { ConnectionLog } from "../wire-log.js";
import { HttpTap } from "./http-tap.js";

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const pong = '{"jsonrpc":"2.0","id":1,"result":{}}';
const note = '{"jsonrpc":"2.0","method":"acme/ä"}';

function listen() {
  const logs: ConnectionLog[] = [];
  const sessions = new Map<string, ConnectionLog>();
  const open = () =>
    new HttpTap((revision) => {
      const log = new ConnectionLog(["server"], revision, false);
      logs.push(log);
      return log;
    }, sessions);
  const heard = () =>
    logs.map(({ entries }) => entries.map(({ from, message }) => `${from} ${JSON.stringify(message)}`));
  return { open, logs, heard };
}

function post(body: string, headers = ""): Buffer {
  return Buffer.from(`POST /mcp HTTP/1.1\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`);
}

function response(body: string, headers = ""): Buffer {
  return Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`);
}

/** In pieces of one byte. */
function bytes(whole: Buffer): Buffer[] {
  return [...whole].map((byte) => Buffer.of(byte));
}

test("requests and responses are heard byte by byte, pipelined ones in their order", () => {
  const { open, heard } = listen();
  const tap = open();
  for (const byte of bytes(Buffer.concat([post(ping), post(note)]))) tap.fromClient(byte);
  const interim = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");
  const accepted = Buffer.from("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
  for (const byte of bytes(Buffer.concat([interim, response(pong), accepted]))) tap.fromServer(byte);
  expect(heard()).toEqual([[`client ${ping}`, `server ${pong}`], [`client ${note}`]]);
});

test("events are heard as they come, in chunks and after comments", () => {
  const { open, heard } = listen();
  const tap = open();
  tap.fromClient(post(ping));
  tap.fromServer(
    Buffer.from("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"),
  );
  const events = Buffer.from(`: hello\n\nid: 1\ndata:\n\nid: 2\ndata: ${note}\n\ndata: ${pong}\n\n`);
  const half = events.indexOf("ä") + 1;
  for (const part of [events.subarray(0, half), events.subarray(half)]) {
    tap.fromServer(Buffer.from(`${part.length.toString(16)}\r\n`));
    for (const byte of bytes(Buffer.concat([part, Buffer.from("\r\n")]))) tap.fromServer(byte);
  }
  expect(heard()).toEqual([[`client ${ping}`, `server ${note}`, `server ${pong}`]]);

  tap.fromServer(Buffer.from("0\r\n\r\n"));
  tap.fromClient(post(ping));
  tap.fromServer(response(pong));
  expect(heard()[1]).toEqual([`client ${ping}`, `server ${pong}`]);
});

test("the connections of a session have one log, over Streamable HTTP and HTTP+SSE", () => {
  for (const [begin, address] of [
    [response(pong, "mcp-session-id: s1\r\n"), "/mcp HTTP/1.1\r\nmcp-session-id: s1\r\n"],
    [
      Buffer.from(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: /messages?sessionId=s1\n\n",
      ),
      "/messages?sessionId=s1 HTTP/1.1\r\n",
    ],
  ] as const) {
    const { open, logs } = listen();
    const [first, second] = [open(), open()];
    first.fromClient(post(ping));
    first.fromServer(begin);
    second.fromClient(Buffer.from(`POST ${address}content-length: ${ping.length}\r\n\r\n${ping}`));
    expect(logs).toHaveLength(1);
  }
});

test("a response without a length ends with its connection, and one to HEAD has no body", () => {
  const { open, heard } = listen();
  const tap = open();
  tap.fromClient(Buffer.from("HEAD /mcp HTTP/1.1\r\n\r\n"));
  tap.fromServer(Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n"));
  tap.fromClient(post(ping));
  tap.fromServer(Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${pong}`));
  expect(heard()[1]).toEqual([`client ${ping}`]);
  tap.close();
  expect(heard()[1]).toEqual([`client ${ping}`, `server ${pong}`]);
});

test("a header tells the revision, and bodies that are no messages are left out", () => {
  const { open, logs } = listen();
  const tap = open();
  tap.fromClient(post('{"grant_type":"x"}', "MCP-Protocol-Version: 2025-06-18\r\n"));
  tap.fromServer(response('{"access_token":"t"}'));
  tap.fromClient(post("{}"));
  expect(logs.map(({ revision, entries }) => [revision, entries])).toEqual([
    ["2025-06-18", []],
    ["2025-11-25", []],
  ]);
});

test("bytes that are not HTTP, and a head without an end, cannot be read", () => {
  const tap = listen().open();
  expect(() => tap.fromClient(Buffer.from("\x16\x03\x01\r\n\r\n"))).toThrow("not HTTP");
  expect(() => listen().open().fromClient(Buffer.alloc(1_100_000, "a"))).toThrow("no end");
});
