import { inspect } from "node:util";
import { type ServeHttpOptions, serveHttp } from "parley-mcp/node";
import { type ProtectedResourceOptions, protectedResource } from "parley-mcp/oauth/resource";
import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { callPost, exchange, initializePost, modernPost, post } from "../../src/http/http-posts.js";
import { bearer, ISSUER, RESOURCE, TestIssuer } from "../../src/oauth/test-issuer.js";
import { verifies } from "../../src/verifies.js";

async function protect(options: Partial<ProtectedResourceOptions> = {}, serving: ServeHttpOptions = {}) {
  const issuer = await TestIssuer.create();
  const server = new McpServer({ name: "ledger", version: "1.0.0", instructions: "secret", onError: () => {} });
  const authorization = protectedResource({ ...issuer.options, ...options });
  const http = await serveHttp(server, { authorization, ...serving });
  return { issuer, server, http, authorization, [Symbol.asyncDispose]: () => http.close() };
}

verifies(
  "hosting:auth:before-processing",
  "a request with a refused token runs no handler, opens no session and returns nothing of the server",
  async () => {
    await using resource = await protect();
    const { issuer, server, http } = resource;
    const run = vi.fn(() => "done");
    server.tool("ledger-entry", {}, run);
    const legacyCall = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ledger-entry" } };
    const requests = [
      callPost("ledger-entry"),
      modernPost("tools/list"),
      modernPost("server/discover"),
      initializePost(),
      post(legacyCall),
      post([legacyCall]),
      post("{"),
      { method: "GET", headers: { accept: "text/event-stream" } },
      { method: "DELETE", headers: {} },
    ];
    const tokens = [undefined, "garbage", await issuer.token({ aud: "https://other.example/mcp" })];
    for (const token of tokens) {
      for (const request of requests) {
        const headers = { ...request.headers, ...(token !== undefined && bearer(token)) };
        const response = await fetch(http.url, { ...request, headers });
        expect(response.status).toBe(401);
        expect(response.headers.has("mcp-session-id")).toBe(false);
        expect(await response.text()).not.toMatch(/ledger|secret|2026-07-28/);
      }
    }
    expect(run).not.toHaveBeenCalled();
  },
);

verifies(
  "hosting:auth:other-issuer",
  "a token that another authorization server signed is 401, whichever issuer it names",
  async () => {
    await using resource = await protect();
    resource.server.tool("list", {}, () => "done");
    const stranger = await TestIssuer.create();
    const call = async (token: string) => (await fetch(resource.http.url, callPost("list", {}, bearer(token)))).status;
    expect(await call(await stranger.token())).toBe(401);
    expect(await call(await stranger.token({ iss: "https://stranger.example" }))).toBe(401);
    expect(await call(await resource.issuer.token({ iss: `${ISSUER}/` }))).toBe(401);
    expect(await call(await resource.issuer.token())).toBe(200);
  },
);

verifies(
  "oauth-resource:token-hidden",
  "handlers and middleware see no token of the client in headers, auth or details",
  async () => {
    await using resource = await protect({}, { legacy: { stateless: true } });
    const { issuer, server, http } = resource;
    const token = await issuer.token();
    const seen: unknown[] = [];
    server.use(({ context }, next) => {
      seen.push(context?.caller?.headers, context?.caller?.auth, context?.caller?.details);
      return next();
    });
    server.tool("show", {}, (_args, { caller, auth }) => JSON.stringify([caller?.headers, auth, caller?.principal]));
    const legacy = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "show", arguments: {} } };
    const custom = { "x-tenant": "acme", dpop: "a-proof" };
    for (const message of [callPost("show", {}, custom), post(legacy, custom)]) {
      const answer = await exchange(http.url, { ...message, headers: { ...message.headers, ...bearer(token) } });
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer.json)).toContain("acme");
      expect(JSON.stringify([answer.json, seen])).not.toContain(token);
      expect(JSON.stringify([answer.json, seen])).not.toContain("a-proof");
    }
    expect(seen.length).toBeGreaterThan(0);
  },
);

verifies(
  "hosting:auth:token-secrecy",
  "hooks and the console contain no token, whichever check it fails and when it is used",
  async () => {
    const told: unknown[] = [];
    const tell = (report: unknown) => told.push(report);
    const consoles = (["log", "info", "warn", "error", "debug"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...given) => void told.push(given)),
    );
    try {
      await using resource = await protect({}, { onRefusal: tell, onResponse: tell });
      const { issuer, server, http } = resource;
      server.tool("fail", {}, () => {
        throw new Error("broken");
      });
      const tokens = [
        await issuer.token(),
        await issuer.token({ exp: 1 }),
        await issuer.token({ aud: "https://other.example" }),
        await (await TestIssuer.create()).token(),
        "secret-garbage",
      ];
      for (const token of tokens) await exchange(http.url, callPost("fail", {}, bearer(token)));
      const answered = told.length;
      const everything = inspect(told, { depth: 12, showHidden: true });

      expect(answered).toBeGreaterThanOrEqual(tokens.length);
      for (const token of tokens) expect(everything).not.toContain(token.slice(-40));
    } finally {
      for (const spy of consoles) spy.mockRestore();
    }
  },
);

verifies(
  "hosting:auth:resource-spelling",
  "an audience with capitals in scheme and host is accepted, and one with a capital in the path is refused",
  async () => {
    await using resource = await protect({ resource: "HTTPS://MCP.Example.com:443/mcp" });
    resource.server.tool("list", {}, () => "done");
    const call = async (aud: string) => {
      const token = await resource.issuer.token({ aud });
      return (await fetch(resource.http.url, callPost("list", {}, bearer(token)))).status;
    };
    expect(await call("HTTPS://MCP.EXAMPLE.COM/mcp")).toBe(200);
    expect(await call("https://mcp.example.com/MCP")).toBe(401);
    expect(resource.authorization.metadata.resource).toBe(RESOURCE);
    const root = protectedResource({ resource: "https://mcp.example.com/", issuer: ISSUER });
    expect(root.metadata.resource).toBe("https://mcp.example.com");
  },
);

verifies(
  "hosting:auth:scope-in-challenge",
  "every 401 of a resource names the same scopes, with a refused token as without one",
  async () => {
    const scopeOf = async (options: Partial<ProtectedResourceOptions>) => {
      await using resource = await protect(options);
      const challenges: (string | undefined)[] = [];
      for (const headers of [{}, bearer("garbage"), {}]) {
        const { headers: told } = await fetch(resource.http.url, callPost("list", {}, headers));
        challenges.push(/scope="([^"]*)"/.exec(told.get("www-authenticate") ?? "")?.[1]);
      }
      return challenges;
    };
    const all = { requiredScopes: ["mcp", "files"], scopesSupported: ["mcp", "files", "more"] };
    expect(await scopeOf(all)).toEqual(["mcp files", "mcp files", "mcp files"]);
    expect(await scopeOf({ scopesSupported: ["a", "b"] })).toEqual(["a b", "a b", "a b"]);
    expect(await scopeOf({})).toEqual([undefined, undefined, undefined]);
  },
);

verifies(
  "oauth-resource:offline-access",
  "registering a tool, a resource or a prompt with the scope offline_access throws",
  () => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    const scopes = ["files:read", "offline_access"];
    const complaint = "offline_access is for clients to ask for";
    expect(() => server.tool("read", { scopes }, () => "done")).toThrow(complaint);
    expect(() => server.resource("file:///a", { name: "a", scopes }, () => "done")).toThrow(complaint);
    expect(() => server.prompt("ask", { scopes }, () => "done")).toThrow(complaint);
  },
);
