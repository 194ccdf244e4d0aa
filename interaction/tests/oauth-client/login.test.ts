import { Client } from "parley-mcp/client";
import { OAuthError } from "parley-mcp/oauth";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import {
  ISSUER,
  REDIRECT_URI,
  RESOURCE,
  rejection,
  ScriptedAuthorizationServer,
} from "../../src/oauth/scripted-authorization-server.js";
import { verifies } from "../../src/verifies.js";

/** A server whose responses to a login have these fields besides or instead of the usual ones. */
function responding(fields: Record<string, string | undefined>): ScriptedAuthorizationServer {
  const server = new ScriptedAuthorizationServer();
  const usual = server.respond;
  server.respond = (url, code) => {
    const entries = Object.entries({ ...usual(url, code), ...fields });
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
  };
  return server;
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(digest).toString("base64url");
}

verifies("client-auth:pkce:s256", "the verifier of the token request answers the challenge of the login", async () => {
  const server = new ScriptedAuthorizationServer();
  await (await server.connect()).close();

  const asked = server.logins[0]?.searchParams;
  const verifier = server.to("/token")[0]?.form.get("code_verifier") ?? "";
  expect(asked?.get("code_challenge_method")).toBe("S256");
  expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
  expect(asked?.get("code_challenge")).toBe(await sha256(verifier));
});

verifies(
  "client-auth:pkce:refuse-if-unsupported",
  "a server that does not list S256 is refused, at a step-up as well, before anybody registers or logs in",
  async () => {
    for (const code_challenge_methods_supported of [undefined, ["plain"]]) {
      const server = new ScriptedAuthorizationServer();
      server.describe({ code_challenge_methods_supported });
      const error = await rejection(server.connect());
      expect(error.code).toBe("authorization-failed");
      expect(error.message).toContain("code_challenge_methods_supported");
      expect([server.to("/register").length, server.logins.length]).toEqual([0, 0]);
    }
    const changing = new ScriptedAuthorizationServer();
    let now = 0;
    const client = await changing.connect(changing.oauth({ now: () => now }));
    changing.describe({ code_challenge_methods_supported: undefined });
    now = 400_000;
    changing.scopes.set("tools/call", "write");
    const error = await rejection(client.callTool("add"));
    await client.close();

    expect(error.code).toBe("authorization-failed");
    expect(changing.logins).toHaveLength(1);
  },
);

verifies("client-auth:state:verify", "a response with another state, or none, gets no token", async () => {
  for (const state of ["other", undefined]) {
    const server = responding({ state });
    const error = await rejection(server.connect());
    expect(error.code).toBe("authorization-failed");
    expect(server.to("/token")).toEqual([]);
  }
  const server = new ScriptedAuthorizationServer();
  await (await server.connect()).close();
  expect(server.logins[0]?.searchParams.get("state")?.length).toBeGreaterThan(20);
});

verifies(
  "client-auth:iss:match",
  "the recorded issuer is accepted, and so is no iss where none is advertised",
  async () => {
    await (await new ScriptedAuthorizationServer().connect()).close();
    const silent = responding({ iss: undefined });
    silent.describe({ authorization_response_iss_parameter_supported: undefined });
    const client = await silent.connect();
    await client.close();

    expect(silent.to("/token")).toHaveLength(1);
  },
);

verifies(
  "client-auth:iss:mismatch-reject",
  "an iss that differs in any byte gets no token, whether it is advertised or not",
  async () => {
    for (const iss of ["https://evil.example.com", `${ISSUER}/`, ISSUER.toUpperCase(), `${ISSUER}:443`]) {
      for (const isAdvertised of [true, false]) {
        const server = responding({ iss });
        server.describe({ authorization_response_iss_parameter_supported: isAdvertised });
        const error = await rejection(server.connect());
        expect(error.code).toBe("authorization-failed");
        expect(server.to("/token")).toEqual([]);
      }
    }
  },
);

verifies("client-auth:iss:supported-missing-reject", "a missing iss gets no token if it is advertised", async () => {
  const server = responding({ iss: undefined });
  const error = await rejection(server.connect());

  expect(error.code).toBe("authorization-failed");
  expect(server.to("/token")).toEqual([]);
});

verifies("client-auth:iss:hides-errors", "nothing of an error is shown whose iss is wrong", async () => {
  const fields = {
    iss: "https://evil.example.com",
    code: undefined,
    error: "boom_code",
    error_description: "call 555",
  };
  const error = await rejection(responding(fields).connect());

  expect(error.code).toBe("authorization-failed");
  expect(`${error.message} ${String(error.cause)}`).not.toMatch(/boom_code|call 555/);
});

verifies(
  "client-auth:authorize:error-surfaces",
  "an error response rejects with its code and description, and no token is requested",
  async () => {
    const server = responding({ code: undefined, error: "access_denied", error_description: "The user\u001b said no" });
    const error = await rejection(server.connect());

    expect(error.code).toBe("authorization-failed");
    expect(error.cause).toBeInstanceOf(OAuthError);
    expect(error.cause).toMatchObject({ code: "access_denied", description: "The user  said no" });
    expect(server.to("/token")).toEqual([]);
  },
);

verifies("client-auth:login-shared", "two connections that need a login at once share it", async () => {
  const server = new ScriptedAuthorizationServer();
  const authorization = server.oauth();
  const clients = await Promise.all([server.connect(authorization), server.connect(authorization)]);
  for (const client of clients) await client.close();

  expect(server.logins).toHaveLength(1);
  expect(server.to("/register")).toHaveLength(1);
});

verifies(
  "client-auth:login-abandoned",
  "a login ends when its last call is aborted, and when nobody logs in for too long",
  async () => {
    const server = new ScriptedAuthorizationServer();
    const shown = deferred<AbortSignal>();
    const ended = deferred();
    const receive = (_url: URL, _state: string, signal: AbortSignal) => {
      shown.resolve(signal);
      signal.addEventListener("abort", () => ended.resolve());
      return new Promise<URLSearchParams>(() => undefined);
    };
    const hanging = server.oauth({ redirect: { redirectUri: REDIRECT_URI, receive } });
    const waiting = new AbortController();
    const target = { url: RESOURCE, authorization: hanging, fetch: server.fetch };
    const connecting = rejection(new Client({ name: "c", version: "1" }).open(target, { signal: waiting.signal }));
    const signal = await shown.promise;
    expect(signal.aborted).toBe(false);
    waiting.abort();
    await ended.promise;
    const impatient = server.oauth({ redirect: { redirectUri: REDIRECT_URI, receive }, loginTimeoutMs: 5 });
    const late = await rejection(server.connect(impatient));

    expect((await connecting).code).toBe("request-aborted");
    expect(late.code).toBe("authorization-failed");
    expect(late.message).toContain("within 5 ms");
  },
);

verifies(
  "client-auth:headless",
  "a client without a way to show a login rejects with resource, issuer and scopes",
  async () => {
    const server = new ScriptedAuthorizationServer();
    server.challenge += `, scope="read write"`;
    const error = await rejection(server.connect(server.oauth({ redirect: undefined })));

    expect(error).toMatchObject({
      code: "authorization-required",
      reason: "login",
      resource: RESOURCE,
      issuer: ISSUER,
      scopes: ["read", "write"],
      status: 401,
    });
    expect(server.to("/register")).toEqual([]);
  },
);
