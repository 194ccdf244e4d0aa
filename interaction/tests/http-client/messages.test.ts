import { defineMethod, HttpError, SdkError } from "parley-mcp/client";
import { expect } from "vitest";
import { nextTurn } from "../../src/faults/fault-proxy.js";
import { connectLegacy, connectModern, type RawCall, RawHttpServer } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

const CALL_RESULT = { resultType: "complete", content: [{ type: "text", text: "done" }] };
/** A method whose Mcp-Name is its param `job`. */
const RUN = defineMethod("example/run-named", {
  params: { type: "object", properties: { job: { type: "string" } } },
  result: { type: "object" },
  mirrors: "job",
});
const TOOLS = { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" };

verifies(
  ["client-transport:http:accept-header-post", "client-transport:http:json-response-parsed"],
  "every POST accepts JSON and event streams, and a JSON body is the answer",
  async () => {
    await using server = await RawHttpServer.start();
    const legacy = await connectLegacy(server);
    const modern = await connectModern(server);
    const pings = legacy.client.ping();
    (await server.next()).result({});
    await pings;
    const called = modern.client.callTool("slow");
    (await server.next()).result(CALL_RESULT);

    expect((await called).content).toEqual(CALL_RESULT.content);
    const posts = server.calls.filter(({ verb }) => verb === "POST");
    expect(new Set(posts.map((call) => call.header("accept")))).toEqual(
      new Set(["application/json, text/event-stream"]),
    );
    expect(new Set(posts.map((call) => call.header("content-type")))).toEqual(new Set(["application/json"]));
    await Promise.all([legacy.client.close(), modern.client.close()]);
  },
);

verifies(
  ["client-transport:http:body-derived-headers", "client-transport:http:stateless-ignores-session-id"],
  "modern requests mirror revision, method and name, POST alone is used, and a session id is left where it is",
  async () => {
    await using server = await RawHttpServer.start(["GET", "DELETE"]);
    const { client } = await connectModern(server);
    const called = client.callTool("世界");
    const call = await server.next();
    call.result(CALL_RESULT, { "mcp-session-id": "s-1" });
    await called;
    const listed = client.listTools();
    const list = await server.next();
    list.result(TOOLS);
    await listed;
    await client.close();

    expect(call.header("mcp-protocol-version")).toBe("2026-07-28");
    expect(call.header("mcp-method")).toBe("tools/call");
    expect(call.header("mcp-name")).toBe("=?base64?5LiW55WM?=");
    expect([list.header("mcp-method"), list.header("mcp-name")]).toEqual(["tools/list", undefined]);
    expect(list.header("mcp-session-id")).toBeUndefined();
    expect(server.log).toEqual(["POST tools/call", "POST tools/list"]);
  },
);

verifies(
  "client-transport:http:vendor-name-param-header",
  "Mcp-Name repeats the param that a method mirrors, and is what the call says where it mirrors none",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const called = client.request(
      "example/run",
      { job: "nightly" },
      { headers: { "Mcp-Name": "nightly", "X-Of": "me" } },
    );
    const call = await server.next();
    call.result({ resultType: "complete" });
    await called;

    const mirroring = client.request(RUN, { job: "weekly" });
    const mirrored = await server.next();
    mirrored.result({ resultType: "complete" });
    await mirroring;

    expect([call.header("mcp-name"), call.header("x-of")]).toEqual(["nightly", "me"]);
    expect(mirrored.header("mcp-name")).toBe("weekly");
    await client.close();
  },
);

verifies(
  "client-transport:http:concurrent-streams",
  "answers on parallel streams reach the calls they belong to, in whatever order they come",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const results = ["a", "b", "c"].map((name) => client.callTool(name));
    const calls = [await server.next(), await server.next(), await server.next()];
    for (const call of calls.reverse()) {
      call.stream();
      call.event({
        jsonrpc: "2.0",
        id: call.message?.id,
        result: { resultType: "complete", content: [{ type: "text", text: `${call.message?.params?.name}` }] },
      });
      call.end();
    }

    const texts = (await Promise.all(results)).map(({ content }) => content[0]);
    expect(texts).toEqual(["a", "b", "c"].map((text) => ({ type: "text", text })));
    await client.close();
  },
);

verifies(
  "client-transport:http:stream-framing",
  "comments, any line end, characters and line ends cut in two and events without data do not disturb a stream",
  async () => {
    await using server = await RawHttpServer.start();
    const { client, errors } = await connectModern(server);
    const called = client.callTool("slow");
    const call = await server.next();
    const result = { resultType: "complete", content: [{ type: "text", text: "世界 🌍" }] };
    const lines = [
      ...[": hello", "", "id: 1", "data:", "", "event: message", 'data: {"jsonrpc":"2.0",', ": in between"],
      ...[`data: "id":${JSON.stringify(call.message?.id)},`, `data:"result":${JSON.stringify(result)}}`, "", ""],
    ];
    call.stream();
    for (const byte of new TextEncoder().encode(lines.join("\r\n"))) {
      call.write(Uint8Array.of(byte));
      // So that it arrives by itself.
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    }
    call.end();

    expect((await called).content).toEqual(result.content);
    expect(errors).toEqual([]);
    await client.close();
  },
);

const UNANSWERED: [string, (call: RawCall) => void, object][] = [
  ["202", (call) => call.accept(), { code: "stream-ended", status: 202 }],
  ["204", (call) => call.respond(204), { code: "stream-ended", status: 204 }],
  ["an empty body", (call) => call.respond(200, { "content-type": "application/json" }), { code: "stream-ended" }],
  [
    "a stream that ends",
    (call) => {
      call.stream();
      call.end();
    },
    { code: "stream-ended" },
  ],
  ["another id", (call) => call.json({ jsonrpc: "2.0", id: 4711, result: {} }), { code: "stream-ended" }],
];
verifies(
  "client-transport:http:unanswered-rejects",
  "a call rejects when its response is 202, empty, ended early or for another request",
  async () => {
    await using server = await RawHttpServer.start();
    const { client, errors } = await connectModern(server);
    for (const [, respond, error] of UNANSWERED) {
      const called = client.callTool("slow");
      respond(await server.next());
      await expect(called).rejects.toMatchObject(error);
    }

    expect(errors).toMatchObject([{ code: "unexpected-answer" }]);
    await client.close();
  },
);

verifies(
  "client-transport:http:wrong-content",
  "a web page in place of an answer is named, with its beginning and what to check",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const called = client.callTool("slow");
    (await server.next()).respond(200, { "content-type": "text/html" }, "<!doctype html><title>Log in</title>");
    const error = await called.catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(SdkError);
    expect(error).toMatchObject({
      code: "invalid-message",
      message: expect.stringMatching(/text\/html.*Log in.*URL/s),
    });
    await client.close();
  },
);

verifies("client-transport:http:response-limit", "a response or an event over the limit rejects the call", async () => {
  await using server = await RawHttpServer.start();
  const { client } = await connectModern(server, { http: { maxMessageBytes: 1_000 } });
  const large = client.callTool("slow");
  (await server.next()).result({ ...CALL_RESULT, filler: "x".repeat(1_000) });
  await expect(large).rejects.toMatchObject({ code: "too-large" });
  const endless = client.callTool("slow");
  const call = await server.next();
  call.stream();
  call.write(`data: ${"x".repeat(2_000)}`);

  await expect(endless).rejects.toMatchObject({ code: "too-large" });
  await call.closed;
  await client.close();
});

verifies(
  ["client-transport:http:error-status-code", "client-transport:http:error-body"],
  "a refusal carries its status; a JSON-RPC error in it is the answer, whatever its id",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const plain = client.callTool("slow");
    (await server.next()).respond(503, {}, "busy");
    const error = await plain.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: "http-error", status: 503, message: expect.stringContaining("busy") });
    const challenged = client.callTool("slow");
    (await server.next()).respond(401, { "www-authenticate": 'Bearer scope="tools"' });
    await expect(challenged).rejects.toMatchObject({ status: 401, wwwAuthenticate: 'Bearer scope="tools"' });
    for (const id of [undefined, null, "server-error"]) {
      const called = client.callTool("slow");
      (await server.next()).json({ jsonrpc: "2.0", id, error: { code: -32602, message: "no such tool" } }, 400);
      await expect(called).rejects.toMatchObject({ name: "ProtocolError", code: -32602, message: "no such tool" });
    }
    await client.close();
  },
);

verifies(
  "client-transport:http:body-stream-error-preserved",
  "a connection that breaks rejects the call, with the network's own error as the cause",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const unheard = client.callTool("slow");
    (await server.next()).reset();
    await expect(unheard).rejects.toMatchObject({ code: "connection-closed", cause: { code: "ECONNRESET" } });
    const broken = client.callTool("slow");
    const call = await server.next();
    call.stream();
    call.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
    call.reset();

    await expect(broken).rejects.toMatchObject({ code: "stream-ended", cause: { code: "ECONNRESET" } });
    await client.close();
  },
);

verifies(
  "client-transport:http:half-open",
  "a server that accepts the connection and says nothing costs the call its timeout, and no more",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const called = client.callTool("slow", {}, { timeoutMs: 50 });
    const call = await server.next();

    await expect(called).rejects.toMatchObject({ code: "request-timeout" });
    await call.closed;
    expect(server.log).toEqual(["POST tools/call"]);
    await client.close();
  },
);

verifies(
  "client-transport:http:refused-notification",
  "a notification that the server refuses rejects where it was sent",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const sent = client.notify("example/happened");
    (await server.next()).respond(400, {}, "not now");

    await expect(sent).rejects.toMatchObject({ code: "http-error", status: 400 });
    await client.close();
  },
);

verifies(
  "client-transport:http:server-request-refused",
  "a server's request on a modern stream is neither served nor answered",
  async () => {
    await using server = await RawHttpServer.start();
    const { client, errors } = await connectModern(server);
    const called = client.callTool("slow");
    const call = await server.next();
    call.stream();
    call.event({ jsonrpc: "2.0", id: 1, method: "roots/list" });
    call.event({ jsonrpc: "2.0", id: call.message?.id, result: CALL_RESULT });
    call.end();
    await called;

    expect(errors).toMatchObject([{ code: "invalid-message" }]);
    expect(server.log).toEqual(["POST tools/call"]);
    await client.close();
  },
);

verifies(
  "client-transport:http:answer-again",
  "an answer of the user goes out again after a refusal and a lost connection, and the user is asked once",
  async () => {
    await using server = await RawHttpServer.start();
    let asked = 0;
    const elicit = () => {
      asked += 1;
      return { action: "accept", content: { name: "Ann" } } as const;
    };
    const http = { streams: { initialDelayMs: 1 } };
    const { client, errors } = await connectLegacy(server, { http, client: { elicit } });
    const called = client.callTool("greet");
    const call = await server.next();
    call.stream();
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    call.event({
      jsonrpc: "2.0",
      id: "q",
      method: "elicitation/create",
      params: { message: "Name?", requestedSchema },
    });
    (await server.next()).respond(503, { "retry-after": "0" });
    (await server.next()).reset();
    const answer = await server.next();
    answer.accept();
    call.event({ jsonrpc: "2.0", id: call.message?.id, result: { content: [] } });
    await called;

    expect(answer.message).toMatchObject({ id: "q", result: { content: { name: "Ann" } } });
    expect(answer.header("mcp-session-id")).toBe("session-1");
    expect(asked).toBe(1);
    expect(errors).toEqual([]);
    await client.close();
  },
);
