import { decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from "jose";
import { authorizationServer, hashPassword, InMemoryAuthorizationStore } from "parley-mcp/oauth/server";
import { expect } from "vitest";
import {
  LoginBrowser,
  type LoginOptions,
  LoginServer,
  REDIRECT,
  SERVICE_SECRET,
} from "../../src/oauth/login-server.js";
import { verifies } from "../../src/verifies.js";

const INVALID_GRANT = { status: 400, body: { error: "invalid_grant" } };
const CREDENTIALS = { grant_type: "client_credentials" };
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

verifies("hosting:auth:as:verifier-mismatch", "a code with a wrong verifier gets nothing and stays valid", async () => {
  await using server = await LoginServer.start();
  const code = await server.code();
  expect(await server.redeem(code, { code_verifier: "w".repeat(43) })).toMatchObject(INVALID_GRANT);
  expect((await server.redeem(code)).status).toBe(200);
});

verifies(
  "hosting:auth:as:code-single-use",
  "a code that is used twice revokes the tokens of the first use",
  async () => {
    await using server = await LoginServer.start();
    const code = await server.code();
    const { body } = await server.redeem(code);

    expect(await server.redeem(code)).toMatchObject(INVALID_GRANT);
    expect(await server.refresh(body.refresh_token)).toMatchObject(INVALID_GRANT);
    await expect(server.login.verifyAccessToken(`${body.access_token}`)).rejects.toThrow("revoked");
  },
);

verifies(
  "hosting:auth:as:redirect-uri-binding",
  "authorization, registration and token endpoints compare redirect URIs exactly, except for a loopback port",
  async () => {
    await using server = await LoginServer.start();
    const code = await server.code({ redirect_uri: "http://127.0.0.1:4999/callback" });
    expect(await server.redeem(code, { redirect_uri: REDIRECT })).toMatchObject(INVALID_GRANT);
    expect((await server.redeem(code, { redirect_uri: "http://127.0.0.1:4999/callback" })).status).toBe(200);

    const browser = new LoginBrowser(server);
    await browser.authorize({ redirect_uri: `${REDIRECT}/more` });
    expect([browser.status, browser.location]).toEqual([400, null]);
  },
);

verifies("hosting:auth:as:token-cache-headers", "token responses and token errors are never cacheable", async () => {
  await using server = await LoginServer.start();
  for (const { headers } of [await server.redeem(await server.code()), await server.redeem("nonsense")]) {
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

verifies("oauth-server:refresh-rotation", "each refresh replaces its token and keeps the scopes", async () => {
  await using server = await LoginServer.start();
  let { body } = await server.redeem(await server.code({ scope: "read" }));
  for (let round = 0; round < 3; round++) {
    const before = body.refresh_token;
    ({ body } = await server.refresh(before));
    expect(body.refresh_token).not.toBe(before);
    expect(await server.login.verifyAccessToken(`${body.access_token}`)).toMatchObject({
      audience: server.resource,
      scopes: ["read"],
    });
  }
  expect((await server.refresh(body.refresh_token, { scope: "read write" })).body.error).toBe("invalid_scope");
});

verifies(
  "oauth-server:refresh-reuse",
  "a refresh token that comes back after its successor was used ends the login, whoever sends it",
  async () => {
    await using server = await LoginServer.start();
    const { body: first } = await server.redeem(await server.code());
    const { body: second } = await server.refresh(first.refresh_token);
    const { body: third } = await server.refresh(second.refresh_token);

    expect(await server.refresh(first.refresh_token)).toMatchObject(INVALID_GRANT);
    expect(await server.refresh(third.refresh_token)).toMatchObject(INVALID_GRANT);
    await expect(server.login.verifyAccessToken(`${third.access_token}`)).rejects.toThrow("revoked");
  },
);

verifies(
  "oauth-server:refresh-lost-answer",
  "a client whose answer was lost refreshes again, and a thief with the lost token ends the login",
  async () => {
    await using server = await LoginServer.start();
    const { body: first } = await server.redeem(await server.code());
    const { body: lost } = await server.refresh(first.refresh_token);
    const { body: second } = await server.refresh(first.refresh_token);
    expect(await server.login.verifyAccessToken(`${second.access_token}`)).toMatchObject({ subject: "alice" });

    expect(await server.refresh(lost.refresh_token)).toMatchObject(INVALID_GRANT);
    expect(await server.refresh(second.refresh_token)).toMatchObject(INVALID_GRANT);
  },
);

verifies("oauth-server:short-lived-tokens", "an access token expires after ten minutes", async () => {
  await using server = await LoginServer.start();
  const { body } = await server.redeem(await server.code());
  expect(body.expires_in).toBe(600);
  server.aheadMs += 601_000;
  await expect(server.login.verifyAccessToken(`${body.access_token}`)).rejects.toThrow("expired");
});

verifies("oauth-server:client-authentication", "public clients need PKCE, and confidential ones a secret", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwks = { keys: [await exportJWK(publicKey)] };
  await using server = await LoginServer.start({
    clients: [
      { clientId: "app", redirectUris: [REDIRECT] },
      { clientId: "service", clientSecret: SERVICE_SECRET, grantTypes: ["client_credentials"] },
      { clientId: "signer", jwks, grantTypes: ["client_credentials"] },
    ],
  });
  const client_assertion = await new SignJWT({ iss: "signer", sub: "signer", aud: server.origin, jti: "1" })
    .setProtectedHeader({ alg: "ES256" })
    .setExpirationTime("1m")
    .sign(privateKey);
  const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const signed = { ...CREDENTIALS, client_assertion, client_assertion_type };

  expect((await server.redeem(await server.code())).status).toBe(200);
  expect((await server.service("/token", CREDENTIALS)).status).toBe(200);
  expect(
    (await server.post("/token", { ...CREDENTIALS, client_id: "service", client_secret: SERVICE_SECRET })).status,
  ).toBe(200);
  expect((await server.post("/token", signed)).status).toBe(200);
  const refused = { status: 401, body: { error: "invalid_client" } };
  expect(await server.post("/token", signed)).toMatchObject(refused);
  expect(await server.post("/token", { ...CREDENTIALS, client_id: "service" })).toMatchObject(refused);
  expect(await server.post("/token", { ...CREDENTIALS, client_id: "service", client_secret: "x" })).toMatchObject(
    refused,
  );
});

verifies("oauth-server:client-credentials", "a confidential client gets a token for itself", async () => {
  await using server = await LoginServer.start({
    clients: [
      { clientId: "app" },
      { clientId: "service", clientSecret: SERVICE_SECRET, grantTypes: ["client_credentials"] },
    ],
  });
  const { body } = await server.service("/token", { ...CREDENTIALS, scope: "read", resource: server.resource });
  expect(await server.login.verifyAccessToken(`${body.access_token}`)).toMatchObject({
    subject: "service",
    scopes: ["read"],
  });
  const refused = await server.post("/token", { ...CREDENTIALS, client_id: "app" });
  expect(refused.body.error).toBe("unauthorized_client");
});

verifies("oauth-server:identity-assertions", "an assertion of a trusted provider is exchanged once", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwks = { keys: [await exportJWK(publicKey)] };
  const idp = "https://idp.example";
  await using server = await LoginServer.start({ trustedIssuers: [{ issuer: idp, jwks }] });
  let count = 0;
  const exchange = async (claims: Record<string, unknown> = {}, typ = "oauth-id-jag+jwt") => {
    const all = {
      iss: idp,
      sub: "carol",
      aud: server.origin,
      resource: server.resource,
      client_id: "service",
      jti: `${++count}`,
    };
    const signing = new SignJWT({ ...all, ...claims }).setProtectedHeader({ alg: "ES256", typ });
    const assertion = await signing.setIssuedAt().setExpirationTime("5m").sign(privateKey);
    return server.service("/token", { grant_type: JWT_BEARER, assertion });
  };

  const { body } = await exchange();
  expect(await server.login.verifyAccessToken(`${body.access_token}`)).toMatchObject({ subject: `${idp}|carol` });
  expect(await exchange({ jti: "1" })).toMatchObject(INVALID_GRANT);
  expect(await exchange({ aud: "https://other.example" })).toMatchObject(INVALID_GRANT);
  expect(await exchange({ client_id: "app" })).toMatchObject(INVALID_GRANT);
  expect(await exchange({ iss: "https://evil.example" })).toMatchObject(INVALID_GRANT);
  expect(await exchange({}, "JWT")).toMatchObject(INVALID_GRANT);
});

verifies("oauth-server:assertion-scope", "a request for none of the asserted scopes is invalid_scope", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const idp = "https://idp.example";
  const jwks = { keys: [await exportJWK(publicKey)] };
  await using server = await LoginServer.start({ trustedIssuers: [{ issuer: idp, jwks }] });
  const exchange = async (asserted: unknown, scope: string) => {
    const claims = { iss: idp, sub: "carol", aud: server.origin, resource: server.resource, client_id: "service" };
    const assertion = await new SignJWT({ ...claims, jti: crypto.randomUUID(), scope: asserted })
      .setProtectedHeader({ alg: "ES256", typ: "oauth-id-jag+jwt" })
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(privateKey);
    return server.service("/token", { grant_type: JWT_BEARER, assertion, scope });
  };

  expect((await exchange("read", "read write")).body.scope).toBe("read");
  expect(await exchange("read", "write")).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
  expect(await exchange(["read"], "read")).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
});

verifies("oauth-server:revocation", "a revoked token is refused, and only its client can revoke it", async () => {
  await using server = await LoginServer.start();
  const { body } = await server.redeem(await server.code());
  const introspect = async (token: unknown) => (await server.service("/introspect", { token: `${token}` })).body.active;
  expect([await introspect(body.access_token), await introspect(body.refresh_token)]).toEqual([true, true]);

  expect((await server.service("/revoke", { token: `${body.refresh_token}` })).status).toBe(200);
  expect(await introspect(body.access_token)).toBe(true);
  expect((await server.post("/revoke", { client_id: "app", token: `${body.refresh_token}` })).status).toBe(200);
  expect([await introspect(body.access_token), await introspect(body.refresh_token)]).toEqual([false, false]);
  await expect(server.login.verifyAccessToken(`${body.access_token}`)).rejects.toMatchObject({
    code: "invalid_token",
  });
});

verifies("oauth-server:key-rotation", "signing keys are rotated while tokens of the old key stay valid", async () => {
  await using server = await LoginServer.start({ keyMs: 10_000_000 });
  const keyCount = async () => ((await (await server.fetch("/jwks")).json()) as { keys: unknown[] }).keys.length;
  await server.service("/token", CREDENTIALS);
  server.aheadMs += 9_990_000;
  const { body } = await server.service("/token", CREDENTIALS);
  server.aheadMs += 10_000;

  expect(await keyCount()).toBe(2);
  expect(await server.login.verifyAccessToken(`${body.access_token}`)).toMatchObject({ subject: "service" });
  const keyOf = async () => {
    const issued = await server.service("/token", CREDENTIALS);
    return decodeProtectedHeader(`${issued.body.access_token}`).kid;
  };
  const first = decodeProtectedHeader(`${body.access_token}`).kid;
  server.aheadMs += 300_000;
  expect(await keyOf()).toBe(first);
  server.aheadMs += 300_000;
  expect(await keyOf()).not.toBe(first);
  server.aheadMs += 700_000;
  expect(await keyCount()).toBe(1);
});

verifies("oauth-server:clock-set-back", "a key of a clock that was a year ahead is replaced in time", async () => {
  const yearMs = 31_536_000_000;
  await using server = await LoginServer.start({ keyMs: 10_000_000 });
  const keyOf = async () => {
    const { body } = await server.service("/token", CREDENTIALS);
    return decodeProtectedHeader(`${body.access_token}`).kid;
  };
  const first = await keyOf();
  server.aheadMs += yearMs;
  expect(await keyOf()).toBe(first);
  server.aheadMs += 600_000;
  const ahead = await keyOf();
  expect(ahead).not.toBe(first);

  server.aheadMs -= yearMs;
  expect(await keyOf()).toBe(first);
  server.aheadMs += 600_000;
  expect(await keyOf()).toBe(ahead);
  server.aheadMs += 10_000_000;
  await keyOf();
  server.aheadMs += 600_000;
  expect([first, ahead]).not.toContain(await keyOf());
});

verifies("oauth-server:malformed-requests", "malformed token requests are refused with errors of OAuth", async () => {
  await using server = await LoginServer.start();
  const send = async (body: string, type: string) => {
    const response = await server.fetch("/token", { method: "POST", body, headers: { "content-type": type } });
    return { status: response.status, body: await response.json() };
  };
  const form = "application/x-www-form-urlencoded";

  const credentials = `client_id=service&client_secret=${SERVICE_SECRET}&grant_type=client_credentials`;
  expect((await send(`${credentials}&scope=read`, form)).status).toBe(200);
  const repeated = await send(`${credentials}&scope=read&scope=write`, form);
  expect(repeated).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  expect(await send("{}", "application/json")).toMatchObject({ status: 415, body: { error: "invalid_request" } });
  expect(await send("x".repeat(70_000), form)).toMatchObject({ status: 413, body: { error: "invalid_request" } });
  expect(await send("", form)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  expect((await server.redeem(await server.code())).status).toBe(200);
});

verifies("oauth-server:removed-user", "a user who is removed or has a new password cannot refresh", async () => {
  const store = new InMemoryAuthorizationStore();
  await using before = await LoginServer.start({ store });
  const { body: tokens } = await before.redeem(await before.code());
  const { body: others } = await before.redeem(await before.code());

  await using removed = await LoginServer.start({ store, users: [] });
  expect(await removed.refresh(tokens.refresh_token)).toMatchObject(INVALID_GRANT);
  await expect(before.login.verifyAccessToken(`${tokens.access_token}`)).rejects.toThrow("revoked");

  const users = [{ subject: "alice", passwordHash: await hashPassword("another", { iterations: 10 }) }];
  await using changed = await LoginServer.start({ store, users });
  expect(await changed.refresh(others.refresh_token)).toMatchObject(INVALID_GRANT);
});

verifies("oauth-server:client-secrets", "a client secret that is empty, missing or short is refused", async () => {
  const start = (clientSecret: string | undefined) =>
    authorizationServer({
      issuer: "https://login.example.com",
      resources: ["https://mcp.example.com/mcp"],
      users: [],
      clients: [{ clientId: "nightly-job", clientSecret, grantTypes: ["client_credentials"] }],
    });

  for (const unset of ["", "undefined", undefined]) {
    expect(() => start(unset)).toThrow('client "nightly-job": clientSecret: got');
  }
  expect(() => start("hunter2")).toThrow("expected at least 16 characters");
  expect(start(SERVICE_SECRET).issuer).toBe("https://login.example.com");
});

verifies(
  "oauth-server:revoke-all",
  "revokeSubject and revokeClient end past tokens, open logins and sessions of the subject and the client",
  async () => {
    await using server = await LoginServer.start();
    const { body: tokens } = await server.redeem(await server.code());
    const browser = new LoginBrowser(server);
    await browser.authorize();
    await browser.logIn();

    await server.login.revokeSubject("alice");
    await expect(server.login.verifyAccessToken(`${tokens.access_token}`)).rejects.toThrow("revoked");
    expect(await server.refresh(tokens.refresh_token)).toMatchObject(INVALID_GRANT);
    await browser.authorize();
    expect(browser.page).toContain('type="password"');

    const { body: own } = await server.service("/token", CREDENTIALS);
    const { body: client } = await server.register({ redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" });
    await server.login.revokeClient("service");
    await server.login.revokeClient(`${client.client_id}`);
    await expect(server.login.verifyAccessToken(`${own.access_token}`)).rejects.toThrow("revoked");
    await browser.authorize({ client_id: `${client.client_id}` });
    expect(browser.page).toContain("not known here");
  },
);

verifies(
  "oauth-server:introspection-audience",
  "introspection shows a client its own tokens and those for its resources, and any other token as inactive",
  async () => {
    const secret = { clientSecret: SERVICE_SECRET, grantTypes: ["client_credentials"] as const };
    await using server = await LoginServer.start({
      clients: [
        { clientId: "app", redirectUris: [REDIRECT] },
        { clientId: "service", ...secret, introspects: ["https://other.example/mcp"] },
      ],
    });
    const { body } = await server.redeem(await server.code());
    const others = await server.service("/introspect", { token: `${body.access_token}` });
    const { body: own } = await server.service("/token", { grant_type: "client_credentials" });
    const known = await server.service("/introspect", { token: `${own.access_token}` });

    expect(others.body).toEqual({ active: false });
    expect(known.body.active).toBe(true);
  },
);

const IMPOSSIBLE_MS = [Number.POSITIVE_INFINITY, Number.NaN, -1, 0, 1e15];

verifies("oauth-server:durations", "a lifetime over a hundred years or under its minimum is refused", async () => {
  const issuer = "http://127.0.0.1:3000";
  const start = (options: LoginOptions) =>
    authorizationServer({ issuer, resources: [`${issuer}/mcp`], users: [], ...options });
  for (const name of ["refreshIdleMs", "grantMs", "sessionMs", "keyMs"]) {
    for (const ms of IMPOSSIBLE_MS) {
      const message = `${name}: expected milliseconds from 1 to 3155760000000, got ${ms}`;
      expect(() => start({ [name]: ms })).toThrow(expect.objectContaining({ code: "invalid-argument", message }));
    }
  }
  const text = { grantMs: "600000" } as unknown as LoginOptions;
  expect(() => start(text)).toThrow('got the string "600000"; convert it with Number()');
  expect(() => start({ accessTokenMs: 999 })).toThrow("accessTokenMs: expected milliseconds from 1000 to");
  expect(() => start({ accessTokenMs: Number.POSITIVE_INFINITY })).toThrow("accessTokenMs: expected milliseconds");
});

verifies("oauth-server:rates:checked", "a rate of NaN, infinity or zero is refused at the start", async () => {
  const issuer = "http://127.0.0.1:3000";
  const start = (options: LoginOptions) =>
    authorizationServer({ issuer, resources: [`${issuer}/mcp`], users: [], ...options });
  for (const name of ["rate", "registrationRate", "loginRate"]) {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, "8"] as number[]) {
      const complaint = `${name}: expected perSecond above 0 and burst from 1`;
      const refusal = expect.objectContaining({
        code: "invalid-argument",
        message: expect.stringContaining(complaint),
      });
      expect(() => start({ [name]: { perSecond: value, burst: 8 } })).toThrow(refusal);
      expect(() => start({ [name]: { perSecond: 8, burst: value } })).toThrow(refusal);
    }
    expect(() => start({ [name]: { perSecond: 0.1, burst: 1 } })).not.toThrow();
  }
});

/** A store that thirty records of one table overflow, and a rate that lets them through. */
const small = () => ({
  store: new InMemoryAuthorizationStore({ maxRecords: 20 }),
  rate: { perSecond: 1_000, burst: 1_000 },
});

verifies("oauth-server:record-floods", "a flood of revoked tokens displaces none of another client", async () => {
  const clients = ["service", "flood"].map((clientId) => ({
    clientId,
    clientSecret: SERVICE_SECRET,
    grantTypes: ["client_credentials"] as const,
  }));
  await using server = await LoginServer.start({ ...small(), clients });
  const revokedToken = async (clientId: string) => {
    const headers = { authorization: `Basic ${btoa(`${clientId}:${SERVICE_SECRET}`)}` };
    const { access_token } = (await server.post("/token", CREDENTIALS, headers)).body;
    await server.post("/revoke", { token: `${access_token}` }, headers);
    return `${access_token}`;
  };
  const token = await revokedToken("service");
  for (let count = 0; count < 30; count++) await revokedToken("flood");

  await expect(server.login.verifyAccessToken(token)).rejects.toThrow("revoked");
});

verifies("oauth-server:record-floods", "a flood of used assertions displaces none of another client", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwks = { keys: [await exportJWK(publicKey)] };
  const clients = ["service", "flood"].map((clientId) => ({
    clientId,
    jwks,
    grantTypes: ["client_credentials"] as const,
  }));
  await using server = await LoginServer.start({ ...small(), clients });
  const assertion = (clientId: string, jti: string) =>
    new SignJWT({ iss: clientId, sub: clientId, aud: server.origin, jti })
      .setProtectedHeader({ alg: "ES256" })
      .setExpirationTime("1m")
      .sign(privateKey);
  const use = async (client_assertion: string) => {
    const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    return (await server.post("/token", { ...CREDENTIALS, client_assertion, client_assertion_type })).status;
  };
  const used = await assertion("service", "1");
  expect(await use(used)).toBe(200);
  for (let count = 0; count < 30; count++) expect(await use(await assertion("flood", `${count}`))).toBe(200);

  expect(await use(used)).toBe(401);
});
