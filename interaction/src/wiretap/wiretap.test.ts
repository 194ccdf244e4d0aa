import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { Client } from "parley-mcp/client";
import { ChildProcessTransport } from "parley-mcp/node";
import { afterEach, expect, test } from "vitest";
import { deferred } from "../deferred.js";
import { WireLog } from "../wire-log.js";
import { markScripted, tapInto } from "./wiretap.js";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
const pong = { jsonrpc: "2.0", id: 1, result: {} } as const;

afterEach(() => tapInto(undefined));

async function listening(server: Server): Promise<{ port: number } & AsyncDisposable> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void (await once(server.close(), "close")) };
}

const answering = () =>
  createHttpServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(pong));
    });
  });

async function heardOf(act: (port: number) => Promise<unknown>, server: Server = answering()) {
  await using at = await listening(server);
  const wire = new WireLog();
  tapInto(wire);
  await act(at.port);
  return wire.connections.map(({ judged, entries }) => [judged, entries.map(({ message }) => message)]);
}

const fetchPing = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(ping) }).then((response) =>
    response.text(),
  );

async function sendBy(transport: ChildProcessTransport): Promise<void> {
  const answered = deferred();
  const heard = () => answered.resolve();
  await transport.start({ receive: heard, closed: heard, failed: heard } as never);
  await transport.send(ping);
  await answered.promise;
  await transport.close();
}

test("of a raw client the server's messages are judged, of one of the SDK both", async () => {
  expect(await heardOf(fetchPing)).toEqual([[["server"], [ping, pong]]]);
  const calling = async (port: number) => {
    const options = { name: "c", version: "1.0.0", revision: "2026-07-28", onError: () => undefined } as const;
    await using client = await Client.connect(`http://127.0.0.1:${port}/`, options);
    await client.request("acme/ask").catch(() => undefined);
  };
  const [sent] = await heardOf(calling);
  expect(sent?.[0]).toEqual(["client", "server"]);
  expect(sent?.[1]).toMatchObject([{ method: "acme/ask" }, pong]);
});

test("a server that a test plays is not judged, and its port is free again afterwards", async () => {
  const server = answering();
  markScripted(server);
  expect(await heardOf(fetchPing, server)).toEqual([[[], [ping, pong]]]);
});

test("lines over a socket are heard, and other protocols leave the connection alone", async () => {
  const echo = () => createServer((socket) => socket.pipe(socket));
  const say = (text: string) => async (port: number) => {
    const socket = connect(port, "127.0.0.1");
    socket.end(text);
    const parts = await socket.toArray();
    expect(Buffer.concat(parts).toString()).toBe(text);
  };
  expect(await heardOf(say(`${JSON.stringify(ping)}\n`), echo())).toEqual([[["server"], [ping, ping]]]);
  expect(await heardOf(say("*1\r\n$4\r\nPING\r\n"), echo())).toEqual([]);
});

test("programs are heard, and those given as text are not judged", async () => {
  const wire = new WireLog();
  tapInto(wire);
  const script = "process.stdin.pipe(process.stdout)";
  const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(`${JSON.stringify(ping)}\n`);
  await child.stdout.toArray();
  await sendBy(new ChildProcessTransport({ command: process.execPath, args: ["-e", script] }));
  expect(wire.connections.map(({ judged }) => judged)).toEqual([[], ["client"]]);
});

test("nothing is heard of a test that has its own log, and no more than a judge has time for", async () => {
  tapInto(undefined);
  await using at = await listening(createServer((socket) => socket.pipe(socket)));
  const wire = new WireLog();
  tapInto(wire);
  const socket = connect(at.port, "127.0.0.1");
  const echoed = socket.toArray();
  for (let sent = 0; sent < 3_000; sent += 1) {
    await new Promise((resolve) => socket.write(`${JSON.stringify(ping)}\n`, resolve));
  }
  socket.end();
  await echoed;
  const [log] = wire.connections;
  expect(log?.entries.length).toBeGreaterThan(2_000);
  expect(log?.entries.length).toBeLessThan(3_000);
});
