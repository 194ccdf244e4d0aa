import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { type Body, verifies } from "../../src/verifies.js";

verifies(
  "protocol:batch:receive",
  "a server holds the answers back until all are there, and sends them as one array",
  async ({ openClient }) => {
    const finished = deferred<object>();
    const noticed: unknown[] = [];
    const server = new McpServer({ name: "batcher", version: "1.0.0" });
    server.handle("acme/wait", () => finished.promise);
    server.handle("acme/echo", ({ value }) => ({ value }));
    server.onNotification("acme/note", ({ value }) => noticed.push(value));
    const peer = await openClient(server);

    await peer.send([
      { jsonrpc: "2.0", id: 1, method: "acme/wait" },
      { jsonrpc: "2.0", method: "acme/note", params: { value: "noted" } },
      { jsonrpc: "2.0", id: "2", method: "acme/echo", params: { value: 2 } },
      { jsonrpc: "2.0", id: 3, method: "acme/unknown" },
    ]);
    expect(await peer.drain()).toEqual([]);
    finished.resolve({ waited: true });

    const [answers, ...others] = await peer.drain();
    expect(others).toEqual([]);
    expect(answers).toHaveLength(3);
    expect(answers).toEqual(
      expect.arrayContaining([
        { jsonrpc: "2.0", id: 1, result: { waited: true } },
        { jsonrpc: "2.0", id: "2", result: { value: 2 } },
        { jsonrpc: "2.0", id: 3, error: { code: -32601, message: expect.stringContaining("acme/unknown") } },
      ]),
    );
    expect(noticed).toEqual(["noted"]);
  },
);

verifies(
  "protocol:batch:receive",
  "a batch of notifications alone, or one whose requests were all cancelled, is not answered at all",
  async ({ openClient }) => {
    const aborted = deferred();
    const server = new McpServer({ name: "batcher", version: "1.0.0" });
    server.handle("acme/wait", (_params, { signal }) => {
      return new Promise(() => signal.addEventListener("abort", () => aborted.resolve()));
    });
    const peer = await openClient(server);

    await peer.send([{ jsonrpc: "2.0", method: "acme/note" }]);
    await peer.send([
      { jsonrpc: "2.0", id: 1, method: "acme/wait" },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    ]);
    await aborted.promise;

    expect(await peer.drain()).toEqual([]);
    expect(await peer.request(2, "ping")).toMatchObject({ id: 2, result: {} });
  },
);

verifies("protocol:batch:receive", "a client answers a server's batch with one array, too", async ({ openServer }) => {
  const { peer, client } = await openServer();
  client.handle("acme/echo", ({ value }) => ({ value }));

  await peer.send([
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", method: "acme/note" },
    { jsonrpc: "2.0", id: 2, method: "acme/echo", params: { value: 2 } },
  ]);

  const [answers, ...others] = await peer.drain();
  expect(others).toEqual([]);
  expect(answers).toEqual([
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: 2, result: { value: 2 } },
  ]);
});

verifies(
  "protocol:batch:invalid-members",
  "each member that is no message gets a -32600 of its own beside the answers to the others",
  async ({ openClient }) => {
    const server = new McpServer({ name: "batcher", version: "1.0.0", onError: () => undefined });
    server.handle("acme/echo", ({ value }) => ({ value }));
    const peer = await openClient(server);

    const nested = [{ jsonrpc: "2.0", id: 3, method: "acme/echo" }];
    await peer.send([1, { jsonrpc: "2.0", id: 2, method: 2 }, nested, call(4)]);

    const refusal = { code: -32600, message: expect.any(String) };
    const [answers, ...others] = await peer.drain();
    expect(others).toEqual([]);
    expect(answers).toHaveLength(4);
    expect(answers).toEqual(
      expect.arrayContaining([
        { jsonrpc: "2.0", id: 2, error: refusal },
        { jsonrpc: "2.0", id: 4, result: { value: 4 } },
      ]),
    );
    expect((answers as object[]).filter((answer) => !("id" in answer))).toEqual([
      { jsonrpc: "2.0", error: refusal },
      { jsonrpc: "2.0", error: refusal },
    ]);
  },
);

verifies("protocol:batch:empty", "an empty array is answered with one -32600, not with an array", async (cell) => {
  const peer = await cell.openClient(new McpServer({ name: "batcher", version: "1.0.0", onError: () => undefined }));

  await peer.send([]);

  const refusal = { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } };
  expect(await peer.drain()).toStrictEqual([refusal]);
});

verifies(
  "protocol:batch:limit",
  "a server and a client serve a batch of two, and nothing of one with three",
  async ({ openClient, openServer }) => {
    const served: unknown[] = [];
    const server = new McpServer({ name: "short", version: "1.0.0", maxBatchItems: 2, onError: () => undefined });
    server.onNotification("acme/note", ({ to }) => served.push(to));
    const { peer: played, client } = await openServer({}, { maxBatchItems: 2, onError: () => undefined });
    client.onNotification("acme/note", ({ to }) => served.push(to));
    const note = (to: string) => ({ jsonrpc: "2.0", method: "acme/note", params: { to } });
    const refusal = { jsonrpc: "2.0", error: { code: -32600, message: expect.stringContaining("2") } };

    for (const [peer, to] of [
      [await openClient(server), "server"],
      [played, "client"],
    ] as const) {
      await peer.send([note(to), note(to)]);
      expect(await peer.drain()).toEqual([]);
      await peer.send([note(to), note(to), note(to)]);
      expect(await peer.drain()).toEqual([refusal]);
    }
    expect(served).toEqual(["server", "server", "client", "client"]);
  },
);

verifies(
  "protocol:batch:no-initialize",
  "initialize in a batch is refused before a session and in one, and what stands beside it is not let in by it",
  async ({ playClient, revision }) => {
    const server = new McpServer({ name: "batcher", version: "1.0.0", onError: () => undefined });
    server.handle("acme/echo", ({ value }) => ({ value }));
    const peer = await playClient(server);
    const clientInfo = { name: "hasty", version: "0.0.0" };
    const initialize = { method: "initialize", params: { protocolVersion: revision, capabilities: {}, clientInfo } };

    await peer.send([{ jsonrpc: "2.0", id: 1, ...initialize }, call(2)]);
    expect(await peer.drain()).toMatchObject([{ error: { code: -32600 } }]);
    expect(await peer.request(3, "acme/echo", { value: 3 })).toMatchObject({ id: 3, error: { code: -32602 } });

    expect(await peer.request(4, initialize.method, initialize.params)).toMatchObject({ id: 4, result: {} });
    await peer.send([{ jsonrpc: "2.0", id: 5, ...initialize }, call(6)]);
    expect(await peer.drain()).toEqual([
      [
        { jsonrpc: "2.0", id: 5, error: { code: -32600, message: expect.stringContaining("batch") } },
        { jsonrpc: "2.0", id: 6, result: { value: 6 } },
      ],
    ]);
  },
);

verifies(
  "protocol:batch:send",
  "requestBatch sends several calls as one array, and each settles with its own result or error, unsendable ones too",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "batcher", version: "1.0.0" });
    server.handle("acme/echo", ({ value }) => ({ value }));
    const client = await connect(server);

    const outcomes = await client.requestBatch([
      { method: "acme/echo", params: { value: "first" }, options: { id: "a" } },
      { method: "acme/unknown" },
      { method: "acme/echo", options: { signal: AbortSignal.abort() } },
      { method: "server/discover" },
      { method: "acme/echo", params: { value: "last" } },
    ]);

    expect(outcomes).toEqual([
      { status: "fulfilled", value: { value: "first" } },
      { status: "rejected", reason: expect.objectContaining({ name: "ProtocolError", code: -32601 }) },
      { status: "rejected", reason: expect.objectContaining({ name: "SdkError", code: "request-aborted" }) },
      { status: "rejected", reason: expect.objectContaining({ name: "SdkError", code: "method-not-in-revision" }) },
      { status: "fulfilled", value: { value: "last" } },
    ]);
    const arrays = wire.connections.flatMap(({ entries }) => entries.filter(({ message }) => Array.isArray(message)));
    expect(arrays).toMatchObject([
      { from: "client", message: [{ id: "a", method: "acme/echo" }, { method: "acme/unknown" }, {}] },
      { from: "server", message: [{}, {}, {}] },
    ]);
  },
);

const refusesBatches: Body = async ({ openClient, connect, params, wire }) => {
  const server = new McpServer({ name: "single", version: "1.0.0", onError: () => undefined });
  server.handle("acme/never", () => {
    throw new Error("must not run");
  });
  server.onNotification("acme/never", () => noticed.push("served"));
  const noticed: string[] = [];
  const peer = await openClient(server);

  await peer.send([
    { jsonrpc: "2.0", id: 1, method: "acme/never", params: params() },
    { jsonrpc: "2.0", method: "acme/never" },
  ]);
  expect(await peer.drain()).toStrictEqual([{ jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } }]);
  expect(noticed).toEqual([]);
  expect(await peer.request(2, "tools/unknown", params())).toMatchObject({ id: 2, error: { code: -32601 } });

  const client = await connect(server);
  const sentBefore = wire.from("client").length;
  await expect(client.requestBatch([{ method: "acme/never" }])).rejects.toMatchObject({
    name: "SdkError",
    code: "method-not-in-revision",
  });
  expect(wire.from("client")).toHaveLength(sentBefore);
};

verifies(
  "protocol:batch:not-yet",
  "an array is refused as a whole in revisions before batches, and a client sends none",
  refusesBatches,
);
verifies(
  "protocol:batch:no-more",
  "an array is refused as a whole in revisions after batches, and a client sends none",
  refusesBatches,
);

function call(value: number): object {
  return { jsonrpc: "2.0", id: value, method: "acme/echo", params: { value } };
}

verifies(
  "protocol:batch:bytes",
  "the third answer of 6 Mi characters in a batch is an error that says so, and the first two arrive",
  async ({ openClient }) => {
    const server = new McpServer({ name: "batcher", version: "1.0.0" });
    server.handle("acme/long", () => ({ text: "x".repeat(6 * 1024 * 1024) }));
    const peer = await openClient(server);

    await peer.send([1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "acme/long" })));
    const [answers] = await peer.drain();

    const outcomes = (answers as unknown as { result?: object; error?: object }[]).map(({ result, error }) => [
      result !== undefined,
      error,
    ]);
    const dropped = { code: 429, message: expect.stringContaining("dropped"), data: { limit: "connection" } };
    expect(outcomes).toEqual([
      [true, undefined],
      [true, undefined],
      [false, dropped],
    ]);
  },
);
