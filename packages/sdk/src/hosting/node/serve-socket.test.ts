import { spawnSync } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer as createNetServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../../client/client.js";
import { McpServer } from "../../server/mcp-server.js";
import { RecordingReceiver } from "../../transport/node/recording-receiver.fixture.js";
import { SocketTransport, type SocketTransportOptions } from "../../transport/node/socket-transport.js";
import { type ServeSocketOptions, serveSocket } from "./serve-socket.js";

const identity = { name: "client", version: "1.0.0" };
const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

const opened: { close(): unknown }[] = [];
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-socket-"));
});
afterEach(async () => {
  for (const { close } of opened.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

async function serve(options: ServeSocketOptions) {
  const server = new McpServer({ name: "server", version: "1.0.0" });
  let release = () => {};
  server.tool("hello", {}, () => "world");
  server.tool("big", {}, () => "x".repeat(1_000_000));
  server.tool("wait", {}, async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return "waited";
  });
  const handle = await serveSocket(server, options);
  opened.push(handle);
  return { handle, release: () => release() };
}

async function connectTo(address: SocketTransportOptions): Promise<Client> {
  const client = await Client.connect(new SocketTransport(address), identity);
  opened.push({ close: () => client.close() });
  return client;
}

/** A socket as the operating system gives it, with nothing of ours behind it. */
async function rawSocket(address: { path: string } | { port: number; host: string }): Promise<Socket> {
  const socket = connect(address);
  opened.push({ close: () => socket.destroy() });
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

async function rawServer(path: string, onSocket: (socket: Socket) => void): Promise<void> {
  const server = createNetServer(onSocket);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  opened.push({ close: () => server.close() });
}

describe("serveSocket", () => {
  it("serves several clients on a free port of this machine", async () => {
    const { handle } = await serve({ port: 0 });
    expect(handle.address).toEqual({ host: "127.0.0.1", port: expect.any(Number) });
    const clients = await Promise.all([1, 2].map(() => connectTo(handle.address)));
    for (const client of clients) {
      expect(await client.callTool("hello")).toMatchObject({ content: [{ text: "world" }] });
    }
    await clients[0]?.close();
    expect(await clients[1]?.callTool("hello")).toMatchObject({ content: [{ text: "world" }] });
  });

  it("serves on a Unix socket for its user alone, or whom it is told, and takes the file away", async () => {
    const path = join(folder, "mine.sock");
    const { handle } = await serve({ path });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const client = await connectTo(handle.address);
    expect(await client.callTool("hello")).toMatchObject({ content: [{ text: "world" }] });
    await handle.close();
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
    await serve({ path, mode: 0o660 });
    expect((await stat(path)).mode & 0o777).toBe(0o660);
  });

  it("stops listening if the file cannot get its mode", async () => {
    const path = join(folder, "mode.sock");
    await expect(serve({ path, mode: -1 })).rejects.toMatchObject({ code: "ERR_OUT_OF_RANGE" });
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("replaces a socket file that nobody serves, and nothing else", async () => {
    const path = join(folder, "left.sock");
    const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", script]);
    expect((await stat(path)).isSocket()).toBe(true);
    const { handle } = await serve({ path });
    await expect(serve({ path })).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(await (await connectTo(handle.address)).callTool("hello")).toMatchObject({ content: [{ text: "world" }] });

    const file = join(folder, "notes.txt");
    await writeFile(file, "notes");
    await expect(serve({ path: file })).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect((await stat(file)).isFile()).toBe(true);
  });

  it("answers a client that has ended its side, then closes", async () => {
    const { handle } = await serve({ path: join(folder, "half.sock") });
    const socket = await rawSocket(handle.address as { path: string });
    socket.end(`${JSON.stringify(ping)}\n`);
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(JSON.parse(text)).toMatchObject({ id: 1, result: {} });
  });

  it("turns clients over the limit away", async () => {
    const { handle } = await serve({ port: 0, maxConnections: 1 });
    await connectTo(handle.address);
    await expect(connectTo(handle.address)).rejects.toMatchObject({ code: "connection-closed" });
  });

  it("serves 100 clients at once by default", async () => {
    const { handle } = await serve({ path: join(folder, "many.sock") });
    const address = handle.address as { path: string };
    for (let client = 1; client <= 100; client += 1) await connectTo(address);
    const refused = Client.connect(new SocketTransport(address), { ...identity, onError: () => {} });
    await expect(refused).rejects.toMatchObject({ code: "connection-closed" });
  });

  describe("what is no JSON-RPC", () => {
    const call = `${JSON.stringify({ ...ping, method: "tools/call", params: { name: "hello" } })}\n`;
    const post = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n${call}`;
    const clientHello = Buffer.from("16030100c8010000c40303", "hex");

    it.each<[string, string | Buffer]>([
      ["a text/plain POST", post],
      ["a request line that looks too deep", post.replace("/", `/${"[".repeat(600)}`)],
      ["blank lines before a request", `\r\n \n${post}`],
      ["a WebSocket handshake", `GET /${call}`],
      ["an HTTP/2 preface", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${call}`],
      ["a TLS client hello", Buffer.concat([clientHello, Buffer.from(`\n${call}`)])],
      ["an overlong line", `${"x".repeat(2_000)}\n${call}`],
      ["an empty object", `{}\n${call}`],
      ["a number", `42\n${call}`],
    ])("ends the connection at %s, and serves nothing of it", async (_, bytes) => {
      for (const where of [{ port: 0 }, { path: join(folder, "lines.sock") }]) {
        const { handle } = await serve({ ...where, maxLineBytes: 1_000 });
        const socket = await rawSocket(handle.address as { path: string });
        socket.write(bytes);
        let text = "";
        for await (const chunk of socket) text += chunk;
        const answers = text.trim().split("\n");
        expect(answers).toHaveLength(1);
        expect(JSON.parse(text)).toMatchObject({ error: { code: expect.any(Number) } });
        await handle.close();
      }
    });

    it("serves the lines before it", async () => {
      const { handle } = await serve({ port: 0 });
      const socket = await rawSocket(handle.address as { port: number; host: string });
      socket.write(`${JSON.stringify(ping)}\nnoise\n${call}`);
      let text = "";
      for await (const chunk of socket) text += chunk;
      const answers = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(answers).toMatchObject([{ id: 1, result: {} }, { error: { code: -32700 } }]);
    });

    it("goes on after a request that is merely invalid", async () => {
      const { handle } = await serve({ port: 0 });
      const socket = await rawSocket(handle.address as { port: number; host: string });
      socket.end(`${JSON.stringify({ ...ping, id: 1.5 })}\n${JSON.stringify(ping)}\n`);
      let text = "";
      for await (const chunk of socket) text += chunk;
      const answers = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(answers).toMatchObject([{ error: { code: -32600 } }, { id: 1, result: {} }]);
    });
  });

  describe("a client", () => {
    const textOf = async (socket: Socket) => {
      let text = "";
      for await (const chunk of socket) text += chunk;
      return text;
    };

    it("that says nothing, or no whole message, is disconnected", async () => {
      const { handle } = await serve({ port: 0, firstMessageTimeoutMs: 250 });
      const talking = await connectTo(handle.address);
      const [silent, blank, slow] = await Promise.all(
        [1, 2, 3].map(() => rawSocket(handle.address as { path: string })),
      );
      blank?.write("\n \n");
      slow?.write('{"jsonrpc"');
      for (const socket of [silent, blank, slow]) expect(await textOf(socket as Socket)).toBe("");
      expect(await talking.callTool("hello")).toMatchObject({ content: [{ text: "world" }] });
    });

    it("that says nothing makes room for another", async () => {
      const { handle } = await serve({ port: 0, maxConnections: 1 });
      const silent = await rawSocket(handle.address as { path: string });
      const client = await connectTo(handle.address);
      expect(await client.callTool("hello")).toMatchObject({ content: [{ text: "world" }] });
      expect(await textOf(silent)).toBe("");
    });

    it.each([
      ["too many connections", { maxConnections: 1 }],
      ["from this address", { maxConnectionsPerAddress: 1, sharedAddresses: [] }],
    ])("over a limit is told so (%s), and when to come back", async (reason, limits) => {
      const { handle } = await serve({ port: 0, ...limits });
      await connectTo(handle.address);
      const refused = await rawSocket(handle.address as { path: string });
      const answer = JSON.parse(await textOf(refused));
      expect(answer).toMatchObject({
        error: { message: expect.stringContaining(reason), data: { retryAfterMs: 1_000 } },
      });
    });

    it("that reads nothing is disconnected, although it goes on sending", async () => {
      const { handle } = await serve({ port: 0, stallTimeoutMs: 50 });
      const socket = await rawSocket(handle.address as { path: string });
      socket.on("error", () => undefined);
      const big = `${JSON.stringify({ ...ping, method: "tools/call", params: { name: "big" } })}\n`;
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: identity };
      socket.write(`${JSON.stringify({ ...ping, method: "initialize", params })}\n`);
      for (let id = 2; id < 17; id += 1) socket.write(big.replace('"id":1', `"id":${id}`));
      while (!socket.destroyed) {
        socket.write("\n");
        await new Promise((resolve) => setImmediate(resolve));
      }
    });

    it("that reads slowly gets a long answer whole", async () => {
      const { handle } = await serve({ port: 0 });
      const client = await connectTo(handle.address);
      const answers = await Promise.all([1, 2, 3].map(() => client.callTool("big")));
      for (const answer of answers) expect(JSON.stringify(answer).length).toBeGreaterThan(1_000_000);
    });

    it.each([
      { graceMs: Number.NaN },
      { firstMessageTimeoutMs: -1 },
      { stallTimeoutMs: Number.NaN },
      { maxTotalQueuedBytes: -1 },
    ])("cannot be limited by %j", async (limits) => {
      await expect(serve({ port: 0, ...limits })).rejects.toMatchObject({ code: "invalid-argument" });
    });
  });

  it("lets requests finish when it is closed, and accepts nobody any more", async () => {
    const { handle, release } = await serve({ port: 0 });
    const client = await connectTo(handle.address);
    const call = client.callTool("wait");
    await client.callTool("hello");
    const closed = handle.close();
    await expect(connectTo(handle.address)).rejects.toMatchObject({
      code: "connection-closed",
      message: expect.stringContaining("127.0.0.1"),
    });
    release();
    expect(await call).toMatchObject({ content: [{ text: "waited" }] });
    await closed;
    await handle[Symbol.asyncDispose]();
  });

  it("holds both sides to their limits on JSON", async () => {
    const { handle } = await serve({ path: join(folder, "limits.sock"), maxJsonNodes: 60 });
    const [wide, narrow] = [{}, { maxJsonDepth: 1 }].map((limits) => {
      const transport = new SocketTransport({ ...handle.address, ...limits });
      opened.push({ close: () => transport.close() });
      return { transport, inbox: new RecordingReceiver() };
    });
    await wide?.transport.start(wide.inbox);
    await wide?.transport.send({ ...ping, params: { many: Array.from({ length: 60 }, () => "") } });
    expect(await wide?.inbox.next()).toMatchObject({ message: { error: { code: -32600 } } });
    await narrow?.transport.start(narrow.inbox);
    await narrow?.transport.send(ping);
    expect(await narrow?.inbox.next()).toMatchObject({ error: { message: expect.stringContaining("1 levels") } });
  });

  it("refuses limits that are none", async () => {
    await expect(serve({ port: 0, maxLineBytes: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("SocketTransport", () => {
  it("says where nobody listens", async () => {
    const path = join(folder, "nobody.sock");
    const transport = new SocketTransport({ path });
    await expect(transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
    await expect(transport.start(new RecordingReceiver())).rejects.toMatchObject({
      code: "connection-closed",
      message: expect.stringContaining(path),
    });
    await transport.close();
  });

  it("gives up connecting when it takes too long, and when it is closed", async () => {
    const { handle } = await serve({ port: 0 });
    const closed = new SocketTransport(handle.address);
    await closed.close();
    const starting = closed.start(new RecordingReceiver());
    await closed.close();
    await expect(starting).rejects.toMatchObject({ code: "connection-closed" });

    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const slow = new SocketTransport({ ...handle.address, connectTimeoutMs: 50 }).start(new RecordingReceiver());
    vi.advanceTimersByTime(50);
    vi.useRealTimers();
    await expect(slow).rejects.toMatchObject({ message: expect.stringContaining("50 ms") });
  });

  it("gives up connecting after ten seconds by default", async () => {
    const { handle } = await serve({ port: 0 });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const slow = new SocketTransport(handle.address).start(new RecordingReceiver());
    vi.advanceTimersByTime(9_999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await expect(slow).rejects.toMatchObject({ message: expect.stringContaining("10000 ms") });
  });

  it("does not answer noise, tells of the end of the other side, and starts once", async () => {
    const path = join(folder, "noisy.sock");
    const said: string[] = [];
    await rawServer(path, (socket) => {
      socket.on("data", (chunk) => said.push(String(chunk))).on("end", () => said.push("end"));
      socket.end("Welcome!\n");
    });
    const inbox = new RecordingReceiver();
    const transport = new SocketTransport({ path });
    await transport.start(inbox);
    await expect(transport.start(inbox)).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await inbox.next()).toMatchObject({ kind: "unreadable", error: { code: "invalid-message" } });
    expect(await inbox.next()).toEqual({ kind: "closed", error: undefined });
    await vi.waitUntil(() => said.length > 0);
    expect(said).toEqual(["end"]);
  });

  it("refuses limits that are none", () => {
    expect(() => new SocketTransport({ port: 1, maxQueuedBytes: 0 })).toThrow("maxQueuedBytes");
  });
});
