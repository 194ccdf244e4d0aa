import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { Client } from "parley-mcp/client";
import { clientCredentials, InMemoryCredentialStore, OAuthError, oauthFetch } from "parley-mcp/oauth";
import { telemetry } from "parley-mcp/telemetry";
import { expect, vi } from "vitest";
import {
  ISSUER,
  REDIRECT_URI,
  RESOURCE,
  rejection,
  ScriptedAuthorizationServer,
} from "../../src/oauth/scripted-authorization-server.js";
import { recordTelemetry } from "../../src/recorded-telemetry.js";
import { verifies } from "../../src/verifies.js";

const TOKEN = `POST ${ISSUER}/token`;

/** A client whose clock a test turns. */
async function connectAt(server: ScriptedAuthorizationServer, store = new InMemoryCredentialStore()) {
  const clock = { now: 0 };
  const authorization = server.oauth({ now: () => clock.now, store });
  return { clock, store, authorization, client: await server.connect(authorization) };
}

function refusing(error: string): () => Response {
  return () =>
    Response.json({ error, error_description: "because" }, { status: error === "invalid_client" ? 401 : 400 });
}

verifies(
  ["client-auth:bearer-header:every-request", "client-auth:no-tokens:no-auth-header"],
  "every verb carries the token in its header, no URL does, and without a token there is no header but a login",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const client = await server.connect(undefined, { revisions: ["2025-11-25"] });
    await client.callTool("add");
    await client.close();

    const [first, ...others] = server.calls;
    expect(first?.headers.has("authorization")).toBe(false);
    expect(server.logins).toHaveLength(1);
    expect(new Set(others.map(({ method }) => method))).toEqual(new Set(["POST", "GET", "DELETE"]));
    expect(new Set(others.map(({ headers }) => headers.get("authorization")))).toEqual(new Set(["Bearer access-3"]));
    expect(server.calls.every(({ url }) => url.href === RESOURCE)).toBe(true);
  },
);

verifies(
  "client-auth:token-provenance",
  "no token follows a redirect to another origin, and a server without TLS gets none at all",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const client = await server.connect();
    const elsewhere = "https://elsewhere.example.com/mcp";
    server.answers.set(`POST ${RESOURCE}`, () => new Response(null, { status: 307, headers: { location: elsewhere } }));
    await rejection(client.callTool("add"));
    await client.close();
    const plain = { url: "http://mcp.example.com/mcp", authorization: server.oauth(), fetch: server.fetch };
    const refused = await rejection(Client.connect(plain, { name: "c", version: "1" }));

    expect(server.requests.filter(({ url }) => url.href === elsewhere)).toEqual([]);
    expect(refused).toMatchObject({ code: "invalid-argument", message: expect.stringContaining("https") });
  },
);

verifies(
  "client-auth:token-secrecy",
  "errors, identities and URLs hold neither tokens nor codes nor secrets",
  async () => {
    const secrets = /access-\d|refresh-\d|code-\d|s3cret/;
    const client = { clientId: "given", clientSecret: "s3cret", issuer: ISSUER };
    const seen: string[] = [];
    const broken: ((server: ScriptedAuthorizationServer) => void)[] = [
      (server) => server.answers.set(TOKEN, () => server.tokens({ token_type: "mac" })),
      (server) => server.answers.set(TOKEN, () => server.tokens({ expires_in: "soon" })),
      (server) => server.answers.set(TOKEN, () => server.tokens({ refresh_token: 7 })),
      (server) => server.answers.set(TOKEN, () => new Response("<html>access-1</html>", { status: 502 })),
      (server) => server.answers.set(TOKEN, refusing("invalid_grant")),
      (server) => server.answers.set(`POST ${RESOURCE}`, () => new Response(null, { status: 401 })),
      (server) => {
        server.respond = () => ({ code: "code-1", state: "other", iss: ISSUER });
      },
    ];
    for (const breakIt of broken) {
      const server = new ScriptedAuthorizationServer();
      breakIt(server);
      const error = await rejection(server.connect(server.oauth({ client })));
      seen.push(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)} ${JSON.stringify(error.cause)}`);
    }
    const server = new ScriptedAuthorizationServer();
    const authorization = server.oauth({ client });
    await (await server.connect(authorization)).close();
    seen.push(await authorization.identity(new URL(RESOURCE)), JSON.stringify(authorization));

    expect(seen).toHaveLength(broken.length + 2);
    for (const text of seen) expect(text).not.toMatch(secrets);
    const urls = [...server.requests, ...server.calls].map(({ url }) => url.href);
    expect(urls.join(" ")).not.toMatch(secrets);
  },
);

verifies(
  "client-auth:token-secrecy",
  "the spans of a login, a step-up and a refresh that fails hold none either",
  async () => {
    using recorded = recordTelemetry();
    const server = new ScriptedAuthorizationServer();
    const { client, clock } = await connectAt(server);
    client.use(telemetry());
    server.scopes.set("tools/call", "add");
    await client.callTool("add");
    const repeat = ({ form }: { form: URLSearchParams }) => ({ error: "server_error", error_description: `${form}` });
    server.answers.set(TOKEN, (request) => Response.json(repeat(request), { status: 500 }));
    clock.now = 4_000_000;
    await rejection(client.callTool("add"));
    await client.close();

    const told = recorded.spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(told.map(({ name }) => name)).toEqual(["tools/call add", "tools/call add"]);
    expect(inspect(told, { depth: 10 })).not.toMatch(/access-\d|refresh-\d|code-\d/);
  },
);

verifies(
  "client-auth:cache-identity",
  "a private result is served after a refresh, and not after another login",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const clock = { now: 0 };
    const authorization = server.oauth({ now: () => clock.now });
    const client = await server.connect(authorization, { cache: { now: () => 0 } });
    const lists = () => server.calls.filter(({ body }) => body.includes("tools/list")).length;
    server.answers.set(`POST ${RESOURCE}`, async (request) => {
      const response = await server.call(request);
      if (!request.body.includes("tools/list") || !response.ok) return response;
      const { result, ...rest } = (await response.json()) as { result: object };
      return Response.json({ ...rest, result: { ...result, ttlMs: 86_400_000, cacheScope: "private" } });
    });
    await client.listTools();
    const before = await authorization.identity(new URL(RESOURCE));
    clock.now = 3_600_000;
    await client.callTool("add");
    await client.listTools();
    expect(await authorization.identity(new URL(RESOURCE))).toBe(before);
    expect(lists()).toBe(1);
    await authorization.logOut(RESOURCE);
    await client.callTool("add");
    await client.listTools();
    await client.close();

    expect(server.logins).toHaveLength(2);
    expect(lists()).toBe(2);
  },
);

verifies(
  "client-auth:401-after-auth-throws",
  "a server that refuses a token right after it was issued gets no second login",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.answers.set(`POST ${RESOURCE}`, () => new Response(null, { status: 401 }));
    const error = await rejection(server.connect());

    expect(error).toMatchObject({ code: "authorization-failed", status: 401 });
    expect(error.message).toContain("just issued");
    expect(server.logins).toHaveLength(1);
  },
);

verifies(
  "client-auth:refresh:transparent",
  "a token is refreshed 30 seconds before it expires, and after a 401, without a login",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { client, clock } = await connectAt(server);
    clock.now = 3_569_000;
    await client.callTool("add");
    expect(server.to("/token")).toHaveLength(1);
    clock.now = 3_570_000;
    await client.callTool("add");
    expect(server.to("/token")).toHaveLength(2);
    server.revokeAll();
    await client.callTool("add");
    await client.close();

    expect(server.to("/token").map(({ form }) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
      "refresh_token",
    ]);
    expect(server.calls.filter(({ headers }) => !headers.has("authorization"))).toHaveLength(1);
    expect(server.logins).toHaveLength(1);
  },
);

verifies("client-auth:refresh:one-flight", "two hundred calls at the expiry make one refresh", async () => {
  const server = new ScriptedAuthorizationServer();
  const { client, clock } = await connectAt(server);
  clock.now = 4_000_000;
  await Promise.all(Array.from({ length: 200 }, () => client.callTool("add")));
  clock.now = 0;
  server.revokeAll();
  await Promise.all(Array.from({ length: 200 }, () => client.callTool("add")));
  await client.close();

  expect(server.to("/token")).toHaveLength(3);
  expect(server.logins).toHaveLength(1);
});

verifies(
  "client-auth:refresh:across-processes",
  "two clients that share a store make one refresh, and both go on",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const store = new InMemoryCredentialStore();
    const one = await connectAt(server, store);
    const two = await connectAt(server, store);
    one.clock.now = two.clock.now = 4_000_000;
    await Promise.all([one.client.callTool("add"), two.client.callTool("add")]);
    await one.client.close();
    await two.client.close();

    expect(server.to("/token").map(({ form }) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
  },
);

verifies(
  "client-auth:refresh:rotation-handling",
  "a new refresh token replaces the old one, and the old one stays where there is none",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { client, clock } = await connectAt(server);
    const rotations = ["second", undefined, "third"];
    server.answers.set(TOKEN, () => server.tokens({ refresh_token: rotations.shift() }));
    for (let turn = 1; turn <= 3; turn++) {
      clock.now = turn * 4_000_000;
      await client.callTool("add");
    }
    await client.close();

    const used = server
      .to("/token")
      .slice(1)
      .map(({ form }) => form.get("refresh_token"));
    expect(used).toEqual(["refresh-3", "second", "second"]);
  },
);

verifies(
  "client-auth:refresh:typed-errors",
  "a failed refresh rejects with the server's error as its cause, and the tokens stay",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { client, clock } = await connectAt(server);
    server.answers.set(TOKEN, refusing("temporarily_unavailable"));
    clock.now = 4_000_000;
    const error = await rejection(client.callTool("add"));
    server.answers.set(TOKEN, (request) => server.token(request));
    await client.callTool("add");
    await client.close();

    expect(error).toMatchObject({ code: "authorization-failed", status: 400 });
    expect(error.cause).toBeInstanceOf(OAuthError);
    expect(error.cause).toMatchObject({ code: "temporarily_unavailable", description: "because", status: 400 });
    expect(server.to("/token").map(({ form }) => form.get("refresh_token"))).toEqual([null, "refresh-3", "refresh-3"]);
  },
);

verifies(
  "client-auth:login-elsewhere",
  "a service that cannot show a login goes on after its user has logged in with another program",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const store = new InMemoryCredentialStore();
    const service = server.oauth({ store, redirect: undefined, stepUp: "throw" });
    const refused = await rejection(server.connect(service));
    const program = await server.connect(server.oauth({ store }));
    const client = await server.connect(service);
    server.scopes.set("tools/call", "add");
    const lacking = await rejection(client.callTool("add"));
    await program.callTool("add");
    const result = await client.callTool("add");
    for (const each of [program, client]) await each.close();

    expect(refused).toMatchObject({ code: "authorization-required", reason: "login" });
    expect(lacking).toMatchObject({ code: "authorization-required", reason: "scopes" });
    expect(result.content).toEqual([{ type: "text", text: "5" }]);
    expect(server.logins).toHaveLength(2);
  },
);

verifies(
  "client-auth:refresh:login-meanwhile",
  "one process steps up while another one waits for the answer to its refresh",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { client, clock, store } = await connectAt(server);
    const other = await server.connect(server.oauth({ now: () => 0, store }));
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const issued = new Map<string | null, string>();
    server.answers.set(TOKEN, async (request) => {
      const response = server.token(request);
      const { access_token } = (await response.clone().json()) as { access_token: string };
      issued.set(request.form.get("grant_type"), access_token);
      if (request.form.get("grant_type") === "refresh_token") await answered;
      return response;
    });
    clock.now = 4_000_000;
    const refreshing = client.callTool("add");
    await vi.waitUntil(() => issued.has("refresh_token"));
    server.answers.set(`POST ${RESOURCE}`, () => {
      server.answers.delete(`POST ${RESOURCE}`);
      const challenge = 'Bearer error="insufficient_scope", scope="more"';
      return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    });
    const steppingUp = other.callTool("add");
    await vi.waitUntil(() => issued.has("authorization_code"));
    answer();
    await Promise.all([refreshing, steppingUp]);

    const third = await server.connect(server.oauth({ now: () => 0, store }));
    await third.callTool("add");
    const last = server.calls.at(-1)?.headers.get("authorization");
    expect(last).toBe(`Bearer ${issued.get("authorization_code")}`);
    for (const each of [client, other, third]) await each.close();
  },
);

verifies(
  "client-auth:invalid-grant-clears-tokens",
  "invalid_grant on a refresh leads to a login with the same client",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { client, clock } = await connectAt(server);
    clock.now = 4_000_000;
    const answers = [refusing("invalid_grant")];
    server.answers.set(TOKEN, (request) => answers.shift()?.() ?? server.token(request));
    await client.callTool("add");
    await client.close();

    expect(server.to("/register")).toHaveLength(1);
    expect(server.logins.map((url) => url.searchParams.get("client_id"))).toEqual(["client-1", "client-1"]);
  },
);

verifies(
  "client-auth:invalid-client-clears-all",
  "invalid_client on a refresh, with a challenge beside it, leads to a new registration",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const { client, clock } = await connectAt(server);
    clock.now = 4_000_000;
    const refused = refusing("invalid_client")();
    refused.headers.set("www-authenticate", 'Basic realm="x"');
    const answers = [refused];
    server.answers.set(TOKEN, (request) => answers.shift() ?? server.token(request));
    await client.callTool("add");
    await client.close();

    expect(server.to("/register")).toHaveLength(2);
    const ids = server.logins.map((url) => url.searchParams.get("client_id"));
    expect(new Set(ids).size).toBe(2);
  },
);

verifies(
  "client-auth:token-endpoint-auth-method",
  "the client authenticates as it was registered, or as the server supports it",
  async () => {
    const methods = ["none", "client_secret_basic", "client_secret_post"] as const;
    const shown: unknown[] = [];
    for (const method of methods) {
      const server = new ScriptedAuthorizationServer();
      server.describe({ token_endpoint_auth_methods_supported: [method] });
      server.answers.set(`POST ${ISSUER}/register`, (request) => {
        expect(JSON.parse(request.body).token_endpoint_auth_method).toBe(method);
        return server.register({ client_id: "a-b", client_secret: "c d", token_endpoint_auth_method: method });
      });
      await (await server.connect()).close();
      const { headers, form } = server.to("/token")[0] ?? { headers: new Headers(), form: new URLSearchParams() };
      shown.push([headers.get("authorization"), form.get("client_id"), form.get("client_secret")]);
    }

    expect(shown).toEqual([
      [null, "a-b", null],
      [`Basic ${btoa("a-b:c+d")}`, null, null],
      [null, "a-b", "c d"],
    ]);
  },
);

verifies(
  "client-auth:token-endpoint:https-guard",
  "a token endpoint without TLS is sent nothing, unless it is on a loopback host",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.describe({ token_endpoint: "http://login.example.com/token" });
    const error = await rejection(server.connect(clientCredentials({ client: { clientId: "a", clientSecret: "b" } })));
    const local = new ScriptedAuthorizationServer("http://127.0.0.1:9000");
    local.answers.set("GET http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp", () =>
      Response.json({ resource: "http://127.0.0.1:8000/mcp", authorization_servers: [local.issuer] }),
    );
    local.answers.set("POST http://127.0.0.1:8000/mcp", (request) => {
      const body = JSON.parse(request.body);
      const isKnown = request.headers.has("authorization");
      const error = { code: -32601, message: "x" };
      return isKnown ? Response.json({ jsonrpc: "2.0", id: body.id, error }) : new Response(null, { status: 401 });
    });
    const target = { url: "http://127.0.0.1:8000/mcp", authorization: local.oauth(), fetch: local.fetch };
    await rejection(Client.connect(target, { name: "c", version: "1" }));

    expect(error.code).toBe("authorization-failed");
    expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
    expect(local.to("/token")).toHaveLength(1);
    expect(local.logins[0]?.searchParams.get("redirect_uri")).toBe(REDIRECT_URI);
  },
);

verifies(
  "client-auth:fetch-wrapper",
  "a fetch logs in where it is refused, and sends the request again with its body",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const bodies: string[] = [];
    const send: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      bodies.push(`${request.headers.get("authorization")} ${await request.text()}`);
      return request.headers.has("authorization") ? new Response("done") : new Response(null, { status: 401 });
    };
    const fetch = oauthFetch(server.oauth({ fetch: server.fetch }), RESOURCE, { fetch: send });
    const response = await fetch(`${RESOURCE}/files`, { method: "PUT", body: "contents" });

    expect(await response.text()).toBe("done");
    expect(bodies).toEqual(["null contents", "Bearer access-3 contents"]);
    expect((await fetch(RESOURCE)).status).toBe(200);
    const elsewhere = await fetch("https://elsewhere.example.com/mcp");
    expect([elsewhere.status, bodies.at(-1)]).toEqual([401, "null "]);
  },
);

verifies(
  "client-auth:fetch-redirects",
  "a redirect to another path of the same origin is followed without the token, over a socket",
  async () => {
    const seen: string[] = [];
    const http = createServer(({ url, headers }, response) => {
      seen.push(`${url} ${headers.authorization}`);
      response.writeHead(url === "/mcp/moved" ? 307 : 200, { location: url === "/mcp/moved" ? "/public" : "/" });
      response.end();
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const resource = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const store = new InMemoryCredentialStore();
    const server = new ScriptedAuthorizationServer("http://127.0.0.1:9000");
    server.describe({ issuer: server.issuer });
    const refuse: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      return request.headers.has("authorization") ? globalThis.fetch(request) : new Response(null, { status: 401 });
    };
    server.answers.set(`GET ${new URL(resource).origin}/.well-known/oauth-protected-resource/mcp`, () =>
      Response.json({ resource, authorization_servers: [server.issuer] }),
    );
    const authorization = server.oauth({ store, fetch: server.fetch });
    await oauthFetch(authorization, resource, { fetch: refuse })(resource);
    const response = await oauthFetch(authorization, resource)(`${resource}/moved`);
    http.closeAllConnections();
    http.close();

    expect(response.status).toBe(200);
    expect(seen.slice(-2)).toEqual([expect.stringMatching(/^\/mcp\/moved Bearer access-/), "/public undefined"]);
  },
);
