import { spawnSync } from "node:child_process";
import { lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { FileAuthorizationStore } from "parley-mcp/oauth/node";
import {
  type AuthorizationServer,
  authorizationServer,
  hashPassword,
  InMemoryAuthorizationStore,
} from "parley-mcp/oauth/server";
import { expect } from "vitest";
import { LoginBrowser, LoginServer, REDIRECT, SERVICE_SECRET } from "../../src/oauth/login-server.js";
import { verifies } from "../../src/verifies.js";

const METADATA = { client_name: "Registered", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" };
const DOCUMENT_URL = "https://client.example/metadata.json";
const DOCUMENT = { client_id: DOCUMENT_URL, client_name: "Documented", redirect_uris: [REDIRECT] };
/** The server has no certificate on a loopback host. */
const INSECURE = { [oauth.allowInsecureRequests]: true };

verifies("hosting:auth:as-router", "a host serves all endpoints by one function, and its own paths", async () => {
  await using server = await LoginServer.start();
  const statuses: Record<string, number> = {};
  for (const path of [
    "/.well-known/oauth-authorization-server",
    "/jwks",
    "/authorize",
    "/token",
    "/register",
    "/revoke",
    "/other",
  ]) {
    statuses[path] = (await server.fetch(path)).status;
  }
  expect(statuses).toEqual({
    "/.well-known/oauth-authorization-server": 200,
    "/jwks": 200,
    "/authorize": 400,
    "/token": 405,
    "/register": 405,
    "/revoke": 405,
    "/other": 404,
  });
});

verifies("oauth-server:metadata", "metadata of an issuer with a path names endpoints below the path", async () => {
  const issuer = "https://auth.example/tenant";
  const login = authorizationServer({ issuer, resources: ["https://mcp.example/mcp"], users: [] });
  for (const path of [
    "/.well-known/oauth-authorization-server/tenant",
    "/.well-known/openid-configuration/tenant",
    "/tenant/.well-known/openid-configuration",
  ]) {
    const response = await login.handle(new Request(new URL(path, issuer)));
    expect(await response?.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  }
});

verifies("oauth-server:secure-issuer", "an http issuer is refused with advice, except on a loopback host", () => {
  const options = { resources: ["https://mcp.example/mcp"], users: [] };
  expect(() => authorizationServer({ ...options, issuer: "http://auth.example" })).toThrow(
    "issuer must be an https URL",
  );
  expect(authorizationServer({ ...options, issuer: "http://localhost:3000" }).issuer).toBe("http://localhost:3000");
});

verifies("oauth-server:cors", "pages of any origin may read metadata and tokens, and no login page", async () => {
  await using server = await LoginServer.start();
  const headers = { origin: "https://page.example" };
  const allowed = async (path: string, init: RequestInit = {}) =>
    (await server.fetch(path, { headers, ...init })).headers.get("access-control-allow-origin");

  for (const path of ["/.well-known/oauth-authorization-server", "/jwks", "/token", "/register", "/revoke"]) {
    expect(await allowed(path)).toBe("*");
    expect(await allowed(path, { method: "OPTIONS" })).toBe("*");
  }
  expect(await allowed(server.authorizeUrl())).toBeNull();
  expect(await allowed("/authorize", { method: "OPTIONS" })).toBeNull();
});

verifies("oauth-server:foreign-client", "oauth4webapi uses the server with its own checks of all answers", async () => {
  await using server = await LoginServer.start();
  const issuer = new URL(server.origin);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...INSECURE });
  const as = await oauth.processDiscoveryResponse(issuer, discovered);
  const wanted = {
    ...METADATA,
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["authorization_code", "refresh_token"],
  };
  const registered = await oauth.dynamicClientRegistrationRequest(as, wanted, INSECURE);
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  const authentication = oauth.ClientSecretBasic(`${client.client_secret}`);
  const verifier = oauth.generateRandomCodeVerifier();
  const browser = new LoginBrowser(server);
  await browser.authorize({
    client_id: client.client_id,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    state: "s",
  });
  await browser.logInAndAllow();

  const answer = oauth.validateAuthResponse(as, client, new URL(`${browser.location}`), "s");
  const redeemed = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    answer,
    REDIRECT,
    verifier,
    INSECURE,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, redeemed);
  const refreshed = await oauth.refreshTokenGrantRequest(
    as,
    client,
    authentication,
    `${tokens.refresh_token}`,
    INSECURE,
  );
  const { access_token } = await oauth.processRefreshTokenResponse(as, client, refreshed);
  const request = new Request(server.resource, { headers: { authorization: `Bearer ${access_token}` } });
  const claims = await oauth.validateJwtAccessToken(as, request, server.resource, INSECURE);
  expect(claims).toMatchObject({ sub: "alice", client_id: client.client_id, scope: "read write" });
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, client, authentication, access_token, INSECURE),
  );
  const introspected = await oauth.introspectionRequest(as, client, authentication, access_token, INSECURE);
  expect(await oauth.processIntrospectionResponse(as, client, introspected)).toMatchObject({ active: false });
});

verifies("oauth-server:dpop", "a proof of possession needs a nonce, and binds both tokens to its key", async () => {
  await using server = await LoginServer.start();
  const issuer = new URL(server.origin);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...INSECURE }),
  );
  const client: oauth.Client = { client_id: "app" };
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair("ES256"));
  const verifier = oauth.generateRandomCodeVerifier();
  const browser = new LoginBrowser(server);
  await browser.authorize({ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), state: "s" });
  await browser.logInAndAllow();
  const answer = oauth.validateAuthResponse(as, client, new URL(`${browser.location}`), "s");
  const redeem = async () => {
    const options = { ...INSECURE, DPoP };
    const sent = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      answer,
      REDIRECT,
      verifier,
      options,
    );
    return oauth.processAuthorizationCodeResponse(as, client, sent);
  };

  const refused = await redeem().catch((error: unknown) => error);
  expect(oauth.isDPoPNonceError(refused)).toBe(true);
  const tokens = await redeem();
  expect(tokens.token_type).toBe("dpop");
  expect((await server.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
});

verifies("oauth-server:dpop-replay", "a proof may be used again after a failure, and not after a success", async () => {
  await using server = await LoginServer.start();
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = await exportJWK(publicKey);
  const credentials = { client_id: "service", client_secret: SERVICE_SECRET, grant_type: "client_credentials" };
  const send = async (proof: string, form: object = {}) =>
    server.post("/token", { ...credentials, ...form }, { dpop: proof });
  const prove = (nonce = "") =>
    new SignJWT({ htm: "POST", htu: `${server.origin}/token`, jti: "1", nonce })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk })
      .setIssuedAt()
      .sign(privateKey);

  const asked = await send(await prove());
  const proof = await prove(`${asked.headers.get("dpop-nonce")}`);
  const refused = [await send(proof, { scope: "unknown" }), await send(proof, { client_secret: "wrong" })];
  const [granted, replayed] = [await send(proof), await send(proof)];

  expect(refused.map(({ body }) => body.error)).toEqual(["invalid_scope", "invalid_client"]);
  expect(granted.body.token_type).toBe("DPoP");
  expect([replayed.status, replayed.body.error]).toEqual([400, "invalid_dpop_proof"]);
});

verifies("oauth-server:dpop-processes", "two processes with one store accept each other's nonces", async () => {
  const [issuer, store] = ["http://127.0.0.1:3000", new InMemoryAuthorizationStore()];
  const service = { clientId: "service", clientSecret: SERVICE_SECRET, grantTypes: ["client_credentials"] } as const;
  const options = { issuer, resources: [`${issuer}/mcp`], users: [], clients: [service], store };
  const processes = [authorizationServer(options), authorizationServer(options)] as const;
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = await exportJWK(publicKey);
  const form = { client_id: "service", client_secret: SERVICE_SECRET, grant_type: "client_credentials" };
  const send = async (process: AuthorizationServer, nonce = "") => {
    const dpop = await new SignJWT({ htm: "POST", htu: `${issuer}/token`, jti: crypto.randomUUID(), nonce })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk })
      .setIssuedAt()
      .sign(privateKey);
    const init = { method: "POST", body: new URLSearchParams(form), headers: { dpop } };
    return (await process.handle(new Request(`${issuer}/token`, init))) as Response;
  };

  let nonce = "";
  const statuses: number[] = [];
  for (const process of [...processes, ...processes]) {
    const answer = await send(process, nonce);
    nonce = `${answer.headers.get("dpop-nonce")}`;
    statuses.push(answer.status);
  }

  expect(statuses).toEqual([400, 200, 200, 200]);
});

verifies("hosting:auth:as:redirect-uri-scheme", "registration accepts https and loopback redirect URIs", async () => {
  await using server = await LoginServer.start();
  for (const uri of ["https://app.example/cb", "http://localhost/cb", "http://127.0.0.1:1/cb", "http://[::1]/cb"]) {
    expect((await server.register({ ...METADATA, redirect_uris: [uri] })).status).toBe(201);
  }
  for (const uri of [
    "javascript:alert(1)",
    "data:text/html,x",
    "https://app.example/cb#fragment",
    "http://app.example/cb",
    "ftp://127.0.0.1/cb",
    "app:/cb",
  ]) {
    const { status, body } = await server.register({ ...METADATA, redirect_uris: [uri] });
    expect([status, body.error]).toEqual([400, "invalid_client_metadata"]);
  }
});

verifies("hosting:auth:as:register-echo", "registration answers with what the client got", async () => {
  await using server = await LoginServer.start();
  const asked = {
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "client_credentials"],
    client_id: "mine",
  };
  const { status, body } = await server.register(asked);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code"],
    token_endpoint_auth_method: "client_secret_basic",
  });
  expect(body.client_id).not.toBe("mine");
  const days = (Number(body.client_secret_expires_at) - Number(body.client_id_issued_at)) / 86_400;
  expect(days).toBe(180);
});

verifies("hosting:auth:as:register-error-response", "a refused registration names the field, as JSON", async () => {
  await using server = await LoginServer.start();
  const { status, headers, body } = await server.register({ ...METADATA, redirect_uris: "none" });
  expect([status, headers.get("content-type")]).toEqual([400, "application/json"]);
  expect(body).toEqual({ error: "invalid_client_metadata", error_description: "redirect_uris must be an array" });
});

verifies("oauth-server:registration-flood", "registrations over a rate are 429, and displace no client", async () => {
  await using server = await LoginServer.start({ registrationRate: { perSecond: 0.001, burst: 3 } });
  const { body } = await server.register(METADATA);
  const client_id = `${body.client_id}`;
  expect(await server.code({ client_id })).toBeDefined();
  await server.register(METADATA);
  await server.register(METADATA);

  const refused = await server.register(METADATA);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  server.aheadMs += 2 * 86_400_000;
  expect(await server.code({ client_id })).toBeDefined();
});

verifies("oauth-server:client-documents", "a metadata document must name its own URL and the redirect", async () => {
  let document: object = DOCUMENT;
  await using server = await LoginServer.start({
    fetch: async () => Response.json(document, { headers: { "cache-control": "no-store" } }),
  });
  const browser = new LoginBrowser(server);
  await browser.authorize({ client_id: DOCUMENT_URL });
  await browser.logIn();
  expect(browser.page).toContain("described by <strong>client.example</strong>");
  const { code } = await browser.submit({ decision: "allow" });
  expect((await server.redeem(code, { client_id: DOCUMENT_URL })).status).toBe(200);

  for (const change of [
    { client_id: "https://other.example/metadata.json" },
    { redirect_uris: ["https://other.example/callback"] },
    { redirect_uris: undefined },
    { client_name: undefined },
    { client_secret: "x" },
  ]) {
    document = { ...DOCUMENT, ...change };
    await browser.authorize({ client_id: DOCUMENT_URL });
    expect(browser.location).toBeNull();
    expect(browser.page).toContain("Login not possible");
  }
});

verifies("oauth-server:document-cache", "a metadata document is kept for its max-age, if at all", async () => {
  let fetches = 0;
  let control = "max-age=60";
  await using server = await LoginServer.start({
    fetch: async () => {
      fetches += 1;
      return Response.json(DOCUMENT, { headers: { "cache-control": control } });
    },
  });
  const ask = () => new LoginBrowser(server).authorize({ client_id: DOCUMENT_URL });
  await ask();
  await ask();
  expect(fetches).toBe(1);
  server.aheadMs += 61_000;
  control = "no-store";
  await ask();
  await ask();
  expect(fetches).toBe(3);
});

verifies("oauth-server:document-shares", "a network with all fetches loses its oldest to another one", async () => {
  let release!: () => void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const login = authorizationServer({
    issuer: "https://login.example",
    resources: ["https://mcp.example/mcp"],
    users: [{ subject: "ann", passwordHash: await hashPassword("secret", { iterations: 10 }) }],
    loginRate: { perSecond: 1_000, burst: 1_000 },
    fetch: async (url) => {
      if (`${url}`.includes("slow.example")) await released;
      return Response.json({ ...DOCUMENT, client_id: `${url}` });
    },
  });
  const authorize = async (client_id: string, address: string) => {
    const url = new URL(String(login.metadata.authorization_endpoint));
    const pkce = { code_challenge: "A".repeat(43), code_challenge_method: "S256" };
    const asked = { client_id, redirect_uri: REDIRECT, response_type: "code", resource: "https://mcp.example/mcp" };
    url.search = `${new URLSearchParams({ ...asked, ...pkce })}`;
    return (await login.handle(new Request(url), { address }))?.status;
  };

  const greedy = Array.from({ length: 64 }, (_, index) => authorize(`https://slow.example/${index}`, "203.0.113.9"));
  expect(await authorize("https://client.example/other.json", "198.51.100.7")).toBe(200);
  expect(await greedy[0]).toBe(503);
  release();
  expect(new Set(await Promise.all(greedy.slice(1)))).toEqual(new Set([200]));
});

verifies("oauth-server:document-addresses", "metadata documents on private addresses are not fetched", async () => {
  const fetched: string[] = [];
  await using server = await LoginServer.start({
    fetch: async (url) => {
      fetched.push(`${url}`);
      return Response.json(DOCUMENT);
    },
  });
  for (const host of ["169.254.169.254", "[fe80::1]", "10.0.0.1", "192.168.1.1", "127.0.0.1", "[::1]", "localhost"]) {
    const browser = new LoginBrowser(server);
    await browser.authorize({ client_id: `https://${host}/metadata.json` });
    expect(browser.location).toBeNull();
    expect(browser.page).toContain("Login not possible");
  }
  expect(fetched).toEqual([]);
});

verifies("oauth-server:file-store", "a login outlives a restart in a file without tokens", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-login-"));
  try {
    const path = join(folder, "store.json");
    await using first = await LoginServer.start({ store: await FileAuthorizationStore.open(path) });
    const code = `${await first.code()}`;
    const { body } = await first.redeem(code);

    const reopened = await FileAuthorizationStore.open(path);
    await using second = await LoginServer.start({ store: reopened });
    expect((await second.refresh(body.refresh_token)).status).toBe(200);
    const text = await readFile(path, "utf8");
    for (const secret of [code, `${body.refresh_token}`]) expect(text).not.toContain(secret.split(".")[1]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** A path in a folder that goes with the test. */
async function temporaryPath() {
  const folder = await mkdtemp(join(tmpdir(), "parley-login-"));
  return {
    path: join(folder, "store.jsonl"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

verifies("oauth-server:file-store-lock", "a file store refuses a second process while the first runs", async () => {
  await using temporary = await temporaryPath();
  const { path } = temporary;
  const lock = `${path}.lock`;
  const first = await FileAuthorizationStore.open(path);
  const text = await readFile(lock, "utf8");
  await first.close();
  const writeLock = (pid: number) => writeFile(lock, text.replace(String(process.pid), String(pid)));
  await writeLock(process.ppid);
  await expect(FileAuthorizationStore.open(path, { lockTimeoutMs: 1 })).rejects.toThrow(`${lock} is held by`);

  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await writeLock(pid);
  await using store = await FileAuthorizationStore.open(path, { lockTimeoutMs: 5_000 });
  expect(await store.get("clients", "app")).toBeUndefined();
});

verifies("oauth-server:file-store-link", "a store behind a symbolic link writes the linked file", async () => {
  await using temporary = await temporaryPath();
  const { path } = temporary;
  await symlink("data.jsonl", path);
  await using store = await FileAuthorizationStore.open(path);
  await using server = await LoginServer.start({ store });
  await server.redeem(await server.code());

  expect((await lstat(path)).isSymbolicLink()).toBe(true);
  expect((await lstat(join(dirname(path), "data.jsonl"))).isFile()).toBe(true);
});

verifies("oauth-server:file-store-link", "a store refuses a link to a link whose file is missing", async () => {
  await using temporary = await temporaryPath();
  const { path } = temporary;
  const second = join(dirname(path), "second.jsonl");
  await symlink("missing.jsonl", second);
  await symlink("second.jsonl", path);

  await expect(FileAuthorizationStore.open(path)).rejects.toThrow("let it name the file itself");
  expect((await lstat(second)).isSymbolicLink()).toBe(true);
});

verifies("oauth-server:file-store-suspended", "a process does not overwrite changes of another one", async () => {
  await using temporary = await temporaryPath();
  const { path } = temporary;
  await using store = await FileAuthorizationStore.open(path);
  const record = (isRevoked: true) => () => ({ value: { isRevoked }, expiresAt: Date.now() + 60_000 });
  await store.update("revoked", "ours", record(true));
  const theirs = (await readFile(path, "utf8")).replaceAll("ours", "theirs-as-well");
  await rm(`${path}.lock`);
  await writeFile(path, theirs);

  await expect(store.update("revoked", "later", record(true))).rejects.toThrow("was taken over by another process");
  await expect(store.get("revoked", "ours")).rejects.toThrow("was taken over by another process");
  expect(await readFile(path, "utf8")).toBe(theirs);
});

verifies("oauth-server:file-store-folder", "a store makes the folder of its file, with its parents", async () => {
  await using temporary = await temporaryPath();
  const folder = join(dirname(temporary.path), "state", "login");
  await using store = await FileAuthorizationStore.open(join(folder, "store.jsonl"));

  expect(await store.get("clients", "app")).toBeUndefined();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

verifies("oauth-server:mistakes", "wrong options are refused at the start with what to write", async () => {
  const issuer = "http://127.0.0.1:3000";
  const resource = `${issuer}/mcp`;
  const mistakes: [object, string][] = [
    [{ issuer, resources: [resource], users: [], scopes: [] }, 'authorizationServer: there is no option "scopes"'],
    [{ issuer, users: [] }, "resources"],
    [{ issuer, resources: [`${resource}#part`], users: [] }, "fragment"],
    [{ issuer, resources: [resource] }, "give one of users, login and autoApprove"],
  ];
  for (const [options, message] of mistakes) {
    expect(() => authorizationServer(options as never)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(message) }),
    );
  }
});
