import { describe, expect, it } from "vitest";
import {
  type Answer,
  answerOf,
  PASSWORD,
  REDIRECT,
  RESOURCE,
  TestBrowser,
  TestServer,
} from "./authorization-server.fixture.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";

const METADATA = { client_name: "Registered", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" };

async function register(test: TestServer, metadata: unknown, address?: string): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const body = typeof metadata === "string" ? metadata : JSON.stringify(metadata);
  return answerOf(await test.fetch("/register", { method: "POST", headers, body }, address));
}

describe("a registration", () => {
  it("is answered with what holds for the client", async () => {
    const test = new TestServer();
    const { status, body, headers } = await register(test, {
      ...METADATA,
      client_id: "mine",
      scope: "read",
      grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      client_id: expect.stringMatching(/^[\w-]{43}$/),
      client_id_issued_at: test.clock.now / 1_000,
      client_name: "Registered",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  it("of a confidential client has a secret that ends when it says", async () => {
    const test = new TestServer({ autoApprove: { subject: "bob" } });
    const { client_name: _unnamed, ...unnamed } = METADATA;
    const { body } = await register(test, { ...unnamed, token_endpoint_auth_method: "client_secret_post" });
    expect(body.client_secret_expires_at).toBe(test.clock.now / 1_000 + 180 * 86_400);
    const client = { client_id: `${body.client_id}`, client_secret: `${body.client_secret}` };
    const { code } = await new TestBrowser(test).authorize({ client_id: client.client_id });
    expect((await test.redeem(`${code}`, client)).status).toBe(200);
    test.clock.now += 179 * 86_400_000;
    await new TestBrowser(test).authorize({ client_id: client.client_id });
    test.clock.now += 86_400_000;
    const { code: late } = await new TestBrowser(test).authorize({ client_id: client.client_id });
    expect(await test.redeem(`${late}`, client)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });

  it("is dated once, though the clock goes on", async () => {
    const test = new TestServer();
    let now = 0;
    Object.defineProperty(test.clock, "now", { get: () => (now += 1_000) });
    const { body } = await register(test, { redirect_uris: [REDIRECT] });
    expect(Number(body.client_secret_expires_at) - Number(body.client_id_issued_at)).toBe(180 * 86_400);
  });

  it("without a method is of a client with a secret, and without a name shows that", async () => {
    const test = new TestServer();
    const { body } = await register(test, { redirect_uris: [REDIRECT] });
    expect(body).toMatchObject({
      token_endpoint_auth_method: "client_secret_basic",
      client_secret: expect.any(String),
    });
    const browser = new TestBrowser(test);
    await browser.authorize({ client_id: `${body.client_id}` });
    expect(browser.page).toContain("An application without a name");
  });

  it("of a client with keys has no secret", async () => {
    for (const keys of [{ jwks: { keys: [] } }, { jwks_uri: "https://client.example/jwks" }]) {
      const { body } = await register(new TestServer(), {
        ...METADATA,
        token_endpoint_auth_method: "private_key_jwt",
        ...keys,
      });
      expect(body).toMatchObject({ token_endpoint_auth_method: "private_key_jwt", ...keys });
      expect(body).not.toHaveProperty("client_secret");
    }
  });

  it.each<[string, unknown]>([
    ["a script for a redirect URI", { ...METADATA, redirect_uris: ["javascript:alert(1)"] }],
    ["data for a redirect URI", { ...METADATA, redirect_uris: ["data:text/html,x"] }],
    ["a fragment", { ...METADATA, redirect_uris: [`${REDIRECT}#x`] }],
    ["cleartext to another host", { ...METADATA, redirect_uris: ["http://app.example/callback"] }],
    ["another scheme on loopback", { ...METADATA, redirect_uris: ["ftp://127.0.0.1/callback"] }],
    ["no redirect URI", { client_name: "x" }],
    ["an unknown method", { ...METADATA, token_endpoint_auth_method: "tls_client_auth" }],
    ["no keys to sign with", { ...METADATA, token_endpoint_auth_method: "private_key_jwt" }],
    ["grants without a user alone", { ...METADATA, grant_types: ["client_credentials"] }],
    ["the implicit flow", { ...METADATA, response_types: ["token"] }],
    ["no object", []],
    ["no JSON", "{"],
  ])("with %s is refused", async (_fault, metadata) => {
    expect(await register(new TestServer(), metadata)).toMatchObject({
      status: 400,
      body: { error: "invalid_client_metadata", error_description: expect.any(String) },
    });
  });

  it("is displaced by those of its own site, and not by those of others", async () => {
    const store = new InMemoryAuthorizationStore({ maxRecords: 3, now: () => 0 });
    const test = new TestServer({ store });
    const first = await register(test, METADATA, "192.0.2.1");
    for (let count = 0; count < 5; count += 1) await register(test, METADATA, `198.51.100.${count}`);
    expect(await store.get("registrations", `${first.body.client_id}`)).toMatchObject({ owner: "192.0.2" });
  });

  it("is refused beyond the rate of an address, which leaves others alone", async () => {
    const test = new TestServer({ registrationRate: { perSecond: 0.1, burst: 2 } });
    await register(test, METADATA, "192.0.2.1");
    await register(test, METADATA, "192.0.2.1");
    const { status, headers } = await register(test, METADATA, "192.0.2.1");
    expect([status, headers.get("retry-after")]).toEqual([429, "10"]);
    expect((await register(test, METADATA, "192.0.2.2")).status).toBe(201);
  });

  it("may be switched off", async () => {
    const { server } = new TestServer({ registration: false });
    expect(server.metadata.registration_endpoint).toBeUndefined();
    expect(await server.handle(new Request("http://127.0.0.1:3000/register", { method: "POST" }))).toBeUndefined();
  });
});

describe("a registered client", () => {
  it("is forgotten after a day that nobody approves it in", async () => {
    const test = new TestServer();
    const { body } = await register(test, METADATA);
    test.clock.now += 86_400_000;
    const browser = new TestBrowser(test);
    await browser.authorize({ client_id: `${body.client_id}` });
    expect(browser.status).toBe(400);
  });

  it("is kept once a user approved it, whatever others register", async () => {
    const { InMemoryAuthorizationStore } = await import("./in-memory-authorization-store.js");
    const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
    const store = new InMemoryAuthorizationStore({ maxRecords: 3, now: () => clock.now });
    const test = new TestServer({
      store,
      now: () => clock.now,
      autoApprove: { subject: "bob" },
      resources: [RESOURCE],
    });
    const { body } = await register(test, METADATA);
    const client_id = `${body.client_id}`;
    expect(await new TestBrowser(test).authorize({ client_id })).toHaveProperty("code");
    for (let index = 0; index < 5; index++) await register(test, METADATA);
    clock.now += 86_400_000;
    expect(await new TestBrowser(test).authorize({ client_id })).toHaveProperty("code");
  });

  it("that others displaced while its user decided is not known any more", async () => {
    const { InMemoryAuthorizationStore } = await import("./in-memory-authorization-store.js");
    const test = new TestServer({ store: new InMemoryAuthorizationStore({ maxRecords: 3, now: () => 0 }) });
    const { body } = await register(test, METADATA);
    const browser = new TestBrowser(test);
    await browser.authorize({ client_id: `${body.client_id}` });
    await browser.submit({ username: "alice", password: PASSWORD });
    for (let index = 0; index < 5; index++) await register(test, METADATA);
    const { code } = await browser.submit({ decision: "allow" });
    expect(await test.redeem(`${code}`, { client_id: `${body.client_id}` })).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
  });
});
