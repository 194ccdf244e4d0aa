import { expect } from "vitest";
import { ProtectedSocket } from "../../src/oauth/protected-socket.js";
import { rejection } from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

const FAILED = "authorization-failed";
const SERVER_METADATA = "GET /.well-known/oauth-authorization-server";

function wantsScopes(scope: string): Response {
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
  return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
}

verifies(
  ["client-auth:as-metadata-discovery:issuer-validation", "client-auth:prm-resource-mismatch"],
  "documents of another issuer or another resource over a socket lead to no registration and no login",
  async () => {
    await using issuer = await ProtectedSocket.start();
    issuer.describe({ issuer: "https://honest.example.com" });
    await using resource = await ProtectedSocket.start();
    resource.describeResource({ resource: "https://mcp.example.com/mcp" });
    for (const server of [issuer, resource]) {
      expect((await rejection(server.connect())).code).toBe(FAILED);
      expect([server.count("POST /register"), server.logins.length]).toEqual([0, 0]);
    }
    expect(resource.count(SERVER_METADATA)).toBe(0);
  },
);

verifies(
  ["client-auth:iss:supported-missing-reject", "client-auth:pkce:refuse-if-unsupported"],
  "a response without iss gets no token over a socket, and a server without PKCE no login",
  async () => {
    await using silent = await ProtectedSocket.start();
    silent.respond = (login) => ({ code: "code-1", state: String(login.searchParams.get("state")) });
    expect((await rejection(silent.connect())).code).toBe(FAILED);
    expect([silent.logins.length, silent.count("POST /token")]).toEqual([1, 0]);
    await using plain = await ProtectedSocket.start();
    plain.describe({ code_challenge_methods_supported: undefined });
    expect((await rejection(plain.connect())).code).toBe(FAILED);
    expect(plain.logins).toEqual([]);
  },
);

verifies(
  ["client-auth:guard:redirects", "client-auth:guard:local-server", "client-auth:guard:endpoints"],
  "a redirect loop, a link-local issuer and an endpoint that is a script end the login over a socket",
  async () => {
    await using looping = await ProtectedSocket.start();
    looping.answers.set(SERVER_METADATA, (request) => Response.redirect(request.url, 302));
    expect((await rejection(looping.connect())).message).toContain("redirects");
    expect(looping.count(SERVER_METADATA)).toBe(4);
    await using linkLocal = await ProtectedSocket.start();
    linkLocal.describeResource({ authorization_servers: ["https://169.254.169.254"] });
    await using script = await ProtectedSocket.start();
    script.describe({ authorization_endpoint: "javascript:alert(1)" });
    for (const [server, reason] of [
      [linkLocal, "169.254.169.254 is not a public address"],
      [script, "authorization_endpoint"],
    ] as const) {
      expect((await rejection(server.connect())).message).toContain(reason);
      expect(server.logins).toEqual([]);
    }
  },
);

verifies(
  ["client-auth:as-migration:reregister", "client-auth:as-migration:no-cred-reuse"],
  "a new authorization server sees no client id and no token of the old one over sockets",
  async () => {
    await using first = await ProtectedSocket.start();
    await using second = await ProtectedSocket.start();
    second.answers.set("POST /token", () => Response.json({ access_token: "new-1", token_type: "Bearer" }));
    const client = await first.connect();
    first.accepted = /^Bearer new-/;
    first.describeResource({ authorization_servers: [second.origin] });
    first.respond = second.respond;
    await client.callTool("add");
    await client.close();

    expect(second.log).toEqual([SERVER_METADATA, "POST /register", "POST /token"]);
    expect(second.received.join(" ")).not.toMatch(new RegExp(`client-of-${first.origin}|access-|refresh-`));
    expect(first.logins[1]?.searchParams.get("client_id")).toBe(`client-of-${second.origin}`);
  },
);

verifies(
  ["client-auth:stepup:retry-cap", "client-auth:401-after-auth-throws"],
  "a server that refuses every token over a socket is not asked without end",
  async () => {
    await using greedy = await ProtectedSocket.start();
    const client = await greedy.connect();
    let turn = 0;
    greedy.answers.set("POST /mcp", () => wantsScopes(`s${++turn}`));
    expect((await rejection(client.callTool("add"))).code).toBe(FAILED);
    await client.close();
    expect(greedy.logins).toHaveLength(4);
    await using refusing = await ProtectedSocket.start();
    refusing.accepted = /never/;
    expect((await rejection(refusing.connect())).code).toBe(FAILED);
    expect([refusing.logins.length, refusing.count("POST /mcp")]).toEqual([1, 2]);
  },
);

verifies(
  "client-auth:refresh:one-flight",
  "fifty calls over sockets at the expiry of a token make one refresh",
  async () => {
    await using server = await ProtectedSocket.start();
    let now = 0;
    const client = await server.connect(server.oauth({ now: () => now }));
    now = 4_000_000;
    await Promise.all(Array.from({ length: 50 }, () => client.callTool("add")));
    await client.close();

    expect(server.count("POST /token")).toBe(2);
    expect(server.logins).toHaveLength(1);
  },
);
