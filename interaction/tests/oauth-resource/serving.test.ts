import { type ServeHttpOptions, serveHttp, type WebRoute } from "parley-mcp/node";
import { type ProtectedResourceOptions, protectedResource } from "parley-mcp/oauth/resource";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import {
  callPost,
  enveloped,
  exchange,
  initializePost,
  modernPost,
  outcomeOf,
  post,
} from "../../src/http/http-posts.js";
import { bearer, ISSUER, RESOURCE, TestIssuer } from "../../src/oauth/test-issuer.js";
import { verifies } from "../../src/verifies.js";

async function protect(options: Partial<ProtectedResourceOptions> = {}, serving: ServeHttpOptions = {}) {
  const issuer = await TestIssuer.create();
  const server = new McpServer({ name: "files", version: "1.0.0", onError: () => {} });
  server.tool("list", {}, () => "done");
  const authorization = protectedResource({ ...issuer.options, ...options });
  const http = await serveHttp(server, { authorization, ...serving });
  return { issuer, server, http, authorization, [Symbol.asyncDispose]: () => http.close() };
}

/** Far enough away for the streams to be opened on a machine that is busy. */
const soon = () => Date.now() / 1_000 + 2;

const STREAM = { accept: "text/event-stream" };
const LIST_TOOLS = { jsonrpc: "2.0", id: 2, method: "tools/list" };

verifies(
  "oauth-resource:issuer-at-start",
  "a server whose issuer or keys cannot be found does not start, and the error says what each place answered",
  async () => {
    const issuer = await TestIssuer.create();
    const server = new McpServer({ name: "files", version: "1.0.0" });
    const start = () => serveHttp(server, { authorization: protectedResource(issuer.options) });
    issuer.answers.delete("/keys");
    await expect(start()).rejects.toThrow(`issuer "${ISSUER}": ${ISSUER}/keys has no usable key set`);
    issuer.answers.clear();
    await expect(start()).rejects.toThrow(
      `issuer "${ISSUER}": its metadata cannot be read: ${ISSUER}/.well-known/oauth-authorization-server: HTTP 404; ` +
        `${ISSUER}/.well-known/openid-configuration: HTTP 404`,
    );
  },
);

verifies(
  "oauth-resource:issuer-away",
  "an unknown token is 503 with Retry-After while the issuer is away, and known tokens are served",
  async () => {
    const issuer = await TestIssuer.create();
    const server = new McpServer({ name: "files", version: "1.0.0", onError: () => {} });
    server.tool("list", {}, () => "done");
    const handler = createFetchHandler(server, { authorization: protectedResource(issuer.options) });
    const answers = new Map(issuer.answers);
    const call = async (token: string) =>
      outcomeOf(handler(new Request("https://mcp.example.com/mcp", callPost("list", {}, bearer(token)))));
    issuer.answers.clear();
    const refused = await call(await issuer.token());
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    const other = protectedResource(issuer.options);
    for (const [path, answer] of answers) issuer.answers.set(path, answer);
    const known = await issuer.token();
    const check = () => other.check(new Request(RESOURCE, { headers: bearer(known) }));
    expect(await check()).toMatchObject({ subject: "ann" });
    issuer.answers.clear();
    expect(await check()).toMatchObject({ subject: "ann" });
  },
);

verifies(
  "oauth-resource:sessions",
  "a session goes on with the next token of its user, and is not found by anybody else",
  async () => {
    await using resource = await protect();
    const { issuer, http } = resource;
    const as = async (claims: object) => bearer(await issuer.token({ ...claims }));
    const opened = await fetch(http.url, initializePost(await as({ jti: "1" })));
    const session = { "mcp-session-id": String(opened.headers.get("mcp-session-id")) };
    const list = async (claims: object) =>
      (await fetch(http.url, post(LIST_TOOLS, { ...session, ...(await as(claims)) }))).status;
    expect(await list({ jti: "2", exp: Date.now() / 1_000 + 900 })).toBe(200);
    expect(await list({ sub: "bob" })).toBe(404);
    for (const method of ["GET", "DELETE"]) {
      const headers = { ...STREAM, ...session, ...(await as({ sub: "bob" })) };
      expect((await fetch(http.url, { method, headers })).status).toBe(404);
    }
    expect(await list({ jti: "3" })).toBe(200);
  },
);

verifies(
  "oauth-resource:streams-end",
  "listen and GET streams end when their token expires, and the client opens them again with its next token",
  async () => {
    await using resource = await protect({ skewMs: 0 });
    const { issuer, server, http } = resource;
    const finish = deferred<string>();
    server.tool("slow", {}, () => finish.promise);
    const token = await issuer.token({ exp: soon() });
    const slow = exchange(http.url, callPost("slow", {}, bearer(token)));
    const filter = enveloped({ notifications: { toolsListChanged: true } });
    const listening = await fetch(http.url, modernPost("subscriptions/listen", filter, bearer(token)));
    const opened = await fetch(http.url, initializePost(bearer(token)));
    const session = { "mcp-session-id": String(opened.headers.get("mcp-session-id")) };
    const standalone = await fetch(http.url, { headers: { ...STREAM, ...session, ...bearer(token) } });
    expect([listening.status, standalone.status]).toEqual([200, 200]);

    expect(await listening.text()).toContain('"resultType":"complete"');
    await standalone.text();
    expect((await fetch(http.url, callPost("list", {}, bearer(token)))).status).toBe(401);
    finish.resolve("done");
    expect((await slow).status).toBe(200);

    const next = bearer(await issuer.token());
    const again = await fetch(http.url, { headers: { ...STREAM, ...session, ...next } });
    expect(again.status).toBe(200);
    await again.body?.cancel();
  },
);

verifies(
  "oauth-resource:frameworks",
  "check gives another framework what a token says, or the response with the challenge to send",
  async () => {
    const issuer = await TestIssuer.create();
    const gate = protectedResource({ ...issuer.options, requiredScopes: ["mcp"] });
    const check = (headers: Record<string, string>) => gate.check(new Request(RESOURCE, { headers }));
    expect(await check(bearer(await issuer.token({ scope: "mcp" })))).toMatchObject({
      subject: "ann",
      scopes: ["mcp"],
    });
    const refusals = [
      [{}, 401, undefined],
      [bearer("bad"), 401, "invalid_token"],
      [bearer(await issuer.token()), 403, "insufficient_scope"],
    ] as const;
    for (const [headers, status, error] of refusals) {
      const response = await check(headers);
      if (!(response instanceof Response)) throw new Error("It was let in");
      expect(response.status).toBe(status);
      expect(response.headers.get("www-authenticate")).toContain(`resource_metadata="${gate.metadataUrl}"`);
      const { error: told } = (await response.json()) as { error?: string };
      expect(told).toBe(error);
    }
  },
);

verifies(
  "oauth-resource:routes",
  "routes serve other paths on every host without a token, with bounded bodies and after the check of Host",
  async () => {
    const token: WebRoute = async (request) => {
      if (new URL(request.url).pathname !== "/token") return undefined;
      const form = new URLSearchParams(await request.text());
      return Response.json({ grant: form.get("grant_type") });
    };
    const routes = [async () => undefined, token];
    await using resource = await protect({}, { routes, maxBodyBytes: 1_000 });
    const { http, server, authorization } = resource;
    const web = createFetchHandler(server, { path: "/mcp", authorization, routes, maxBodyBytes: 1_000 });
    const hosts = [
      (path: string, init?: RequestInit) => fetch(new URL(path, http.url), init),
      (path: string, init?: RequestInit) => web(new Request(`https://mcp.example.com${path}`, init)),
    ];
    for (const ask of hosts) {
      const body = new URLSearchParams({ grant_type: "authorization_code" });
      expect(await (await ask("/token", { method: "POST", body })).json()).toEqual({ grant: "authorization_code" });
      expect((await ask("/token", { method: "POST", body: "x".repeat(1_001) })).status).toBe(413);
      expect((await ask("/other")).status).toBe(404);
      expect((await ask("/mcp", callPost("list"))).status).toBe(401);
    }
  },
);
