import { describe, expect, it, vi } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import type { McpServerOptions } from "../../server/server-options.js";
import type { Caller } from "../../transport/caller.js";
import { createFetchHandler } from "../web/fetch-handler.js";
import type { HttpOptions } from "./http-options.js";
import { call, modern, post, withEnvelope } from "./modern-requests.fixture.js";
import type { ResourceGate } from "./resource-gate.js";

const caller = (...scopes: string[]): Caller => ({ principal: "ann", auth: { scopes, claims: {} } });

function setUp(who: Caller, options: HttpOptions = {}, serverOptions: Partial<McpServerOptions> = {}) {
  const run = vi.fn(() => "done");
  const server = new McpServer({ name: "s", version: "1.0.0", ...serverOptions });
  server.tool("open", {}, run);
  server.tool("write", { scopes: ["files:write"] }, run);
  server.tool("both", { scopes: ["files:write", "files:read", "files:read"] }, run);
  server.tool("late", {}, async (_args, context) => {
    await context.progress(1);
    context.requireScopes("files:write");
    return "done";
  });
  server.resource("notes://today", { name: "today", scopes: ["notes"], cache: { cacheScope: "public" } }, run);
  server.resource("notes://open", { name: "open" }, run);
  server.resourceTemplate("free://{day}", { name: "free" }, run);
  server.resourceTemplate(
    "notes://{day}/all",
    { name: "all", scopes: ["notes"], complete: { day: () => [] }, list: () => [{ uri: "notes://1/all", name: "1" }] },
    run,
  );
  server.prompt("ask", { scopes: ["prompts"], input: { type: "object", properties: { a: { type: "string" } } } }, run);
  const handler = createFetchHandler(server, { authenticate: () => who, ...options });
  const send = async (init: RequestInit) => {
    const response = await handler(new Request("http://localhost/mcp", init));
    const text = await response.text();
    const json = text === "" || text.startsWith(":") || text.startsWith("event") ? undefined : text;
    return { status: response.status, headers: response.headers, text: json ?? text };
  };
  return { run, send, server };
}

const gateWith = (who: Caller, requiredScopes: readonly string[]): ResourceGate => ({
  ready: async () => {},
  documents: new Map(),
  requiredScopes,
  authenticate: () => who,
});

const LISTEN = { notifications: { resourceSubscriptions: ["notes://today", "notes://open"] } };

describe("a modern request", () => {
  it.each([
    ["tools/call", { name: "write" }, "files:write"],
    ["tools/call", { name: "both" }, "files:write files:read"],
    ["prompts/get", { name: "ask" }, "prompts"],
    ["resources/read", { uri: "notes://today" }, "notes"],
    ["resources/read", { uri: "notes://3/all" }, "notes"],
    ["subscriptions/listen", LISTEN, "notes"],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "ask" }, argument: { name: "a", value: "" } },
      "prompts",
    ],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "notes://{day}/all" }, argument: { name: "day", value: "" } },
      "notes",
    ],
    ["completion/complete", { ref: { type: "ref/resource", uri: "notes://today" } }, "notes"],
  ])("%s of %j is refused without its scopes, before anything runs", async (method, params, scope) => {
    const { send, run } = setUp(caller("other"));
    const refused = await send(modern(method, withEnvelope(params)));
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    expect(JSON.parse(refused.text)).toMatchObject({ id: 1, error: { code: 403, data: { scopes: scope.split(" ") } } });
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ["tools/call", { name: "unknown" }],
    ["resources/read", { uri: "nothing://here" }],
    ["prompts/get", { name: "unknown" }],
    ["completion/complete", {}],
    ["completion/complete", { ref: { type: "ref/prompt", name: "unknown" } }],
    ["completion/complete", { ref: { type: "ref/resource", uri: "unknown" } }],
    ["subscriptions/listen", {}],
    ["tools/call", { name: { toString: 1 } }],
    ["prompts/get", { name: { toString: 1 } }],
    ["resources/read", { uri: { toString: 1 } }],
    ["completion/complete", { ref: { type: "ref/prompt", name: { toString: 1 } } }],
    ["completion/complete", { ref: { type: "ref/resource", uri: { toString: 1 } } }],
    ["subscriptions/listen", { notifications: { resourceSubscriptions: [{ toString: 1 }] } }],
  ])("%s of %j is left to its method", async (method, params) => {
    const { send } = setUp(caller());
    const { status, text } = await send(modern(method, withEnvelope(params)));
    expect([status, text]).toEqual([200, expect.stringContaining('"code":-32602')]);
  });

  it("to watch more resources than a stream may is left to its method; repeated ones count once", async () => {
    const watch = (uris: string[]) =>
      setUp(caller()).send(
        modern("subscriptions/listen", withEnvelope({ notifications: { resourceSubscriptions: uris } })),
      );
    const many = Array.from({ length: 2_000 }, (_, day) => `notes://${day}/all`);
    expect(await watch(many)).toMatchObject({ status: 200, text: expect.stringContaining('"code":-32602') });
    expect(await watch(new Array(2_000).fill("notes://today"))).toMatchObject({ status: 403 });
  });

  it("to watch more bytes than a stream may is left to its method, before its URIs are matched", async () => {
    const { send } = setUp(caller());
    const uris = Array.from({ length: 1_000 }, (_, day) => `notes://${day}${"x".repeat(100)}/all`);
    const watch = modern("subscriptions/listen", withEnvelope({ notifications: { resourceSubscriptions: uris } }));
    expect(await send(watch)).toMatchObject({ status: 429, text: expect.stringContaining("Too much to keep") });
  });

  it("is served with them, and without any that it does not need", async () => {
    const { send } = setUp(caller("files:write"));
    for (const name of ["open", "write"]) expect((await send(call(name))).status).toBe(200);
    expect((await send(call("both"))).status).toBe(403);
    expect((await send(modern("resources/read", withEnvelope({ uri: "free://1" })))).status).toBe(200);
  });

  it("needs no scopes for templates where none has any", async () => {
    const server = new McpServer({ name: "s", version: "1.0.0" });
    server.resourceTemplate("free://{day}", { name: "free" }, () => "done");
    const handler = createFetchHandler(server);
    const read = modern("resources/read", withEnvelope({ uri: "free://1" }));
    expect((await handler(new Request("http://localhost/mcp", read))).status).toBe(200);
  });

  it("is refused where nobody has a token", async () => {
    for (const options of [{}, { authenticate: undefined }]) {
      const { send } = setUp({}, options);
      const refused = await send(call("write"));
      expect(refused.status).toBe(403);
      expect(refused.headers.get("www-authenticate")).toContain('scope="files:write"');
      expect((await send(call("open"))).status).toBe(200);
    }
  });

  it("gets all scopes in one challenge, those of every request included", async () => {
    const authorization = gateWith({ ...caller(), scopeChallenge: (scopes) => `Test ${scopes.join(" ")}` }, ["mcp"]);
    const { send } = setUp({}, { authorization, authenticate: undefined });
    expect((await send(call("write"))).headers.get("www-authenticate")).toBe("Test mcp files:write");
    expect((await send(call("open"))).headers.get("www-authenticate")).toBe("Test mcp");
  });
});

describe("a legacy request", () => {
  it("is refused alone and in a batch, before its session is looked for", async () => {
    const { send, run } = setUp(caller());
    const request = (name: string, id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } });
    const batch = [request("open", 1), request("write", 2), "broken", { jsonrpc: "2.0", method: "notifications/x" }];
    for (const body of [request("write", 1), batch]) {
      const refused = await send(post(body, { "mcp-session-id": "unknown" }));
      expect(refused.status).toBe(403);
    }
    expect(run).not.toHaveBeenCalled();
    expect((await send(post(request("open", 1), { "mcp-session-id": "unknown" }))).status).toBe(404);
  });

  it("in a batch that is too long, or that no revision knows, is left to the session", async () => {
    const { send, run } = setUp(caller());
    const write = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "write" } });
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: LISTEN };
    const headers = { "mcp-protocol-version": "2025-03-26" };
    for (const batch of [Array.from({ length: 101 }, (_, id) => write(id)), [listen]]) {
      expect((await send(post(batch, { ...headers, "mcp-session-id": "unknown" }))).status).toBe(404);
      const stateless = await setUp(caller(), { legacy: { stateless: true } }).send(post(batch, headers));
      expect(stateless.text).toMatch(/more than 100 messages|-32601/);
    }
    expect(run).not.toHaveBeenCalled();
  });

  it("without a body needs the scopes of every request", async () => {
    const options = { authorization: gateWith(caller(), ["mcp"]), authenticate: undefined, legacy: { sse: true } };
    const { send } = setUp({}, options);
    for (const method of ["GET", "DELETE"]) expect((await send({ method })).status).toBe(403);
  });
});

describe("requireScopes", () => {
  const legacyCall = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "check", arguments: {} } };

  it.each([
    ["modern", () => call("check"), {}],
    ["legacy", () => post(legacyCall), { legacy: { stateless: true } }],
  ])("is answered 403 with a challenge in the %s era", async (_era, request, options) => {
    const { send, server } = setUp(caller("a"), options);
    server.tool("check", {}, (_args, context) => {
      context.requireScopes("a");
      context.requireScopes("a", "b");
      return String(context.auth?.scopes);
    });
    const refused = await send(request());
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="a b"');
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 403, data: { scopes: ["a", "b"] } } });
  });

  it("is an error on the stream once something was sent", async () => {
    const { send } = setUp(caller());
    const params = withEnvelope({ name: "late" }, { progressToken: 1 });
    const { status, text } = await send(modern("tools/call", params));
    expect(status).toBe(200);
    expect(text).toContain('"code":403');
  });

  it("takes scopes alone", async () => {
    const { send, server } = setUp(caller("a"));
    server.tool("check", {}, (_args, context) => {
      expect(() => context.requireScopes('a"b')).toThrow("requireScopes: scopes: expected a list of scopes");
      return "done";
    });
    expect((await send(call("check"))).status).toBe(200);
  });
});

describe("lists", () => {
  const LISTS = [
    ["tools/list", "write"],
    ["prompts/list", "ask"],
    ["resources/list", "notes://today"],
    ["resources/list", "notes://1/all"],
    ["resources/templates/list", "notes://{day}/all"],
  ] as const;

  it.each(LISTS)("%s has %s for every caller by default", async (method, name) => {
    const { text } = await setUp(caller()).send(modern(method));
    expect(text).toContain(name);
  });

  it.each(LISTS)("%s leaves out %s for callers without its scopes where asked to", async (method, name) => {
    const options = { scopedLists: "filter", cache: { cacheScope: "public" } } as const;
    const { text } = await setUp(caller("files:read"), {}, options).send(modern(method));
    expect(text).not.toContain(name);
    expect(text).toContain('"cacheScope":"private"');
    const all = caller("files:write", "files:read", "notes", "prompts");
    expect((await setUp(all, {}, options).send(modern(method))).text).toContain(name);
  });

  it("of the legacy era are filtered, too, page by page", async () => {
    const { send } = setUp(caller(), { legacy: { stateless: true } }, { scopedLists: "filter", pageSize: 1 });
    const list = (params: object) => send(post({ jsonrpc: "2.0", id: 1, method: "tools/list", params }));
    const first = JSON.parse((await list({})).text).result;
    expect(first.tools).toMatchObject([{ name: "open" }]);
    const { tools, nextCursor, cacheScope } = JSON.parse((await list({ cursor: first.nextCursor })).text).result;
    expect([tools, nextCursor, cacheScope]).toMatchObject([[{ name: "late" }], undefined, undefined]);
  });
});

it.each([
  [{ scopes: [], claims: {} }, undefined],
  [undefined, "Bearer a"],
])("the headers of a caller with %j have the authorization %s", async (auth, expected) => {
  const { send, server } = setUp({ auth });
  server.tool("headers", {}, (_args, context) => String(context.caller?.headers?.authorization));
  const { text } = await send(call("headers", {}, { authorization: "Bearer a" }));
  expect(text).toContain(`"text":"${expected}"`);
});

it("what is read with scopes is never for a shared cache", async () => {
  const { send } = setUp(caller("notes"));
  const { text } = await send(modern("resources/read", withEnvelope({ uri: "notes://today" })));
  expect(text).toContain('"cacheScope":"private"');
});

it.each([[["a b"]], [["a", 1]], ["a"], [['"']], [[""]]])("registrations refuse the scopes %j", (scopes) => {
  const server = new McpServer({ name: "s", version: "1.0.0" });
  const register = () => server.tool("x", { scopes: scopes as string[] }, () => "");
  expect(register).toThrow('tool "x": scopes: expected a list of scopes');
});

describe("a challenge that cannot be sent", () => {
  const scopeChallenge = () => {
    throw new Error("no challenge");
  };

  async function close(revision: "modern" | "legacy", isAsync: boolean) {
    const errors: Error[] = [];
    const server = new McpServer({ name: "s", version: "1.0.0", onError: (error) => void errors.push(error) });
    server.handle("acme/act", (_params, context) => {
      if (!isAsync) context.requireScopes("files:write");
      return Promise.resolve().then(() => context.requireScopes("files:write"));
    });
    const who = { ...caller(), scopeChallenge };
    const handler = createFetchHandler(server, { authenticate: () => who, legacy: { stateless: true } });
    const message = { jsonrpc: "2.0", id: 1, method: "acme/act" };
    const init = revision === "modern" ? modern("acme/act") : post(message, { "mcp-protocol-version": "2025-11-25" });
    const response = await handler(new Request("http://localhost/mcp", init));
    await handler.close();
    return { status: response.status, text: await response.text(), errors };
  }

  it.each([
    ["modern", false],
    ["modern", true],
    ["legacy", false],
    ["legacy", true],
  ] as const)("is 500 in the %s era, and closing does not wait; async: %s", async (revision, isAsync) => {
    const { status, text, errors } = await close(revision, isAsync);
    expect(status).toBe(500);
    expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } });
    expect(errors).toEqual([expect.objectContaining({ code: "handler-failed" })]);
  });
});
