import { spawnSync } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "parley-mcp/client";
import { SocketTransport, serveSocket } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { RawLines } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "client", version: "1.0.0" };

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), "parley-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

function greeter(): McpServer {
  const server = new McpServer({ name: "greeter", version: "1.0.0" });
  server.tool("greet", {}, () => "hello");
  return server;
}

verifies(
  "transport:socket:framing",
  "clients of two eras are served at once over a Unix socket and over a TCP port",
  async () => {
    await using folder = await temporaryFolder();
    for (const where of [{ port: 0 }, { path: join(folder.path, "mcp.sock") }]) {
      await using serving = await serveSocket(greeter(), where);
      const clients = await Promise.all(
        (["2025-11-25", "2026-07-28"] as const).map((revision) =>
          Client.connect(() => new SocketTransport(serving.address), { ...identity, revisions: [revision] }),
        ),
      );
      for (const client of clients) {
        expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "hello" }] });
      }
      await Promise.all(clients.map((client) => client.close()));
    }
  },
);

verifies(
  "transport:socket:private",
  "a port is open on 127.0.0.1 and a socket file has mode 600, unless the options say otherwise",
  async () => {
    await using folder = await temporaryFolder();
    await using onPort = await serveSocket(greeter(), { port: 0 });
    expect(onPort.address).toMatchObject({ host: "127.0.0.1" });
    const [mine, ours] = [join(folder.path, "mine.sock"), join(folder.path, "ours.sock")];
    await using _mine = await serveSocket(greeter(), { path: mine });
    await using _ours = await serveSocket(greeter(), { path: ours, mode: 0o660 });
    const modes = await Promise.all([mine, ours].map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual([0o600, 0o660]);
  },
);

verifies(
  "transport:socket:limit",
  "a second client over the limit of connections is turned away, and the first goes on",
  async () => {
    for (const limits of [{ maxConnections: 1 }, { maxConnectionsPerAddress: 1, sharedAddresses: [] }]) {
      await using serving = await serveSocket(greeter(), { port: 0, ...limits });
      const first = await Client.connect(new SocketTransport(serving.address), identity);
      const second = Client.connect(new SocketTransport(serving.address), { ...identity, onError: () => {} });
      await expect(second).rejects.toMatchObject({
        code: "connection-closed",
        message: expect.stringContaining("too many connections"),
        cause: { code: 429, data: { retryAfterMs: 1_000 } },
      });
      const third = connect(serving.address as { port: number });
      const [refusal] = await new RawLines({ input: third, output: third }).rest();
      expect(JSON.parse(refusal ?? "")).toMatchObject({ error: { data: { retryAfterMs: 1_000 } } });
      expect(await first.callTool("greet")).toMatchObject({ content: [{ text: "hello" }] });
      await first.close();
    }
  },
);

verifies(
  "transport:socket:silent",
  "a connection that sends no message is closed in time, and at once where another connection wants its place",
  async () => {
    for (const limits of [{ firstMessageTimeoutMs: 500 }, { maxConnections: 1 }]) {
      await using serving = await serveSocket(greeter(), { port: 0, ...limits });
      const silent = connect(serving.address as { port: number });
      const lines = new RawLines({ input: silent, output: silent });
      await new Promise((resolve) => silent.once("connect", resolve));
      const client = await Client.connect(new SocketTransport(serving.address), identity);
      expect(await lines.rest()).toEqual([]);
      expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "hello" }] });
      await client.close();
    }
  },
);

verifies(
  "transport:socket:stalled-reader",
  "a client that reads nothing is disconnected after the stall limit, although it goes on sending",
  async () => {
    const server = new McpServer({ name: "teller", version: "1.0.0", onError: () => {} });
    server.prompt("long", {}, () => "x".repeat(1_000_000));
    await using serving = await serveSocket(server, { port: 0, stallTimeoutMs: 50 });
    const socket = connect(serving.address as { port: number }).on("error", () => undefined);
    const raw = (message: object) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: identity };
    raw({ id: 0, method: "initialize", params });
    for (let id = 1; id <= 16; id += 1) raw({ id, method: "prompts/get", params: { name: "long" } });
    while (!socket.destroyed) {
      socket.write("\n");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(socket.destroyed).toBe(true);
  },
);

verifies("transport:socket:foreign-protocol", "a page's text/plain POST runs no tool", async () => {
  const server = new McpServer({ name: "target", version: "1.0.0", onError: () => {} });
  let runs = 0;
  server.tool("erase", {}, () => `${++runs}`);
  await using serving = await serveSocket(server, { port: 0 });
  const { port } = serving.address as { port: number };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "erase" } };
  const body = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" })}\n${JSON.stringify(call)}\n`;

  const page = { origin: "https://evil.example", "content-type": "text/plain" };
  await expect(fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: page, body })).rejects.toThrow();
  const socket = connect(port, "127.0.0.1");
  const raw = new RawLines({ input: socket, output: socket });
  raw.send(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${body}`);
  const [answer, ...more] = await raw.rest();

  expect(JSON.parse(answer ?? "")).toMatchObject({ error: { code: -32700 } });
  expect(more).toEqual([]);
  expect(runs).toBe(0);
});

verifies(
  "transport:socket:stale-file",
  "a socket file of a killed process is replaced, one in use is not, and the file is removed at the end",
  async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "mcp.sock");
    const listen = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9));`;
    spawnSync(process.execPath, ["-e", listen]);
    expect((await stat(path)).isSocket()).toBe(true);
    const serving = await serveSocket(greeter(), { path });
    await expect(serveSocket(greeter(), { path })).rejects.toMatchObject({ code: "EADDRINUSE" });
    const client = await Client.connect(new SocketTransport({ path }), identity);
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "hello" }] });
    await client.close();
    await serving.close();
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  },
);

verifies(
  "transport:socket:half-closed",
  "a client that ends its side of a socket gets the answer that it waits for",
  async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "mcp.sock");
    const server = greeter();
    const [started, released] = [deferred(), deferred()];
    server.tool("slow", {}, async () => {
      started.resolve();
      await released.promise;
      return "done";
    });
    await using _serving = await serveSocket(server, { path });
    const socket = connect({ path });
    const lines = new RawLines({ input: socket, output: socket });
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    lines.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow", arguments: {}, _meta } });
    await started.promise;
    lines.end();
    // Until the end has arrived and would have been answered with another.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    released.resolve();
    const answers = (await lines.rest()).map((line) => JSON.parse(line));
    expect(answers).toMatchObject([{ id: 1, result: { content: [{ text: "done" }] } }]);
  },
);

// A thousand calls of a millisecond each take many times that on a busy machine.
const PATIENT = { deadlineMs: 30_000 };

verifies(
  "transport:socket:turns",
  "other work runs after a few of many calls on a socket, and all answers come in order",
  PATIENT,
  async () => {
    const server = new McpServer({ name: "busy", version: "1.0.0" });
    let runs = 0;
    const runsBeforeOthers = deferred<number>();
    server.tool("spin", {}, () => {
      if (runs === 0) setImmediate(() => runsBeforeOthers.resolve(runs));
      runs += 1;
      const until = performance.now() + 1;
      while (performance.now() < until);
      return "done";
    });
    await using serving = await serveSocket(server, { port: 0 });
    const ids = Array.from({ length: 250 }, (_, index) => index);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const calls = ids.map((id) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "spin", _meta } }),
    );

    const clients = Array.from({ length: 4 }, () => {
      const socket = connect(serving.address as { port: number });
      const lines = new RawLines({ input: socket, output: socket });
      lines.send(`${calls.join("\n")}\n`);
      lines.end();
      return lines;
    });

    expect(await runsBeforeOthers.promise).toBeLessThan(50);
    for (const lines of clients) {
      expect((await lines.rest()).map((line) => JSON.parse(line).id)).toEqual(ids);
    }
  },
);
