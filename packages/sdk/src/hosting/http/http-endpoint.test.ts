import { describe, expect, it, vi } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import type { McpServerOptions } from "../../server/server-options.js";
import type { Caller } from "../../transport/caller.js";
import { listen } from "../node/node-host.fixture.js";
import { createFetchHandler, type FetchExtra } from "../web/fetch-handler.js";
import type { HttpOptions } from "./http-options.js";
import { HttpRefusal } from "./http-refusal.js";
import { call, modern, type Posted, post, REVISION, withEnvelope } from "./modern-requests.fixture.js";

const LEGACY_OPENING = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};

function setUp(options: HttpOptions = {}, serverOptions: Partial<McpServerOptions> = {}) {
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const server = new McpServer({ name: "s", version: "1.0.0", onError, ...serverOptions });
  server.tool("hi", {}, () => "hello");
  const handler = createFetchHandler(server, options);
  const send = async (posted: RequestInit, extra?: FetchExtra, path = "/mcp") => {
    const response = await handler(new Request(`http://localhost${path}`, posted), extra);
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === "" ? undefined : JSON.parse(text) };
  };
  return { server, handler, send, errors };
}

const refused = (status: number, code: number, id?: unknown) => ({
  status,
  json: { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message: expect.any(String) } },
});

describe("paths and verbs", () => {
  it("serves every path unless it is given one", async () => {
    expect(await setUp().send(call("hi"), {}, "/any/where?x=1")).toMatchObject({ status: 200 });
    const { send } = setUp({ path: "/mcp" });
    expect(await send(call("hi"))).toMatchObject({ status: 200 });
    expect(await send(call("hi"), {}, "/mcp?x=1")).toMatchObject({ status: 200 });
    expect(await send(call("hi"), {}, "/mcp/")).toMatchObject({ status: 404, json: undefined });
  });

  it("names a path that nothing serves to onRefusal", async () => {
    const onRefusal = vi.fn();
    await setUp({ path: "/mcp", onRefusal }).send(call("hi"), {}, "/register");
    expect(onRefusal).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ status: 404, message: 'HTTP 404: nothing serves POST "/register"' }),
    );
  });

  it("names the verbs it has to those who use another", async () => {
    const put = await setUp().send({ method: "PUT" });
    expect(put).toMatchObject({ status: 405, json: undefined });
    expect(put.headers.get("allow")).toBe("POST, GET, DELETE");
    for (const method of ["GET", "DELETE"]) {
      const only = await setUp({ legacy: false }).send({ method });
      expect(only).toMatchObject({ status: 405, json: undefined });
      expect(only.headers.get("allow")).toBe("POST");
    }
  });

  it("leaves GET and DELETE to the legacy era where that is served", async () => {
    expect(await setUp().send({ method: "GET", headers: { accept: "text/event-stream" } })).toMatchObject({
      status: 400,
    });
    expect(await setUp().send({ method: "DELETE" })).toMatchObject({ status: 400 });
  });

  it("refuses foreign hosts and pages on every path and verb", async () => {
    const { send } = setUp({ path: "/mcp" });
    for (const headers of [{ host: "evil.example.com" }, { origin: "http://evil.example.com" }]) {
      expect(await send({ method: "GET", headers }, {}, "/nowhere")).toMatchObject(refused(403, -32600));
      expect(await send(call("hi", {}, headers))).toMatchObject(refused(403, -32600));
    }
  });
});

describe("bodies", () => {
  it.each<[string, number, number, unknown, Posted]>([
    ["another media type", 415, -32600, undefined, post("{}", { "content-type": "text/plain" })],
    ["a content coding", 415, -32600, undefined, post("{}", { "content-encoding": "gzip" })],
    ["several hosts", 400, -32600, undefined, post("{}", { host: "localhost, localhost" })],
    ["an Accept without streams", 406, -32600, undefined, post("{}", { accept: "application/json" })],
    ["truncated JSON", 400, -32700, undefined, post('{"jsonrpc":"2.0",')],
    ["a byte order mark", 400, -32700, undefined, post("\uFEFF{}")],
    ["JSON that is too deep", 400, -32600, undefined, post("[".repeat(100_000))],
    ["no message", 400, -32600, undefined, post("7")],
    ["a request of another version", 400, -32600, 7, post({ jsonrpc: "1.0", id: 7, method: "ping" })],
    ["an id that is no id", 400, -32600, undefined, post({ jsonrpc: "2.0", id: 1.5, method: "ping" })],
    ["an empty batch", 400, -32600, undefined, post([])],
  ])("with %s are %s, %s", async (_what, status, code, id, posted) => {
    expect(await setUp().send(posted)).toMatchObject(refused(status, code, id));
  });

  const modernHeader = { "mcp-protocol-version": REVISION };
  it.each<[string, Posted]>([
    ["a batch", post([{ jsonrpc: "2.0", id: 1, method: "ping" }], modernHeader)],
    ["a response", post({ jsonrpc: "2.0", id: 1, result: {} }, modernHeader)],
    ["no message", post([], modernHeader)],
    ["an error", post({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "" } }, modernHeader)],
  ])("that are %s do not exist in the modern era", async (_what, posted) => {
    expect(await setUp().send(posted)).toMatchObject(refused(400, -32600));
    const { "mcp-protocol-version": _revision, ...headers } = posted.headers;
    expect(await setUp({ legacy: false }).send({ ...posted, headers })).toMatchObject(refused(400, -32600));
  });

  it("over the limit are 413, with or without a length", async () => {
    const { send } = setUp({ maxBodyBytes: 10 });
    expect(await send(post("x".repeat(11)))).toMatchObject(refused(413, -32600));
    expect(await send(post("x".repeat(11), { "content-length": "11" }))).toMatchObject(refused(413, -32600));
    expect((await send(post("x".repeat(11)))).headers.get("connection")).toBe("close");
  });

  it("may have been parsed already", async () => {
    const { send } = setUp();
    const { body, ...rest } = call("hi");
    expect(await send(rest, { parsedBody: JSON.parse(body) })).toMatchObject({ status: 200 });
  });
});

describe("eras", () => {
  it("count by their bytes, not by their characters", async () => {
    const posted = modern("acme/size", withEnvelope({ text: "€".repeat(1_000) }));
    const bytes = Buffer.byteLength(posted.body);
    const define = (on: McpServer) =>
      on.handle("acme/size", (_params, { caller }) => ({ bytes: caller?.messageBytes ?? 0 }));
    const { send, server } = setUp();
    define(server);
    const { http } = await listen({}, define);
    expect(await send(posted)).toMatchObject({ json: { result: { bytes } } });
    expect(await (await fetch(http.url, posted)).json()).toMatchObject({ result: { bytes } });
  });

  it("are told apart by request", async () => {
    const { send } = setUp();
    expect((await send(call("hi"))).json.result.resultType).toBe("complete");
    const opened = await send(post(LEGACY_OPENING));
    expect(opened.headers.get("mcp-session-id")).toEqual(expect.any(String));
    expect(opened.json.result.protocolVersion).toBe("2025-11-25");
    expect(await send(post({ ...LEGACY_OPENING, method: "tools/list", params: {} }))).toMatchObject({ status: 400 });
  });

  it("never let a modern request meet a session", async () => {
    const { send } = setUp();
    const response = await send(call("hi", {}, { "mcp-session-id": "stray", "last-event-id": "7" }));
    expect(response.status).toBe(200);
    expect(response.headers.has("mcp-session-id")).toBe(false);
  });

  it.each([
    ["the option", setUp({ legacy: false })],
    ["the server's revisions", setUp({}, { revisions: [REVISION] })],
  ])("can be the modern one alone, by %s", async (_what, { send }) => {
    expect(await send(call("hi"))).toMatchObject({ status: 200 });
    expect(await send(post(LEGACY_OPENING))).toMatchObject({
      status: 400,
      json: { id: 1, error: { code: -32022, data: { supported: [REVISION], requested: "2025-11-25" } } },
    });
    const bare = { jsonrpc: "2.0", id: 1, method: "initialize" };
    expect(await send(post(bare))).toMatchObject({ json: { error: { data: { requested: "(none)" } } } });
    expect(await send(post({ ...LEGACY_OPENING, method: "tools/list" }))).toMatchObject(refused(400, -32020, 1));
    expect(
      await send(post({ ...LEGACY_OPENING, method: "initialize" }, { "mcp-protocol-version": REVISION })),
    ).toMatchObject(refused(400, -32602, 1));
  });

  it("can be the legacy one alone, which reads nothing from _meta", async () => {
    const { send } = setUp({}, { revisions: ["2025-11-25"] });
    expect(await send(post(LEGACY_OPENING))).toMatchObject({ status: 200 });
    expect(await send(call("hi"))).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
  });

  it("must be one at least", () => {
    expect(() => setUp({ legacy: false }, { revisions: ["2025-11-25"] })).toThrow(/leaves nothing to serve/);
  });

  it("serve HTTP+SSE beside them if asked to", async () => {
    const { handler, send } = setUp({ path: "/mcp", legacy: { sse: true } });
    const headers = { accept: "text/event-stream" };
    const response = await handler(new Request("http://localhost/sse", { headers }));
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const target = /data: (\S+)/.exec(new TextDecoder().decode(value))?.[1];
    expect(target).toMatch(/^\/messages\?sessionId=/);
    expect(await send(post(LEGACY_OPENING, { accept: "*/*" }), {}, target)).toMatchObject({ status: 202 });
    const answer = await reader?.read();
    expect(new TextDecoder().decode(answer?.value)).toContain('"protocolVersion":"2025-11-25"');
    expect((await send({ method: "POST" }, {}, "/sse")).headers.get("allow")).toBe("GET");
    await reader?.cancel();
  });
});

describe("notifications", () => {
  const headers = { "mcp-protocol-version": REVISION };
  const note = (method: string, params?: object) => post({ jsonrpc: "2.0", method, params }, headers);

  it("are 202 without a body, and reach their handler", async () => {
    const { server, send } = setUp();
    const seen = vi.fn();
    server.onNotification("*", seen);
    expect(await send(note("acme/note", { a: 1 }))).toMatchObject({ status: 202, json: undefined });
    expect(seen).toHaveBeenCalledExactlyOnceWith({ a: 1 }, "acme/note", expect.objectContaining({ era: "modern" }));
    expect(await send(note("notifications/cancelled", { requestId: 1 }))).toMatchObject({ status: 202 });
    expect(seen).toHaveBeenCalledTimes(1);
  });

  it("that this era does not have are accepted, and those that are malformed refused without an id", async () => {
    const { send } = setUp();
    expect(await send(note("notifications/initialized"))).toMatchObject({ status: 202, json: undefined });
    expect(await send(note("notifications/cancelled", { requestId: {} }))).toMatchObject(refused(400, -32602));
    expect(await send(note("notifications/cancelled"))).toMatchObject({ status: 202 });
  });

  it("whose handlers fail are reported", async () => {
    const { server, send, errors } = setUp();
    server.onNotification("acme/note", () => {
      throw new Error("oops");
    });
    expect(await send(note("acme/note"))).toMatchObject({ status: 202 });
    expect(errors).toMatchObject([{ code: "handler-failed", cause: { message: "oops" } }]);
  });
});

describe("callers", () => {
  function whoAmI(options: HttpOptions) {
    const set = setUp(options);
    const seen: (Caller | undefined)[] = [];
    set.server.tool("who", {}, (_args, context) => {
      seen.push(context.caller);
      return "";
    });
    return { ...set, seen };
  }

  it("are who the hook says, and their headers can be read", async () => {
    const { send, seen } = whoAmI({
      authenticate: async (request) => ({
        principal: request.header("authorization") ?? "",
        details: { plan: "free" },
      }),
    });
    await send(call("who", {}, { authorization: "Bearer ann" }));
    expect(seen[0]).toMatchObject({ principal: "Bearer ann", details: { plan: "free" } });
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer ann", "mcp-name": "who", host: "localhost" });
  });

  it.each([undefined, null, false, "ann"])("are refused with 401 if the hook returns %j", async (returned) => {
    for (const found of [returned, Promise.resolve(returned)]) {
      const { send, seen } = whoAmI({ authenticate: () => found as undefined });
      const response = await send(call("who"));
      expect(response.status).toBe(401);
      expect(seen).toEqual([]);
    }
  });

  it("may be anonymous, and need a principal that is a string", async () => {
    const anonymous = whoAmI({ authenticate: () => ({}) });
    expect((await anonymous.send(call("who"))).status).toBe(200);
    expect(anonymous.seen[0]?.principal).toBeUndefined();

    const numbered = whoAmI({ authenticate: () => ({ principal: 7 }) as unknown as Caller });
    expect((await numbered.send(call("who"))).status).toBe(500);
  });

  it("are who the host says, if it does", async () => {
    const { send, seen } = whoAmI({
      authenticate: () => {
        throw new Error("nobody asks");
      },
    });
    await send(call("who"), { caller: { principal: "bob" } });
    expect(seen[0]?.principal).toBe("bob");
  });

  it("may be turned away before their body is read", async () => {
    const onRefusal = vi.fn();
    const refusal = HttpRefusal.unauthorized();
    const { send } = setUp({
      authenticate: () => Promise.reject(refusal),
      onRefusal,
    });
    const response = await send(post("{ not read", { "content-type": "text/plain" }));
    expect(response).toMatchObject({ status: 401, json: undefined });
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(onRefusal).toHaveBeenCalledExactlyOnceWith(refusal);
    expect(refusal.message).toBe("HTTP 401");
  });

  it("are told nothing of a hook that fails", async () => {
    const { send, errors } = setUp({
      authenticate: () => {
        throw new Error("database on fire");
      },
    });
    expect(await send(call("hi"))).toMatchObject(refused(500, -32603));
    expect(errors).toMatchObject([{ code: "handler-failed", cause: { message: "database on fire" } }]);
  });

  it("get an answer even if a refusal cannot be sent as it is", async () => {
    const { send, errors } = setUp({
      authenticate: () => {
        throw HttpRefusal.unauthorized("line\nbreak");
      },
    });
    expect(await send(call("hi"))).toMatchObject({ status: 500 });
    expect(errors).toMatchObject([{ code: "handler-failed" }]);
  });
});

describe("an observer", () => {
  it("hears of every exchange when it is over", async () => {
    const onResponse = vi.fn();
    const { server, send } = setUp({ onResponse, path: "/mcp" });
    server.tool("slow", {}, async (_args, context) => {
      await context.progress(1);
      expect(onResponse).not.toHaveBeenCalled();
      return "";
    });
    const posted = modern("tools/call", withEnvelope({ name: "slow" }, { progressToken: 1 }));
    const response = await createResponse(send, posted);
    expect(response.status).toBe(200);
    expect(onResponse.mock.lastCall).toEqual([
      {
        verb: "POST",
        path: "/mcp",
        era: "modern",
        method: "tools/call",
        name: "slow",
        status: 200,
        isStream: true,
        ms: expect.any(Number),
      },
    ]);
    await send(post(LEGACY_OPENING));
    expect(onResponse).toHaveBeenLastCalledWith(
      expect.objectContaining({ era: "legacy", method: "initialize", name: undefined, status: 200, isStream: false }),
    );
    await send({ method: "GET" });
    expect(onResponse).toHaveBeenLastCalledWith(
      expect.objectContaining({ verb: "GET", era: "legacy", method: undefined }),
    );
    await send({ method: "GET" }, {}, "/elsewhere");
    expect(onResponse).toHaveBeenLastCalledWith(expect.objectContaining({ era: undefined, status: 404 }));
    expect(onResponse).toHaveBeenCalledTimes(4);
  });

  it("hears of clients that leave before there is a status", async () => {
    const onResponse = vi.fn();
    const { server, handler } = setUp({ onResponse });
    const client = new AbortController();
    server.tool("leave", {}, () => {
      client.abort();
      return "";
    });
    await handler(new Request("http://localhost/mcp", { ...call("leave"), signal: client.signal }));
    expect(onResponse).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: "leave", status: undefined }));
  });

  it("that fails harms nobody", async () => {
    const onResponse = () => {
      throw new Error("oops");
    };
    const { send, errors } = setUp({ onResponse });
    expect(await send(call("hi"))).toMatchObject({ status: 200 });
    expect(errors).toMatchObject([{ code: "handler-failed", cause: { message: "oops" } }]);
  });
});

/** The stream's events are no JSON, so only its status is looked at. */
async function createResponse(send: (posted: Posted) => Promise<{ status: number }>, posted: Posted) {
  return send(posted).catch((error: unknown) => {
    expect(error).toBeInstanceOf(SyntaxError);
    return { status: 200 };
  });
}

it("turns everybody away once it is closed, and closes once", async () => {
  const { handler, send } = setUp();
  expect(handler.close()).toBe(handler.close());
  await handler.close();
  expect(await send(call("hi"))).toMatchObject(refused(503, 429));
  expect(await send(post({ jsonrpc: "2.0", id: 1, method: "ping" }))).toMatchObject({ status: 503 });
});
