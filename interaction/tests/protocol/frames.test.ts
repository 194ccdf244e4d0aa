import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies(
  "protocol:frame:unparsable",
  "text that is no JSON is answered -32700, and the next request is served",
  async ({ openClient, params }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "echo", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.handle("acme/echo", () => ({ served: true }));
    const peer = await openClient(server);

    for (const text of ["", "{", "{'jsonrpc':'2.0'}", '{"jsonrpc":"2.0","id":1,"method":"acme/echo"} {}']) {
      await peer.sendText(text);
      expect(await peer.receive()).toStrictEqual({
        jsonrpc: "2.0",
        error: { code: -32700, message: expect.any(String) },
      });
    }

    expect(reported).toHaveLength(4);
    for (const error of reported) expect(error).toMatchObject({ name: "SdkError", code: "invalid-message" });
    expect(await peer.request(2, "acme/echo", params())).toMatchObject({ id: 2, result: { served: true } });
  },
);

verifies(
  "protocol:frame:not-a-message",
  "JSON that is no message is answered -32600, and the next request is served",
  async ({ openClient, params }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "echo", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.handle("acme/echo", () => ({ served: true }));
    const peer = await openClient(server);

    const values = [null, true, 1, "acme/echo", {}, { jsonrpc: "2.0" }, { jsonrpc: "2.0", method: 1 }];
    for (const value of values) {
      await peer.send(value);
      expect(await peer.receive()).toStrictEqual({
        jsonrpc: "2.0",
        error: { code: -32600, message: expect.any(String) },
      });
    }

    expect(reported).toHaveLength(values.length);
    expect(await peer.request(2, "acme/echo", params())).toMatchObject({ id: 2, result: { served: true } });
  },
);

verifies(
  "protocol:frame:no-id-member",
  "answers to what has no readable id have no id member, not even null",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0", onError: () => undefined });
    const peer = await openClient(server);

    await peer.sendText("nonsense");
    await peer.send({ jsonrpc: "2.0" });
    await peer.send({ jsonrpc: "2.0", id: null, method: "tools/list", params: params() });

    const answers = [await peer.receive(), await peer.receive(), await peer.receive()];
    for (const answer of answers) expect(Object.keys(answer).sort()).toEqual(["error", "jsonrpc"]);
  },
);

verifies(
  "protocol:frame:deep-nesting",
  "100,000 levels of nesting are refused without an id, and the next request is served",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0", onError: () => undefined });
    server.handle("acme/echo", ({ deep }) => {
      if (deep !== undefined) throw new Error("must not run");
      return { served: true };
    });
    const peer = await openClient(server);

    const own = JSON.stringify(params()).slice(1, -1);
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
      const members = own === "" ? `"deep":${deep}` : `"deep":${deep},${own}`;
      await peer.sendText(`{"jsonrpc":"2.0","id":1,"method":"acme/echo","params":{${members}}}`);
      expect(await peer.receive()).toStrictEqual({
        jsonrpc: "2.0",
        error: { code: -32600, message: expect.stringContaining("nested") },
      });
    }

    expect(await peer.request(2, "acme/echo", params())).toMatchObject({ id: 2, result: { served: true } });
  },
);

verifies(
  "protocol:frame:proto-key",
  "a __proto__ key in a request is a name as any other, and comes back in the result",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0" });
    server.handle("acme/echo", (params) => {
      expect(Object.getPrototypeOf(params)).toBe(Object.prototype);
      expect(Object.getPrototypeOf(params.hostile)).toBe(Object.prototype);
      return { hostile: params.hostile };
    });
    const peer = await openClient(server);

    const hostile = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const own = JSON.stringify(params({ hostile: "HERE" })).replace('"HERE"', hostile);
    const frame = `{"jsonrpc":"2.0","__proto__":{"polluted":true},"id":1,"method":"acme/echo","params":`;
    await peer.sendText(`${frame}${own.replace("{", '{"__proto__":{"polluted":true},')}}`);

    const { result } = (await peer.receive()) as { result: { hostile: object } };
    expect(JSON.stringify(result.hostile)).toBe(hostile);
    expect({}).not.toHaveProperty("polluted");
  },
);

verifies(
  "protocol:frame:proto-key",
  "a __proto__ key in an answer reaches the caller as a name as any other",
  async ({ openServer }) => {
    const { peer, client } = await openServer();

    const call = client.request("acme/ask");
    const { id } = await peer.receive();
    const hostile = '{"__proto__":{"polluted":true},"a":1}';
    await peer.sendText(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${hostile}}`);

    const result = await call;
    expect(JSON.stringify(result)).toBe(hostile);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect({}).not.toHaveProperty("polluted");
  },
);

verifies(
  "protocol:frame:unknown-fields",
  "members that no revision defines pass through a method of the specification, both ways",
  async ({ connect }) => {
    const server = new McpServer({ name: "futuristic", version: "1.0.0" });
    const extra = { "com.example/deep": [1, { two: null }] };
    const received: unknown[] = [];
    server.handle("prompts/get", (params) => {
      received.push(params.extra);
      const text = { type: "text", text: "Hello", extra };
      return { messages: [{ role: "user", content: text, extra }], extra };
    });
    const client = await connect(server);

    const result = await client.request("prompts/get", { name: "greet", extra });

    expect(received).toEqual([extra]);
    expect(result).toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "Hello", extra }, extra }],
      extra,
    });
  },
);

verifies(
  "protocol:notifications:no-response",
  "a server answers no notification: neither known, unknown, malformed, nor one named like a request",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0", onError: () => undefined });
    server.handle("acme/echo", () => ({ served: true }));
    server.onNotification("acme/crash", () => {
      throw new Error("a defect");
    });
    const peer = await openClient(server);

    for (const notification of notifications) await peer.send(notification);

    expect(await peer.drain()).toEqual([]);
    expect(await peer.request(1, "acme/echo", params())).toMatchObject({ id: 1, result: { served: true } });
  },
);

verifies(
  "protocol:notifications:no-response",
  "a client answers no notification: neither known, unknown, malformed, nor one named like a request",
  async ({ openServer }) => {
    const { peer, client } = await openServer({}, { onError: () => undefined });
    client.onNotification("acme/crash", () => {
      throw new Error("a defect");
    });

    for (const notification of notifications) await peer.send(notification);

    expect(await peer.drain()).toEqual([]);
    expect(peer.isClosed).toBe(false);
  },
);

const notifications: readonly object[] = [
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } },
  { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 99, progress: 1 } },
  { jsonrpc: "2.0", method: "notifications/progress", params: { progress: "half" } },
  { jsonrpc: "2.0", method: "notifications/unheard-of" },
  { jsonrpc: "2.0", method: "acme/crash" },
  { jsonrpc: "2.0", method: "tools/list" },
  { jsonrpc: "2.0", method: "acme/echo", params: [] },
  { jsonrpc: "1.0", method: "acme/echo" },
  { method: "acme/echo" },
];

verifies(
  "protocol:notifications:handler-failure",
  "exceptions of notification handlers go to onError of their own side, and the connection goes on",
  async ({ connect }) => {
    const [atServer, atClient]: [Error[], Error[]] = [[], []];
    const crashes = { sync: new Error("at once"), async: new Error("later") };
    const onCrash = ({ how }: { how?: unknown }) => {
      if (how === "sync") throw crashes.sync;
      return Promise.reject(crashes.async);
    };
    const server = new McpServer({ name: "frail", version: "1.0.0", onError: (error) => void atServer.push(error) });
    server.onNotification("acme/crash", onCrash);
    server.handle("acme/crash-client", async (_params, context) => {
      await context.notify("acme/crash", { how: "sync" });
      await context.notify("acme/crash", { how: "async" });
      return { served: true };
    });
    const client = await connect(server, { onError: (error) => void atClient.push(error) });
    client.onNotification("acme/crash", onCrash);

    await client.notify("acme/crash", { how: "sync" });
    await client.notify("acme/crash", { how: "async" });
    expect(await client.request("acme/crash-client")).toMatchObject({ served: true });
    expect(await client.request("acme/crash-client")).toMatchObject({ served: true });

    const once = [
      { name: "SdkError", code: "handler-failed", cause: crashes.sync },
      { name: "SdkError", code: "handler-failed", cause: crashes.async },
    ];
    expect(atServer).toMatchObject(once);
    // The last one fails later, and the answer does not wait for that.
    await vi.waitFor(() => expect(atClient).toMatchObject([...once, ...once]));
  },
);
