import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import {
  ISSUER,
  RESOURCE,
  rejection,
  ScriptedAuthorizationServer,
} from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

const scopesOf = (server: ScriptedAuthorizationServer) => server.logins.map((url) => url.searchParams.get("scope"));

verifies(
  "client-auth:scope-selection:priority",
  "scopes come from the challenge, else the resource, else the configuration, and never from the authorization server",
  async () => {
    const asked: (string | null | undefined)[] = [];
    for (const known of ["challenge", "resource", "configured", "none"]) {
      const server = new ScriptedAuthorizationServer();
      server.describe({ scopes_supported: ["everything"] });
      if (known === "challenge") server.challenge += ', scope="challenged"';
      if (known === "challenge" || known === "resource") server.describeResource({ scopes_supported: ["a", "b"] });
      await (await server.connect(server.oauth({ scopes: known === "none" ? [] : ["configured"] }))).close();
      asked.push(scopesOf(server)[0]);
    }

    expect(asked).toEqual(["challenged", "a b", "configured", null]);
  },
);

verifies(
  "client-auth:scope:offline-access-gate",
  "offline_access is asked for with consent if it is offered, wanted, and not alone",
  async () => {
    const asked: unknown[] = [];
    for (const [scopes, offered, offlineAccess] of [
      [["read"], ["read", "offline_access"], undefined],
      [["read"], ["read"], undefined],
      [["read"], ["read", "offline_access"], false],
      [[], ["offline_access"], undefined],
    ] as const) {
      const server = new ScriptedAuthorizationServer();
      server.describe({ scopes_supported: offered });
      await (await server.connect(server.oauth({ scopes, offlineAccess }))).close();
      asked.push([scopesOf(server)[0], server.logins[0]?.searchParams.get("prompt")]);
    }

    expect(asked).toEqual([
      ["read offline_access", "consent"],
      ["read", null],
      ["read", null],
      [null, null],
    ]);
  },
);

verifies(
  ["client-auth:403-scope-upgrade", "client-auth:stepup:scope-union"],
  "a 403 leads to a login for the old and the new scopes, refresh token or not, and the call goes out again",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.challenge += ', scope="read"';
    server.scopes.set("tools/call", "write");
    const client = await server.connect();
    const { content } = await client.callTool("add");
    await client.close();

    expect(content).toHaveLength(1);
    expect(scopesOf(server)).toEqual(["read", "read write"]);
    expect(server.to("/token").map(({ form }) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "authorization_code",
    ]);
  },
);

verifies(
  "client-auth:stepup:refresh-bypass-on-superset",
  "a 401 for the scopes of the token leads to a refresh, and one for more to a login",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.challenge += ', scope="read"';
    const client = await server.connect();
    server.revokeAll();
    await client.callTool("add");
    server.revokeAll();
    server.challenge = server.challenge.replace('"read"', '"read write"');
    await client.callTool("add");
    await client.close();

    expect(server.to("/token").map(({ form }) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
      "authorization_code",
    ]);
    expect(scopesOf(server)).toEqual(["read", "read write"]);
  },
);

verifies(
  "client-auth:stepup:retry-cap",
  "a server that is never content gets three logins in one call, and three for one set of scopes",
  async () => {
    const greedy = new ScriptedAuthorizationServer();
    const client = await greedy.connect();
    let turn = 0;
    greedy.answers.set(`POST ${RESOURCE}`, () => {
      const challenge = `Bearer error="insufficient_scope", scope="s${++turn}"`;
      return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    });
    const error = await rejection(client.callTool("add"));
    expect(error).toMatchObject({ code: "authorization-failed", status: 403 });
    expect(scopesOf(greedy)).toEqual([null, "s1", "s1 s2", "s1 s2 s3"]);
    await client.close();
    const stubborn = new ScriptedAuthorizationServer();
    const other = await stubborn.connect();
    const challenge = `Bearer error="insufficient_scope", scope="never"`;
    stubborn.answers.set(
      `POST ${RESOURCE}`,
      () => new Response(null, { status: 403, headers: { "www-authenticate": challenge } }),
    );
    for (let call = 1; call <= 5; call++) {
      expect((await rejection(other.callTool("add"))).code).toBe("authorization-failed");
      expect(stubborn.logins).toHaveLength(1 + Math.min(call, 3));
    }
    stubborn.answers.delete(`POST ${RESOURCE}`);
    await other.callTool("add");
    await other.close();
  },
);

verifies(
  "client-auth:stepup:throw-mode",
  "a call with stepUp throw rejects with the scopes that it needs, and nobody logs in",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.challenge += ', scope="read"';
    server.scopes.set("tools/call", "write");
    const client = await server.connect(server.oauth({ stepUp: "throw" }));
    const error = await rejection(client.callTool("add"));
    await client.close();

    expect(error).toMatchObject({
      code: "authorization-required",
      reason: "scopes",
      scopes: ["read", "write"],
      issuer: ISSUER,
      resource: RESOURCE,
      status: 403,
    });
    expect(server.logins).toHaveLength(1);
  },
);

verifies(
  "client-auth:stepup:get-stream-403",
  "a 403 on the GET of a legacy session leads to a login, and the stream opens",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.scopes.set("GET", "listen");
    const opened = deferred<number>();
    server.answers.set(`GET ${RESOURCE}`, async (request) => {
      const response = await server.call(request);
      if (response.ok) opened.resolve(response.status);
      return response;
    });
    const client = await server.connect(undefined, { revisions: ["2025-11-25"] });
    expect(await opened.promise).toBe(200);
    await client.close();

    expect(scopesOf(server)).toEqual([null, "listen"]);
  },
);
