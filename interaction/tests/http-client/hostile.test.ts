import { Client, type HttpTarget } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import type { JsonSchema } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { connectLegacy, connectModern, connectTo, RawHttpServer, shakeHands } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

const CALL_RESULT = { resultType: "complete", content: [{ type: "text", text: "done" }] };
const CACHED = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

/** Node's own HTTP client, and a `fetch` of the application's. */
const SENDERS: readonly Omit<HttpTarget, "url">[] = [{}, { fetch: (url, init) => fetch(url, init) }];

verifies(
  "client-transport:http:stray-answers",
  "answers to nobody and second answers are reported, and every call gets its own",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    for (const connect of [connectLegacy, connectModern]) {
      const { client, errors } = await connect(server);
      const standalone = connect === connectLegacy ? await server.next() : undefined;
      standalone?.stream();
      const called = client.callTool("slow");
      const call = await server.next();
      const { id } = call.message ?? {};
      call.stream();
      call.event({ jsonrpc: "2.0", id: 4711, result: { ...CALL_RESULT, content: [] } });
      call.event({ jsonrpc: "2.0", id: "unheard-of", error: { code: -32000, message: "no" } });
      call.event({ jsonrpc: "2.0", id, result: CALL_RESULT });
      expect((await called).content).toEqual(CALL_RESULT.content);
      await vi.waitFor(() => expect(errors).toMatchObject(new Array(2).fill({ code: "unexpected-answer" })));
      standalone?.event({ jsonrpc: "2.0", id, result: { content: [] } });
      if (standalone) await vi.waitFor(() => expect(errors).toHaveLength(3));
      const next = client.callTool("quick");
      (await server.next()).result(CALL_RESULT);
      expect((await next).content).toEqual(CALL_RESULT.content);
      expect(new Set(errors.map((error) => "code" in error && error.code))).toEqual(new Set(["unexpected-answer"]));
      await client.close();
    }
  },
);

verifies(
  "client-transport:http:unknown-result-type",
  "a result of an unknown type rejects the call, as JSON and on a stream, for any method",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const result = { ...CALL_RESULT, resultType: "half_done" };
    for (const act of [() => client.callTool("slow"), () => client.listTools(), () => client.request("acme/run")]) {
      for (const isStream of [false, true]) {
        const outcome = expect(act()).rejects.toMatchObject({ code: "unknown-result-type" });
        const call = await server.next();
        if (isStream) call.stream();
        if (isStream) call.event({ jsonrpc: "2.0", id: call.message?.id, result });
        else call.result(result);
        await outcome;
        if (isStream) call.end();
      }
    }
    await client.close();
  },
);

verifies(
  "client-transport:http:rounds-cap",
  "a client answers a server that asks in every round eight times, or as often as the option says",
  async () => {
    await using server = await RawHttpServer.start();
    const question = {
      method: "elicitation/create",
      params: { message: "And now?", requestedSchema: { type: "object", properties: {} } },
    };
    for (const [options, rounds] of [
      [{}, 8],
      [{ maxInputRounds: 2 }, 2],
    ] as const) {
      let asked = 0;
      const elicit = () => {
        asked += 1;
        return { action: "accept", content: {} } as const;
      };
      const { client } = await connectModern(server, { client: { elicit, ...options } });
      const before = server.calls.length;
      const outcome = expect(client.callTool("slow")).rejects.toMatchObject({ code: "too-many-rounds" });
      for (let round = 0; round <= rounds; round += 1) {
        const requestState = `state-${round}`;
        (await server.next()).result({ resultType: "input_required", requestState, inputRequests: { q: question } });
      }
      await outcome;
      expect([asked, server.calls.length - before]).toEqual([rounds, rounds + 1]);
      await client.close();
    }
  },
);

verifies(
  ["client-transport:http:page-cap", "client-transport:http:empty-cursor"],
  "an empty cursor asks for a page like any other, and there are no more of them than allowed",
  async () => {
    await using server = await RawHttpServer.start();
    for (const connect of [connectLegacy, connectModern]) {
      const { client } = await connect(server, { client: { maxPages: 3 } });
      const names: string[] = [];
      const walk = async () => {
        for await (const { name } of client.tools()) names.push(name);
      };
      const outcome = expect(walk()).rejects.toMatchObject({ code: "too-many-pages" });
      for (const [cursor, nextCursor] of [
        [undefined, ""],
        ["", "more"],
        ["more", "most"],
      ] as const) {
        const call = await server.next();
        expect(call.message?.params?.cursor).toBe(cursor);
        const tools = [{ name: `after-${cursor}`, inputSchema: { type: "object" } }];
        call.result({ ...CACHED, tools, nextCursor });
      }
      await outcome;
      expect(names).toEqual(["after-undefined", "after-", "after-more"]);
      await client.close();
    }
  },
);

const ERRORS: readonly object[] = [
  { code: -32020, message: "Header mismatch" },
  { code: -32021, message: "Missing capability", data: { requiredCapabilities: { sampling: {} } } },
  { code: -32022, message: "Unsupported", data: { supported: ["2027-01-01"], requested: "2026-07-28" } },
];

verifies(
  "client-transport:http:probe-refused",
  "a modern error to the probe rejects the connection with any HTTP status, and nothing more is sent",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    for (const error of ERRORS) {
      for (const status of [200, 400]) {
        const connecting = connectTo(server, {});
        const outcome = expect(connecting).rejects.toMatchObject({ code: expect.anything() });
        const probe = await server.next();
        probe.json({ jsonrpc: "2.0", id: probe.message?.id, error }, status);
        await outcome;
      }
    }
    expect(server.log).toEqual(new Array(6).fill("POST server/discover"));
  },
);

verifies(
  "client-transport:http:probe-fallback",
  "a probe that meets an old error, a page, an empty refusal, an odd result or silence is followed by the handshake",
  async () => {
    await using server = await RawHttpServer.start();
    const json = { "content-type": "application/json" };
    for (const answer of [
      { status: 200, body: { error: { code: -32601, message: "Method not found" } } },
      { status: 400, body: { error: { code: -32000, message: "Bad Request: no session" } } },
      { status: 404, body: { error: { code: -32600, message: "no" } } },
      { status: 200, body: { result: { tools: [] } } },
      { status: 400, headers: {}, text: "" },
      { status: 404, headers: { "content-type": "text/html" }, text: "<h1>Not found</h1>" },
      { status: 200, headers: { "content-type": "text/html" }, text: "<h1>Welcome</h1>" },
      { status: 202, headers: {}, text: "" },
      undefined,
    ]) {
      const connecting = connectTo(server, { client: { probeTimeoutMs: answer ? 5_000 : 20 } });
      const probe = await server.next();
      expect(probe.message?.method).toBe("server/discover");
      const text = answer && (answer.text ?? JSON.stringify({ jsonrpc: "2.0", id: probe.message?.id, ...answer.body }));
      if (answer) probe.respond(answer.status, answer.headers ?? json, text);
      await shakeHands(server, "2025-11-25", "s");
      const { client } = await connecting;
      expect(client.revision).toBe("2025-11-25");
      await client.close();
    }
  },
);

verifies(
  "client-transport:http:schema-refs",
  "a reference of a schema is never fetched, whichever side reads the schema",
  async () => {
    await using elsewhere = await RawHttpServer.start(["GET"]);
    const $ref = new URL("/city.json", elsewhere.url).href;
    const schema: JsonSchema = { type: "object", properties: { city: { $ref } }, required: ["city"] };
    const refusal = expect.objectContaining({ code: "unusable-schema", message: expect.stringContaining($ref) });
    const own = new McpServer({ name: "own", version: "1.0.0" });
    expect(() => own.tool("takes", { input: schema }, () => "")).toThrow(refusal);
    expect(() => own.tool("gives", { output: schema }, () => ({}))).toThrow(refusal);

    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const listed = client.listTools();
    const tools = [{ name: "gives", inputSchema: { type: "object" }, outputSchema: schema }];
    (await server.next()).result({ ...CACHED, tools });
    await listed;
    const called = client.callTool("gives");
    (await server.next()).result({ ...CALL_RESULT, structuredContent: { city: "Bern" } });
    await expect(called).rejects.toEqual(refusal);
    await client.close();
    expect([elsewhere.calls, elsewhere.sockets]).toEqual([[], []]);
  },
);

verifies(
  ["client-transport:http:response-limit", "client-transport:http:unanswered-rejects"],
  "a call over a custom fetch and over HTTP+SSE also rejects for a response that is too large or has no answer",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    for (const http of SENDERS) {
      const { client } = await connectModern(server, { http: { ...http, maxMessageBytes: 1_000 } });
      const large = client.callTool("slow");
      const sent = await server.next();
      sent.stream({ "content-type": "application/json" });
      for (let part = 0; part < 3; part += 1) sent.write(" ".repeat(400));
      await expect(large).rejects.toMatchObject({ code: "too-large" });
      await sent.closed;
      const endless = client.callTool("slow");
      const call = await server.next();
      call.stream();
      for (let part = 0; part < 3; part += 1) call.write(`data: ${"x".repeat(400)}\n`);
      await expect(endless).rejects.toMatchObject({ code: "too-large" });
      await call.closed;
      const ended = client.callTool("slow");
      const early = await server.next();
      early.stream();
      early.end();
      await expect(ended).rejects.toMatchObject({ code: "stream-ended" });
      await client.close();
    }
    const connecting = Client.connect(
      { url: server.url, maxMessageBytes: 1_000 },
      { name: "c", version: "1.0.0", revision: "2024-11-05", reconnect: false, onError: () => {} },
    );
    const outcome = expect(connecting).rejects.toMatchObject({ cause: { code: "too-large" } });
    (await server.next()).respond(405);
    const stream = await server.next();
    stream.stream();
    stream.write("event: endpoint\ndata: /messages\n\n");
    (await server.next()).accept();
    stream.write(`data: ${"x".repeat(2_000)}`);
    await outcome;
    await stream.closed;
  },
);

verifies(
  "client-transport:http:half-open",
  "a server that says nothing costs the call its timeout, through a fetch of one's own as well",
  async () => {
    await using server = await RawHttpServer.start();
    for (const http of SENDERS) {
      const { client } = await connectModern(server, { http });
      for (const begin of [() => {}, (call: Awaited<ReturnType<typeof server.next>>) => call.stream()]) {
        const called = expect(client.callTool("slow", {}, { timeoutMs: 50 })).rejects.toMatchObject({
          code: "request-timeout",
        });
        const call = await server.next();
        begin(call);
        await called;
        await call.closed;
      }
      await client.close();
    }
  },
);
