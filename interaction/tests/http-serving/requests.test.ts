import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect } from "vitest";
import {
  callPost,
  enveloped,
  exchange,
  initializePost,
  MODERN,
  modernPost,
  outcomeOf,
  post,
  refused,
} from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

function greeter(options: { revisions?: (typeof MODERN)[] } = {}): McpServer {
  const server = new McpServer({ name: "greeter", version: "1.0.0", onError: () => {}, ...options });
  server.tool("greet", {}, () => "hello");
  return server;
}

verifies(
  ["hosting:http:method-405", "hosting:http:path-404"],
  "the endpoint is one path with its verbs, and other paths are the application's",
  async () => {
    await using host = await hostHttp(greeter());
    const put = await fetch(host.url, { method: "PUT" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "POST, GET, DELETE"]);
    expect(await exchange(new URL("/other", host.url))).toMatchObject({ status: 404, json: undefined });
    await using beside = await hostHttp(greeter(), { fallback: (_request, response) => void response.end('"page"') });
    expect(await exchange(new URL("/", beside.url))).toMatchObject({ status: 200, json: "page" });
  },
);

verifies(
  ["hosting:http:content-type-415", "hosting:http:accept-406"],
  "media types are exact, whichever era is meant",
  async () => {
    await using host = await hostHttp(greeter());
    const send = (headers: Record<string, string>) => exchange(host.url, callPost("greet", {}, headers));
    for (const type of ["text/plain", "application/json-seq", "application/json; charset=latin1"]) {
      expect(await send({ "content-type": type })).toMatchObject(refused(415, -32600));
      expect(await exchange(host.url, initializePost({ "content-type": type }))).toMatchObject({ status: 415 });
    }
    expect(await send({ "content-encoding": "gzip" })).toMatchObject(refused(415, -32600));
    expect(await send({ "content-encoding": "identity" })).toMatchObject({ status: 200 });
    for (const accept of ["application/json", "text/event-stream", "text/html", "*/*, text/event-stream;q=0"]) {
      expect(await send({ accept })).toMatchObject(refused(406, -32600));
    }
    expect(await send({ "content-type": "Application/JSON; charset=UTF-8", accept: "*/*" })).toMatchObject({
      status: 200,
    });
  },
);

verifies(
  ["hosting:http:parse-error-400", "hosting:http:invalid-request-400", "hosting:http:depth-limit"],
  "a body that is no JSON is -32700, one that is no message is -32600, and the server goes on",
  async () => {
    await using host = await hostHttp(greeter());
    const send = (body: unknown, headers = {}) => exchange(host.url, post(body, headers));
    for (const body of ['{"jsonrpc":"2.0","id":1,', "", "\uFEFF{}"]) {
      expect(await send(body)).toMatchObject(refused(400, -32700));
    }
    const bytes = { ...post(""), body: Uint8Array.of(0x22, 0xff, 0x22) };
    expect(await exchange(host.url, bytes)).toMatchObject(refused(400, -32700));
    for (const headers of [{}, { "mcp-protocol-version": MODERN }]) {
      for (const body of [7, "null", [], { jsonrpc: "2.0" }, { jsonrpc: "2.0", id: null, method: "ping" }]) {
        const { json, status } = await send(body, headers);
        const error = { code: -32600, message: expect.stringMatching(/^Invalid request: /) };
        expect([status, json?.id, json?.error]).toMatchObject([400, undefined, error]);
      }
      expect(await send({ jsonrpc: "2.0", id: 1.5, method: "ping" }, headers)).toMatchObject(refused(400, -32600));
      expect(await send({ jsonrpc: "1.0", id: 7, method: "ping" }, headers)).toMatchObject(refused(400, -32600, 7));
    }
    const handler = createFetchHandler(greeter());
    for (const [depth, status] of [
      [400, 200],
      [600, 400],
      [100_000, 400],
    ] as const) {
      const call = callPost("greet", { deep: "here" });
      const body = call.body.replace('"here"', "[".repeat(depth) + "]".repeat(depth));
      expect((await fetch(host.url, { ...call, body })).status).toBe(status);
      const parsedBody = JSON.parse(body);
      expect((await handler(new Request("http://localhost/", call), { parsedBody })).status).toBe(status);
    }
  },
);

verifies(
  "hosting:http:node-limit",
  "a body with too many parts is -32600, and many numbers or a long text are served",
  async () => {
    await using host = await hostHttp(greeter());
    await using small = await hostHttp(greeter(), { maxJsonNodes: 100 });
    const handler = createFetchHandler(greeter());
    const call = callPost("greet", { many: "here" });
    const outcomes = async (many: string) => {
      const body = call.body.replace('"here"', many);
      const parsed = handler(new Request("http://localhost/", call), { parsedBody: JSON.parse(body) });
      return Promise.all([exchange(host.url, { ...call, body }), outcomeOf(parsed)]);
    };
    for (const many of ["[[]", "[{}", '[""', '[{"a":1}']) {
      for (const outcome of await outcomes(`${many}${many.replace("[", ",").repeat(200_000)}]`)) {
        expect(outcome).toMatchObject(refused(400, -32600));
        expect(outcome.json?.error).toMatchObject({
          message: expect.stringContaining("more than 150000 arrays, objects"),
        });
      }
    }
    for (const much of [`[1${",1".repeat(740_000)}]`, JSON.stringify("[{,".repeat(1_000_000))]) {
      for (const outcome of await outcomes(much)) expect(outcome).toMatchObject({ status: 200 });
    }
    expect((await fetch(small.url, callPost("greet"))).status).toBe(200);
    expect((await fetch(small.url, callPost("greet", { many: Array.from({ length: 100 }, () => "") }))).status).toBe(
      400,
    );
  },
);

verifies(
  ["hosting:http:odd-ids", "hosting:http:hostile-names"],
  "ids come back verbatim, and names of members of objects are names like others",
  async () => {
    await using host = await hostHttp(greeter());
    for (const id of [0, -7, "", "0"]) {
      const params = enveloped({ name: "greet" });
      const { json } = await exchange(host.url, modernPost("tools/call", params, {}, id));
      expect(json).toMatchObject({ id, result: { content: [{ text: "hello" }] } });
    }
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect((await exchange(host.url, callPost(name))).json).toMatchObject({ error: { code: -32602 } });
    }
  },
);

verifies(
  [
    "hosting:http:modern:legacy-fallthrough",
    "hosting:http:modern:tools-call-stateless",
    "hosting:http:modern:no-session-id",
    "hosting:http:modern:stray-session",
  ],
  "a modern call stands alone beside a legacy session on the same endpoint",
  async () => {
    await using host = await hostHttp(greeter());
    const legacy = await host.client().open();
    const modern = await exchange(host.url, callPost("greet", {}, { "mcp-session-id": "stray", "last-event-id": "3" }));
    expect(modern).toMatchObject({ status: 200, json: { id: 1, result: { resultType: "complete" } } });
    expect(modern.headers.has("mcp-session-id")).toBe(false);
    const own = callPost("greet", {}, { "mcp-session-id": legacy.sessionId });
    expect((await exchange(host.url, own)).headers.has("mcp-session-id")).toBe(false);
    expect(await (await legacy.request(2, "tools/list")).answer()).toMatchObject({ id: 2, result: { tools: [{}] } });
  },
);

verifies(
  "hosting:http:legacy-no-modern-vocabulary",
  "a legacy exchange needs no modern header or field and gets none",
  async () => {
    await using host = await hostHttp(greeter());
    const opened = await exchange(host.url, initializePost());
    const client = await host.client().open();
    const called = await client.request(2, "tools/call", { name: "greet" });
    const result = await called.json();
    expect(result).toEqual({ jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "hello" }] } });
    const missing = await (await client.request(3, "resources/read", { uri: "x:y" })).json();
    const names = [...opened.headers.keys()].filter((name) => name.startsWith("mcp-"));
    expect(names).toEqual(["mcp-session-id"]);
    expect(JSON.stringify([opened.json, result, missing])).not.toMatch(
      /resultType|ttlMs|io\.modelcontextprotocol|-3202\d/,
    );
  },
);

verifies(
  ["hosting:http:modern:get-delete-405", "hosting:http:modern:handshake-refused"],
  "a server of the modern era alone answers the old verbs with 405, and the handshake with the revisions that it speaks",
  async () => {
    await using byServer = await hostHttp(greeter({ revisions: [MODERN] }));
    await using byOption = await hostHttp(greeter(), { legacy: false });
    for (const { url } of [byServer, byOption]) {
      for (const method of ["GET", "DELETE"]) {
        const response = await fetch(url, { method, headers: { accept: "text/event-stream", "mcp-session-id": "s" } });
        expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
      }
      const data = { supported: [MODERN], requested: "2025-11-25" };
      const { status, json } = await exchange(url, initializePost());
      expect([status, json?.error]).toMatchObject([
        400,
        { code: -32022, data, message: expect.stringContaining(MODERN) },
      ]);
    }
  },
);
