import { EventEmitter, once } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../../client/client.js";
import { McpServer } from "../../server/mcp-server.js";
import { StreamTransport } from "../../transport/node/stream-transport.js";
import { type ServeStdioOptions, serveProcess, serveStdio } from "./serve-stdio.js";

const identity = { name: "client", version: "1.0.0", onError: () => {} };

class FakeProcess extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exit = vi.fn();
  readonly versions: Readonly<Record<string, string>>;

  constructor(versions: Readonly<Record<string, string>>) {
    super();
    this.versions = versions;
  }
}

function createServer(): {
  server: McpServer;
  release: () => void;
  isAborted: Promise<unknown>;
  running: Promise<void>;
} {
  const server = new McpServer({ name: "server", version: "1.0.0", onError: () => {} });
  let release = () => {};
  let started = () => {};
  let aborted: (reason: unknown) => void = () => {};
  const isAborted = new Promise((resolve) => {
    aborted = resolve;
  });
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  server.tool("wait", {}, async (_input, context) => {
    context.signal.addEventListener("abort", () => aborted(context.signal.reason));
    started();
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return "waited";
  });
  return { server, release: () => release(), isAborted, running };
}

async function serve(options: ServeStdioOptions = {}, versions: Readonly<Record<string, string>> = {}) {
  const host = new FakeProcess(versions);
  const parts = createServer();
  const handle = await serveProcess(host, parts.server, options);
  const client = await Client.connect(new StreamTransport({ input: host.stdout, output: host.stdin }), identity);
  return { host, handle, client, ...parts };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("serveStdio", () => {
  it("names what it was given in place of a server", async () => {
    const served = serveProcess(new FakeProcess({}), { name: "no server" } as never, {});
    await expect(served).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/^serveStdio: expected an McpServer/),
    });
  });

  it("leaves stdout alone if it writes elsewhere, and takes a grace of no time", async () => {
    const host = new FakeProcess({});
    const { write } = host.stdout;
    const options = { input: new PassThrough(), output: new PassThrough(), graceMs: 0 };
    const handle = await serveProcess(host, createServer().server, options);
    expect(host.stdout.write).toBe(write);
    await handle.close();
  });

  it("rejects with the error of onStart, and ends its streams", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const onClose = vi.fn();
    const onStart = () => Promise.reject(new Error("no database"));
    const server = new McpServer({ ...identity, onStart, onClose });
    await expect(serveStdio(server, { input, output })).rejects.toThrow("no database");
    expect(input.destroyed).toBe(true);
    expect(onClose).not.toHaveBeenCalled();
  });

  it("runs onClose before it is closed", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const onClose = vi.fn();
    const handle = await serveStdio(new McpServer({ ...identity, onClose }), { input, output });
    input.end();
    await handle.closed;
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("serves a client over a pair of streams, and ends them", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { server } = createServer();
    server.tool("hello", {}, () => "world");
    const handle = await serveStdio(server, { input, output });
    const client = await Client.connect(new StreamTransport({ input: output, output: input }), identity);
    expect(await client.callTool("hello")).toMatchObject({ content: [{ text: "world" }] });
    await client.close();
    await handle.closed;
    expect([input.destroyed, output.destroyed]).toEqual([true, true]);
    await handle[Symbol.asyncDispose]();
  });

  it("lets a request finish after the end of its input, answers it, then lets the process end", async () => {
    const { host, handle, client, release, running } = await serve();
    const call = client.callTool("wait");
    await running;
    host.stdin.end();
    await once(host.stdin, "end");
    release();
    expect(await call).toMatchObject({ content: [{ text: "waited" }] });
    await handle.closed;
    // Its own stdout stays usable, and the process has a moment for itself.
    expect([host.stdout.writable, host.exit.mock.calls.length]).toEqual([true, 0]);
    await vi.advanceTimersByTimeAsync(499);
    expect(host.exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(host.exit).toHaveBeenCalledTimes(1);
  });

  it("cuts a request off that takes longer than the grace", async () => {
    const { host, handle, client, isAborted, running } = await serve({ graceMs: 300, exit: false });
    const call = Promise.allSettled([client.callTool("wait")]);
    await running;
    host.stdin.end();
    await once(host.stdin, "end");
    let isCut = false;
    void isAborted.then(() => {
      isCut = true;
    });
    await vi.advanceTimersByTimeAsync(299);
    expect(isCut).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isAborted).toMatchObject({ code: "connection-closed" });
    await handle.closed;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(host.exit).not.toHaveBeenCalled();
    await client.close();
    await call;
  });

  it("ends a subscription with its result", async () => {
    const { handle, client, host } = await serve();
    const subscription = await client.listen({ tools: true });
    await handle.close();
    // Iterating would throw had the connection been lost.
    for await (const change of subscription) throw new Error(`unexpected: ${change.kind}`);
    expect(host.stdin.destroyed).toBe(true);
    await client.close();
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends gently at %s, once, and refuses what comes after it",
    async (signal) => {
      const { host, handle, client, release, running } = await serve();
      const call = client.callTool("wait");
      await running;
      host.emit(signal);
      expect(host.listenerCount(signal)).toBe(0);
      await expect(client.listTools()).rejects.toMatchObject({
        code: 429,
        message: expect.stringContaining("shutting"),
      });
      release();
      expect(await call).toMatchObject({ content: [{ text: "waited" }] });
      await handle.closed;
      expect([host.listenerCount("SIGTERM"), host.listenerCount("SIGINT")]).toEqual([0, 0]);
      await client.close();
    },
  );

  it("ends when its client is gone and the output breaks", async () => {
    const { host, handle, client, isAborted, running } = await serve();
    const call = Promise.allSettled([client.callTool("wait")]);
    await running;
    host.stdout.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    await handle.closed;
    expect(await isAborted).toMatchObject({ cause: { code: "EPIPE" } });
    await client.close();
    await call;
  });

  it("sends what other code prints to stderr, with one warning, until it ends", async () => {
    const { host, handle, client } = await serve();
    host.stdout.write("first\n");
    await new Promise<unknown>((resolve) => host.stdout.write("second\n", "utf8", resolve));
    expect(await client.listTools()).toMatchObject({ tools: [{ name: "wait" }] });
    const printed = String(host.stderr.read());
    expect(printed).toMatch(/^\[parley-mcp\] .*console\.error.*\nfirst\nsecond\n$/);
    await handle.close();
    await client.close();
    host.stdout.write("afterwards\n");
    expect(host.stderr.read()).toBeNull();
  });

  it("sends what a console prints that writes past process.stdout to stderr, until it ends", async () => {
    const { log } = console;
    const { host, handle, client } = await serve({}, { bun: "1.4.0" });
    const { log: guarded } = console;
    guarded("printed");
    expect(String(host.stderr.read())).toMatch(/^\[parley-mcp\] .*\nprinted\n$/);
    await handle.close();
    await client.close();
    const { log: restored } = console;
    expect(restored).toBe(log);
  });

  it("starts the conversation over for a second handshake, whose id may be that of a request in progress", async () => {
    const { host, handle, client, running, isAborted, release } = await serve();
    const send = (id: string, method: string, params: object) =>
      host.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const opening = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "next", version: "1.0.0" } };
    send("one", "initialize", opening);
    send("two", "tools/call", { name: "wait" });
    await running;
    send("two", "initialize", opening);
    expect(await isAborted).toMatchObject({ code: "request-aborted" });
    release();
    await handle.close();
    await client.close();
  });

  it("leaves a write alone that somebody has put over its own", async () => {
    const { host, handle, client } = await serve();
    const theirs = vi.fn(() => true);
    host.stdout.write = theirs;
    await handle.close();
    expect(host.stdout.write).toBe(theirs);
    await client.close();
  });

  it("serves over the process's streams once, and again when that has ended", async () => {
    const { host, handle, client, server } = await serve();
    await expect(serveProcess(host, server, {})).rejects.toMatchObject({ code: "invalid-argument" });
    await handle.close();
    await client.close();
    const again = await serveProcess(host, server, { exit: false });
    await again.close();
  });

  it("refuses limits that are none, and leaves stdout as it was", async () => {
    const host = new FakeProcess({});
    const { server } = createServer();
    await expect(serveProcess(host, server, { maxLineBytes: -1 })).rejects.toMatchObject({ code: "invalid-argument" });
    expect(Object.hasOwn(host.stdout, "write")).toBe(false);
  });

  it("answers a line that is no message", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const handle = await serveStdio(createServer().server, { input, output, maxLineBytes: 100 });
    input.write(`{\n${"x".repeat(200)}\n`);
    const answers: string[] = [];
    while (answers.join("").split("\n").length < 3) {
      if (output.readableLength === 0) await once(output, "readable");
      answers.push(String(output.read()));
    }
    const codes = answers
      .join("")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).error.code);
    expect(codes).toEqual([-32700, -32600]);
    await handle.close();
  });
});
