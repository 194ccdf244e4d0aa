import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, it } from "vitest";
import { createDpopProof, type DpopKey, generateDpopKey } from "../grammar/dpop-proof.js";
import {
  type Answer,
  answerOf,
  ISSUER,
  REDIRECT,
  RESOURCE,
  storeWithPublicClient,
  TestBrowser,
  TestServer,
} from "./authorization-server.fixture.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";

const TOKEN_URL = `${ISSUER}/token`;

describe("a code", () => {
  it("is exchanged for a signed token of the resource and a refresh token", async () => {
    const test = new TestServer();
    const { status, body, headers } = await test.redeem(await test.code({ scope: "read" }));
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toMatchObject({
      token_type: "Bearer",
      expires_in: 600,
      scope: "read",
      refresh_token: expect.any(String),
    });
    expect(decodeProtectedHeader(`${body.access_token}`)).toMatchObject({ alg: "ES256", typ: "at+jwt" });
    expect(decodeJwt(`${body.access_token}`)).toMatchObject({
      iss: ISSUER,
      sub: "alice",
      aud: RESOURCE,
      client_id: "app",
      scope: "read",
      iat: test.clock.now / 1_000,
      exp: test.clock.now / 1_000 + 600,
    });
    expect(await test.server.verifyAccessToken(`${body.access_token}`)).toMatchObject({
      issuer: ISSUER,
      subject: "alice",
      clientId: "app",
      scopes: ["read"],
      audience: RESOURCE,
      expiresAt: test.clock.now + 600_000,
    });
  });

  it("counts once: the second use revokes every token of the first", async () => {
    const test = new TestServer();
    const code = await test.code();
    const { body } = await test.redeem(code);
    expect(await test.redeem(code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await test.refresh(body.refresh_token)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    await expect(test.server.verifyAccessToken(`${body.access_token}`)).rejects.toThrow("the token was revoked");
  });

  it("counts once when two requests race for it", async () => {
    const test = new TestServer();
    const code = await test.code();
    const statuses = await Promise.all([test.redeem(code), test.redeem(code), test.redeem(code)]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it.each<[string, Record<string, string>, string]>([
    ["another redirect URI", { redirect_uri: `${REDIRECT}/other` }, "invalid_grant"],
    ["another port of the redirect URI", { redirect_uri: "http://127.0.0.1:4001/callback" }, "invalid_grant"],
    ["another verifier", { code_verifier: "w".repeat(43) }, "invalid_grant"],
    ["a short verifier", { code_verifier: "v" }, "invalid_grant"],
    ["no verifier", { code_verifier: "" }, "invalid_request"],
    ["no code", { code: "" }, "invalid_request"],
    ["another code", { code: "x.y" }, "invalid_grant"],
    ["another resource", { resource: "https://other.example/" }, "invalid_target"],
    ["no grant type", { grant_type: "" }, "invalid_request"],
    ["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
    [
      "a grant type that is not offered",
      { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer" },
      "unsupported_grant_type",
    ],
    ["a grant type that the client lacks", { grant_type: "client_credentials" }, "unauthorized_client"],
  ])("with %s is refused, and stays good", async (_fault, form, error) => {
    const test = new TestServer();
    const code = await test.code();
    expect(await test.redeem(code, form)).toMatchObject({ status: 400, body: { error } });
    expect((await test.redeem(code, { resource: RESOURCE })).status).toBe(200);
  });

  it("with the secret part of another code is refused", async () => {
    const test = new TestServer();
    const [one, other] = [await test.code(), await test.code()];
    const mixed = `${one.split(".")[0]}.${other.split(".")[1]}`;
    expect(await test.redeem(mixed)).toMatchObject({ body: { error: "invalid_grant" } });
    expect((await test.redeem(one)).status).toBe(200);
  });

  it("needs no redirect URI, as in OAuth 2.1", async () => {
    const test = new TestServer();
    expect((await test.redeem(await test.code(), { redirect_uri: "" })).status).toBe(200);
  });

  it("is good for a minute", async () => {
    const test = new TestServer();
    const code = await test.code();
    test.clock.now += 60_000;
    expect(await test.redeem(code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("of another client is refused", async () => {
    const clients = ["app", "thief"].map((clientId) => ({ clientId, redirectUris: [REDIRECT] }));
    const test = new TestServer({ clients });
    const code = await test.code();
    expect(await test.redeem(code, { client_id: "thief" })).toMatchObject({ body: { error: "invalid_grant" } });
    expect((await test.redeem(code)).status).toBe(200);
  });

  it("gives no refresh token to a client that is not registered for one", async () => {
    const clients = [{ clientId: "app", redirectUris: [REDIRECT], grantTypes: ["authorization_code" as const] }];
    const test = new TestServer({ clients });
    const { body } = await test.redeem(await test.code());
    expect(body).not.toHaveProperty("refresh_token");
    await expect(test.server.verifyAccessToken(`${body.access_token}`)).resolves.toMatchObject({ subject: "alice" });
  });
});

describe("a refresh token", () => {
  async function granted(): Promise<{ test: TestServer; body: Answer["body"] }> {
    const test = new TestServer();
    return { test, body: (await test.redeem(await test.code())).body };
  }

  it("is rotated, and the new token keeps audience and scopes", async () => {
    const { test, body } = await granted();
    const second = await test.refresh(body.refresh_token);
    expect(second.body.refresh_token).not.toBe(body.refresh_token);
    expect(decodeJwt(`${second.body.access_token}`)).toMatchObject({
      aud: RESOURCE,
      scope: "read write",
      sub: "alice",
    });
    const third = await test.refresh(second.body.refresh_token, { resource: `${RESOURCE}/` });
    expect(decodeJwt(`${third.body.access_token}`)).toMatchObject({ aud: RESOURCE });
  });

  it("that is used again, after its successor was used, revokes the whole family", async () => {
    const { test, body } = await granted();
    const second = await test.refresh(body.refresh_token);
    const third = await test.refresh(second.body.refresh_token);
    expect(await test.refresh(body.refresh_token)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await test.refresh(third.body.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });
    await expect(test.server.verifyAccessToken(`${third.body.access_token}`)).rejects.toThrow("revoked");
  });

  it("whose answer was lost is good again, and the lost successor is spent", async () => {
    const { test, body } = await granted();
    const lost = await test.refresh(body.refresh_token);
    const first = await test.refresh(body.refresh_token);
    const second = await test.refresh(body.refresh_token);
    expect([first.status, second.status]).toEqual([200, 200]);
    const third = await test.refresh(second.body.refresh_token);
    expect(third.status).toBe(200);
    expect(await test.refresh(lost.body.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });
    expect(await test.refresh(third.body.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });
  });

  it("is introspected and revoked by its predecessor as well, until it is used", async () => {
    const { test, body } = await granted();
    const second = await test.refresh(body.refresh_token);
    const introspect = async (token: unknown) => (await test.service("/introspect", { token: `${token}` })).body.active;
    expect(await introspect(body.refresh_token)).toBe(true);
    const third = await test.refresh(second.body.refresh_token);
    expect(await introspect(body.refresh_token)).toBe(false);
    await test.post("/revoke", { client_id: "app", token: `${second.body.refresh_token}` });
    expect(await introspect(third.body.refresh_token)).toBe(false);
  });

  it("may narrow the scope, and not widen it or change the resource", async () => {
    const test = new TestServer();
    const { body } = await test.redeem(await test.code({ scope: "read" }));
    expect(await test.refresh(body.refresh_token, { scope: "read write" })).toMatchObject({
      body: { error: "invalid_scope" },
    });
    expect(await test.refresh(body.refresh_token, { resource: ISSUER })).toMatchObject({
      body: { error: "invalid_target" },
    });
    expect(await test.refresh(body.refresh_token, { scope: "read" })).toMatchObject({ body: { scope: "read" } });
  });

  it("is refused to another client, and for a code or nonsense", async () => {
    const clients = ["app", "thief"].map((clientId) => ({ clientId, redirectUris: [REDIRECT] }));
    const test = new TestServer({ clients });
    const { body } = await test.redeem(await test.code());
    expect(await test.refresh(body.refresh_token, { client_id: "thief" })).toMatchObject({
      body: { error: "invalid_grant" },
    });
    expect(await test.refresh("nonsense", { scope: "read" })).toMatchObject({ body: { error: "invalid_grant" } });
    expect(await test.refresh("x".repeat(1_000))).toMatchObject({ body: { error: "invalid_grant" } });
    expect((await test.refresh(body.refresh_token)).status).toBe(200);
  });

  it("ends when it is idle for too long, and with its grant", async () => {
    const { test, body } = await granted();
    test.clock.now += 14 * 86_400_000;
    expect(await test.refresh(body.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });

    const short = new TestServer({ grantMs: 1_000_000, refreshIdleMs: 600_000 });
    let { body: last } = await short.redeem(await short.code());
    short.clock.now += 599_000;
    ({ body: last } = await short.refresh(last.refresh_token));
    short.clock.now += 401_000;
    expect(await short.refresh(last.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });
  });

  it("does not stand in for a code, nor a code for it", async () => {
    const { test, body } = await granted();
    expect(await test.redeem(`${body.refresh_token}`)).toMatchObject({ body: { error: "invalid_grant" } });
    const code = await test.code();
    expect(await test.refresh(code)).toMatchObject({ body: { error: "invalid_grant" } });
  });
});

describe("client credentials", () => {
  const grant = { grant_type: "client_credentials" };

  it("give a confidential client a token for itself", async () => {
    const test = new TestServer();
    const { status, body } = await test.service("/token", { ...grant, resource: RESOURCE, scope: "write" });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("refresh_token");
    expect(decodeJwt(`${body.access_token}`)).toMatchObject({ sub: "service", client_id: "service", aud: RESOURCE });
    expect(await test.server.verifyAccessToken(`${body.access_token}`)).toMatchObject({ scopes: ["write"] });
  });

  it("give no more scopes than the client may have", async () => {
    const clients = [
      {
        clientId: "service",
        clientSecret: "the secret of the service",
        grantTypes: ["client_credentials" as const],
        scopes: ["read"],
      },
    ];
    const test = new TestServer({ clients });
    expect((await test.service("/token", grant)).body).toMatchObject({ scope: "read" });
    expect((await test.service("/token", { ...grant, scope: "write" })).body).toMatchObject({ error: "invalid_scope" });
    expect((await test.service("/token", { ...grant, resource: ISSUER })).body).toMatchObject({
      error: "invalid_target",
    });
  });

  it("are not for public clients", async () => {
    const test = new TestServer({ store: await storeWithPublicClient("client_credentials") });
    expect(await test.token({ ...grant, client_id: "public" })).toMatchObject({
      status: 400,
      body: { error: "unauthorized_client" },
    });
  });
});

describe("DPoP", () => {
  async function proofOf(nonce?: string, key?: DpopKey): Promise<Record<string, string>> {
    const claims = { method: "POST", url: TOKEN_URL, ...(nonce !== undefined && { nonce }) };
    return { dpop: await createDpopProof(key ?? (await generateDpopKey()), claims) };
  }

  /** Proofs carry the time of the machine. */
  function inRealTime(): TestServer {
    const test = new TestServer();
    test.clock.now = Date.now();
    return test;
  }

  it("asks for a nonce, binds the token to the key, and the refresh token of a public client too", async () => {
    const test = inRealTime();
    const key = await generateDpopKey();
    expect((await test.redeem(await test.code())).headers.has("dpop-nonce")).toBe(false);
    const code = await test.code();
    const asked = await test.redeem(code, {}, await proofOf(undefined, key));
    expect(asked).toMatchObject({ status: 400, body: { error: "use_dpop_nonce" } });
    const nonce = `${asked.headers.get("dpop-nonce")}`;
    const { body } = await test.redeem(code, {}, await proofOf(nonce, key));
    expect(body).toMatchObject({ token_type: "DPoP" });
    expect(decodeJwt(`${body.access_token}`)).toMatchObject({ cnf: { jkt: key.thumbprint } });
    const token = `${body.access_token}`;
    expect((await test.service("/introspect", { token })).body).toMatchObject({ active: true, token_type: "DPoP" });
    expect(await test.refresh(body.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });
    expect(await test.refresh(body.refresh_token, {}, await proofOf(nonce))).toMatchObject({
      body: { error: "invalid_grant" },
    });
    const again = await test.refresh(body.refresh_token, {}, await proofOf(nonce, key));
    expect(again.body).toMatchObject({ token_type: "DPoP" });
  });

  it("refuses a proof that is none", async () => {
    const test = inRealTime();
    expect(await test.redeem(await test.code(), {}, { dpop: "x" })).toMatchObject({
      status: 400,
      body: { error: "invalid_dpop_proof" },
    });
  });

  it("remembers the proofs of requests that get tokens, and of no others", async () => {
    const test = inRealTime();
    const nonce = `${(await test.redeem("unknown.code", {}, await proofOf())).headers.get("dpop-nonce")}`;
    const [key, proof] = [await generateDpopKey(), async () => proofOf(nonce, key)];
    const first = await proof();
    for (const _ of [1, 2]) {
      expect(await test.redeem("unknown.code", {}, first)).toMatchObject({ body: { error: "invalid_grant" } });
    }
    const { body } = await test.redeem(await test.code(), {}, first);
    const replayed = { status: 400, body: { error: "invalid_dpop_proof" } };
    expect(await test.refresh(body.refresh_token, {}, first)).toMatchObject(replayed);
    const second = await proof();
    const refreshed = await test.refresh(body.refresh_token, {}, second);
    expect(await test.refresh(refreshed.body.refresh_token, {}, second)).toMatchObject(replayed);
    expect((await test.refresh(refreshed.body.refresh_token, {}, await proof())).status).toBe(200);

    const third = await proof();
    const asService = () => test.service("/token", { grant_type: "client_credentials" }, third);
    expect([(await asService()).status, await asService()]).toMatchObject([200, replayed]);
  });

  it("redeems a code that is bound to a key with that key alone", async () => {
    const test = inRealTime();
    const key = await generateDpopKey();
    const code = await test.code({ dpop_jkt: key.thumbprint });
    expect(await test.redeem(code)).toMatchObject({ body: { error: "invalid_grant" } });
    const nonce = `${(await test.redeem(code, {}, await proofOf())).headers.get("dpop-nonce")}`;
    expect((await test.redeem(code, {}, await proofOf(nonce, key))).status).toBe(200);
  });
});

it("a request that is no form, repeats a parameter, or is too large is refused", async () => {
  const test = new TestServer();
  const post = async (body: string, type = "application/x-www-form-urlencoded") =>
    answerOf(await test.fetch("/token", { method: "POST", body, headers: { "content-type": type } }));
  expect(await post("{}", "application/json")).toMatchObject({ status: 415, body: { error: "invalid_request" } });
  expect(await post("client_id=app&client_id=app")).toMatchObject({
    status: 400,
    body: { error: "invalid_request", error_description: "parameter 'client_id' is repeated" },
  });
  expect(await post("x".repeat(70_000))).toMatchObject({ status: 413, body: { error: "invalid_request" } });
  expect(await post(Array.from({ length: 65 }, (_, index) => `p${index}=1`).join("&"))).toMatchObject({ status: 400 });
  const latin = {
    method: "POST",
    body: new Uint8Array([0x61, 0xff]),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  };
  expect((await test.fetch("/token", latin)).status).toBe(400);
  expect((await test.fetch("/token", { method: "POST", headers: { "content-type": "text/plain" } })).status).toBe(415);
  expect((await test.fetch("/token", { method: "POST" })).status).toBe(415);
  const empty = await test.fetch("/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect(await answerOf(empty)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
});

it("a body that cannot be read is refused", async () => {
  const test = new TestServer();
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
  expect(await answerOf(await test.fetch("/token", init))).toMatchObject({ status: 400 });
});

it("a body over the limit is refused although its source fails to cancel", async () => {
  const test = new TestServer();
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(50_000)),
    cancel: () => Promise.reject(new Error("stuck")),
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
  expect((await test.fetch("/token", init)).status).toBe(413);
});

it("a login with another browser's session asks for its own", async () => {
  const browser = new TestBrowser(new TestServer());
  browser.cookie = `parley-3000=${"b".repeat(43)}.${"s".repeat(43)}; other=1`;
  await browser.authorize();
  expect(browser.page).toContain("Log in to continue");
});

it("tells a resource server of tokens for its own resources, and of none for others", async () => {
  const other = "https://other.example/mcp";
  const secret = { clientSecret: "the secret of the service", grantTypes: ["client_credentials" as const] };
  const test = new TestServer({
    resources: [RESOURCE, other],
    clients: [
      { clientId: "service", ...secret, introspects: [`${RESOURCE}/`] },
      { clientId: "job", ...secret },
    ],
  });
  const headers = { authorization: `Basic ${btoa("job:the+secret+of+the+service")}` };
  const active: unknown[] = [];
  for (const resource of [RESOURCE, other]) {
    const { body } = await answerOf(await test.post("/token", { grant_type: "client_credentials", resource }, headers));
    active.push((await test.service("/introspect", { token: `${body.access_token}` })).body.active);
  }
  expect(active).toEqual([true, false]);
});

it("keeps a revoked token revoked through a flood of assertions", async () => {
  const store = new InMemoryAuthorizationStore({ maxRecords: 10, now: () => test.clock.now });
  const test = new TestServer({ store });
  const { body } = await test.redeem(await test.code());
  await test.post("/revoke", { client_id: "app", token: `${body.access_token}` });
  for (let index = 0; index < 20; index++) {
    await store.update("spent", `${index}`, () => ({ value: { isSpent: true }, expiresAt: test.clock.now + 60_000 }));
  }
  await expect(test.server.verifyAccessToken(`${body.access_token}`)).rejects.toThrow("revoked");
});
