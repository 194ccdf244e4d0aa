import { PassThrough, Transform, Writable } from "node:stream";
import { Client } from "parley-mcp/client";
import { type LineLimits, StreamTransport, serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { RawLines } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "client", version: "1.0.0" };
const ping = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });

/** A raw client of a real server. */
async function serveRaw(server: McpServer, options: LineLimits = {}) {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const serving = await serveStdio(server, { input: toServer, output: toClient, ...options });
  return { lines: new RawLines({ input: toClient, output: toServer }), [Symbol.asyncDispose]: () => serving.close() };
}

/** A raw server, and the transport of a real client. */
function playServer() {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const lines = new RawLines({ input: toServer, output: toClient }, { ours: "client" });
  return { lines, transport: new StreamTransport({ input: toClient, output: toServer }) };
}

function greeter(): McpServer {
  return new McpServer({ name: "greeter", version: "1.0.0", onError: () => {} });
}

verifies("transport:stdio:no-embedded-newlines", "text with line ends crosses as one line, both ways", async () => {
  const server = greeter();
  const received: unknown[] = [];
  server.handle("own/echo", (params) => {
    received.push(params.text);
    return { text: params.text };
  });
  const text = "one\ntwo\r\nthree\u2028";
  await using raw = await serveRaw(server);
  raw.lines.send(`${ping(0)}\n`);
  await raw.lines.receive();
  const { lines, transport } = playServer();
  const connecting = Client.connect(transport, { ...identity, revision: "2026-07-28" });
  const client = await connecting;
  const answer = client.request("own/echo", { text });
  const line = (await lines.next()) ?? "";
  expect(JSON.parse(line)).toMatchObject({ method: "own/echo", params: { text } });
  raw.lines.send(`${line}\n`);
  const answered = (await raw.lines.next()) ?? "";
  lines.send(`${answered}\n`);
  expect([await answer, received]).toMatchObject([{ text }, [text]]);
  await client.close();
});

verifies(
  "transport:stdio:lines",
  "CRLF, blank lines, cut characters and a last line without end are served",
  async () => {
    const server = greeter();
    server.handle("own/echo", ({ text }) => ({ text }));
    await using raw = await serveRaw(server);
    raw.lines.send(`\r\n\n${ping(1)}\r\n \n`);
    expect(await raw.lines.receive()).toMatchObject({ id: 1 });
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const message = { jsonrpc: "2.0", id: 2, method: "own/echo", params: { text: "日本🙂", _meta: meta } };
    for (const byte of new TextEncoder().encode(`${JSON.stringify(message)}\n`)) raw.lines.send(Uint8Array.of(byte));
    expect(await raw.lines.receive()).toMatchObject({ id: 2, result: { text: "日本🙂" } });
    raw.lines.send(ping(3));
    raw.lines.end();
    expect(await raw.lines.receive()).toMatchObject({ id: 3 });
    expect(await raw.lines.rest()).toEqual([]);
  },
);

verifies(
  "transport:stdio:unreadable-lines",
  "each line that is no JSON, no UTF-8 or has a byte order mark is answered -32700, and the next line is served",
  async () => {
    await using raw = await serveRaw(greeter());
    const invalidUtf8 = Uint8Array.of(0x22, 0xc3, 0x28, 0x22, 0x0a);
    for (const [id, broken] of ["{\n", "no JSON\n", invalidUtf8, `\uFEFF${ping(9)}\n`].entries()) {
      raw.lines.send(broken);
      const answer = await raw.lines.receive();
      expect(answer).toEqual({ jsonrpc: "2.0", error: { code: -32700, message: expect.any(String) } });
      raw.lines.send(`${ping(id)}\n`);
      expect(await raw.lines.receive()).toMatchObject({ id, result: {} });
    }
  },
);

verifies("transport:stdio:unreadable-flood", "a server answers a thousand such lines, and then ends", async () => {
  await using raw = await serveRaw(greeter());
  raw.lines.send(`${"x\n".repeat(999)}${ping(1)}\n${"x\n".repeat(1_010)}${ping(2)}\n`);
  const answers = (await raw.lines.rest()).map((line) => JSON.parse(String(line)));
  expect(answers.filter(({ id }) => id !== undefined)).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  expect(answers).toHaveLength(2_000);
  expect(answers.at(-1)).toMatchObject({ error: { code: -32700, message: expect.stringContaining("1000 lines") } });
});

verifies(
  "transport:stdio:noise-flood",
  "a client reports a thousand log lines, and is answered after more",
  async () => {
    const { lines, transport } = playServer();
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    const client = await Client.connect(transport, { ...identity, revision: "2026-07-28", onError });
    const answer = client.request("own/x");
    const { id } = await lines.receive();
    lines.send("log\n".repeat(3_000));
    lines.send({ jsonrpc: "2.0", id: id as number, result: { resultType: "complete" } });
    await answer;
    expect(errors).toHaveLength(1_000);
    expect(errors.at(-1)?.message).toContain("1000 lines in a row");
    await client.close();
  },
);

verifies(
  "transport:stdio:line-limit",
  "a line over the limit is answered once, however much of it follows",
  async () => {
    await using raw = await serveRaw(greeter(), { maxLineBytes: 1_000 });
    for (let part = 0; part < 10; part++) raw.lines.send("x".repeat(900));
    raw.lines.send(`\n${ping(1)}\n`);
    const refused = await raw.lines.receive();
    expect(refused).toEqual({
      jsonrpc: "2.0",
      error: { code: -32600, message: expect.stringContaining("1000 bytes") },
    });
    expect(await raw.lines.receive()).toMatchObject({ id: 1, result: {} });
  },
);

verifies(
  "transport:stdio:node-limit",
  "a line that is nested too deeply or has too many values is refused alone, and either limit can be set",
  async () => {
    const many = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"many":[{}${",{}".repeat(200_000)}]}}`;
    for (const [options, line, complaint] of [
      [{}, many, "150000 arrays, objects"],
      [{ maxJsonNodes: 8 }, ping(1).replace("}", ',"x":["a"]}'), "8 arrays, objects"],
      [{ maxJsonDepth: 1 }, ping(1).replace("}", ',"x":[]}'), "1 levels"],
    ] as const) {
      await using raw = await serveRaw(greeter(), options);
      raw.lines.send(`${line}\n${ping(2)}\n`);
      const message = expect.stringContaining(complaint);
      expect(await raw.lines.receive()).toEqual({ jsonrpc: "2.0", error: { code: -32600, message } });
      expect(await raw.lines.receive()).toMatchObject({ id: 2, result: {} });
    }
  },
);

verifies("transport:stdio:queue-limit", "calls to a server that never reads reject instead of piling up", async (t) => {
  const stuck = new Writable({ highWaterMark: 1, write: () => {} });
  const transport = new StreamTransport({ input: new PassThrough(), output: stuck, maxQueuedBytes: 10_000 });
  const client = await t.connectTo(() => transport, { revision: "2026-07-28", reconnect: false, onError: () => {} });
  const calls = Array.from({ length: 20 }, () => client.request("own/x", { text: "x".repeat(1_000) }));
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code)).toEqual(
    Array.from({ length: 20 }, () => "connection-closed"),
  );
  await client.close();
});

verifies(
  "transport:stdio:late-reader",
  "fifty answers of ten times the limit in all arrive, whether handlers return a promise or not",
  async () => {
    const text = "x".repeat(10_000);
    const params = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": identity,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    };
    for (const answer of [() => ({ text }), async () => ({ text })]) {
      const server = greeter();
      const handler = vi.fn(answer);
      server.handle("own/read", handler);
      const reading = deferred<void>();
      const toServer = new PassThrough();
      const toClient = new Transform({
        transform: (chunk, _encoding, done) => void reading.promise.then(() => done(null, chunk)),
      });
      await using _serving = await serveStdio(server, { input: toServer, output: toClient, maxQueuedBytes: 50_000 });
      const ids = Array.from({ length: 50 }, (_, index) => index + 1);
      const requests = ids.map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "own/read", params }));
      toServer.write(`${requests.join("\n")}\n`);
      await vi.waitFor(() => expect(handler.mock.calls.length).toBeGreaterThan(5));

      reading.resolve();
      const lines = new RawLines({ input: toClient, output: toServer });
      const answered: unknown[] = [];
      while (answered.length < ids.length) answered.push((await lines.receive()).id);
      expect(answered).toEqual(ids);
    }
  },
);

verifies(
  "transport:stdio:noise",
  "log lines and broken lines are reported, and nothing is written for them",
  async () => {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const { lines, transport } = playServer();
      const errors: Error[] = [];
      const options = { ...identity, revision, onError: (error: Error) => errors.push(error) };
      const connecting = Client.connect(transport, options);
      if (revision === "2025-11-25") {
        const { id } = await lines.receive();
        const result = { protocolVersion: revision, capabilities: {}, serverInfo: { name: "raw", version: "1" } };
        lines.send({ jsonrpc: "2.0", id: id as number, result });
        expect(await lines.receive()).toMatchObject({ method: "notifications/initialized" });
      }
      const client = await connecting;
      lines.send('Listening on 3000\n{"level":"info","msg":"up"}\n42\n\n');
      lines.send(Uint8Array.of(0xff, 0x0a));
      const answer = client.request("own/x");
      const { id } = await lines.receive();
      lines.send({
        jsonrpc: "2.0",
        id: id as number,
        result: revision === "2026-07-28" ? { resultType: "complete" } : {},
      });
      await answer;
      expect(errors).toMatchObject(Array.from({ length: 4 }, () => ({ code: "invalid-message" })));
      expect(errors[0]?.message).toContain("Listening on 3000");
      await client.close();
      expect(await lines.rest()).toEqual([]);
    }
  },
);

verifies("transport:stdio:client-writes-no-answers", "a request of the server is dropped and reported", async () => {
  const { lines, transport } = playServer();
  const errors: Error[] = [];
  const client = await Client.connect(transport, {
    ...identity,
    revision: "2026-07-28",
    onError: (error) => errors.push(error),
    listRoots: () => [],
  });
  lines.send({ jsonrpc: "2.0", id: 1, method: "roots/list" });
  lines.send({ jsonrpc: "1.0", id: 2 });
  const answer = client.request("own/x");
  const request = await lines.receive();
  expect(request).toMatchObject({ method: "own/x" });
  lines.send({ jsonrpc: "2.0", id: request.id as number, result: { resultType: "complete" } });
  await answer;
  expect(errors.length).toBeGreaterThan(0);
  await client.close();
  expect(await lines.rest()).toEqual([]);
});
