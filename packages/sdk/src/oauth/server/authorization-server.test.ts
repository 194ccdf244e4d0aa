import { decodeProtectedHeader } from "jose";
import { describe, expect, it, vi } from "vitest";
import {
  answerOf,
  authorizePath,
  ISSUER,
  PASSWORD,
  REDIRECT,
  RESOURCE,
  TestBrowser,
  TestServer,
} from "./authorization-server.fixture.js";
import { type AuthorizationServerOptions, authorizationServer } from "./authorization-server.js";
import type { AuthorizationStore } from "./authorization-store.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";
import { hashPassword } from "./password-login.js";

const BOB = { subject: "bob" };
const ALICE = { subject: "alice" };

describe("metadata", () => {
  it("lies at every well-known place of an issuer with a path", async () => {
    const issuer = "https://auth.example/tenant";
    const test = new TestServer({ issuer });
    for (const path of [
      "/.well-known/oauth-authorization-server/tenant",
      "/.well-known/openid-configuration/tenant",
      "/tenant/.well-known/openid-configuration",
    ]) {
      const { status, headers, body } = await answerOf(await test.fetch(path));
      expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(body).toMatchObject({ issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` });
    }
  });

  it("says what clients need to know", async () => {
    const { body } = await answerOf(await new TestServer().fetch("/.well-known/oauth-authorization-server"));
    expect(body).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      registration_endpoint: `${ISSUER}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ["read", "write"],
      grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    });
    const plain = new TestServer({ resources: [RESOURCE] });
    expect(plain.server.metadata).not.toHaveProperty("scopes_supported");
  });
});

describe("handle", () => {
  it("leaves other paths to others", async () => {
    const { server } = new TestServer();
    expect(await server.handle(new Request(`${ISSUER}/mcp`))).toBeUndefined();
    expect(await server.handle(new Request(`${ISSUER}/authorize/more`))).toBeUndefined();
  });

  it("refuses other methods, and answers preflights of clients alone", async () => {
    const test = new TestServer();
    const refused = await test.fetch("/token");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
    const preflight = await test.fetch("/token", { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([204, "POST"]);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Authorization");
    const page = await test.fetch("/authorize", { method: "OPTIONS" });
    expect([page.status, page.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });

  it("limits how often an address calls, and all without one together", async () => {
    const once = { perSecond: 1, burst: 1 };
    const test = new TestServer({ rate: once, loginRate: once });
    expect((await test.fetch("/jwks", {}, "192.0.2.1")).status).toBe(200);
    expect((await test.fetch("/jwks", {}, "192.0.2.1")).status).toBe(429);
    expect((await test.fetch("/jwks", {}, "192.0.2.2")).status).toBe(200);
    expect((await test.fetch(authorizePath(), {}, "192.0.2.2")).status).toBe(200);
    const page = await test.fetch(authorizePath(), {}, "192.0.2.2");
    expect([page.status, page.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await page.text()).toContain("Too many requests; try again in 1 seconds.");
    expect((await test.server.handle(new Request(`${ISSUER}/jwks`)))?.status).toBe(200);
    expect((await test.server.handle(new Request(`${ISSUER}/jwks`)))?.status).toBe(429);
  });

  it("lets one address displace no registrations of others, whatever it registers for an hour", async () => {
    const test = new TestServer();
    const register = async (address: string, size: number) => {
      const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", jwks: { keys: [pad(size)] } };
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(metadata) };
      return answerOf(await test.fetch("/register", init, address));
    };
    const { body } = await register("192.0.2.1", 1);
    const statuses: number[] = [];
    for (let ms = 0; ms < 3_540_000; ms += 60_000) {
      for (let status = 201; status === 201; statuses.push(status)) {
        ({ status } = await register("192.0.2.2", 16_000));
      }
      test.clock.now += 60_000;
    }

    expect(statuses.filter((status) => status === 201)).toHaveLength(368);
    const page = await test.fetch(authorizePath({ client_id: `${body.client_id}` }), {}, "192.0.2.1");
    expect(page.status).toBe(200);
    test.clock.now += 61_000;
    const forgotten = await test.fetch(authorizePath({ client_id: `${body.client_id}` }), {}, "192.0.2.1");
    expect(forgotten.status).toBe(400);
    expect((await register("192.0.2.3", 16_384)).status).toBe(413);
  });

  it("lets one address displace no logins of others, whatever it asks for while a user decides", async () => {
    const test = new TestServer();
    const browser = new TestBrowser(test);
    await browser.authorize();
    const flood = authorizePath({ state: "s".repeat(2_048), login_hint: "h".repeat(256) });
    const statuses: number[] = [];
    for (let ms = 0; ms < 590_000; ms += 10_000) {
      for (let status = 200; status === 200; statuses.push(status)) {
        ({ status } = await test.fetch(flood, {}, "198.51.100.2"));
      }
      test.clock.now += 10_000;
    }

    expect(statuses.filter((status) => status === 200)).toHaveLength(610);
    await browser.submit({ username: "alice", password: PASSWORD });
    expect(browser.page).toContain("Allow");
  });

  it("lets the addresses of one site displace no logins and registrations of others", async () => {
    const now = () => test.clock.now;
    const test: TestServer = new TestServer({ store: new InMemoryAuthorizationStore({ maxRecords: 40, now }) });
    const browser = new TestBrowser(test);
    await browser.authorize();
    const register = async (address: string) => {
      const body = JSON.stringify({ redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      return answerOf(await test.fetch("/register", init, address));
    };
    const { body } = await register("192.0.2.1");
    for (let index = 0; index < 60; index++) {
      const address = `2001:db8:1:${index.toString(16)}::1`;
      expect((await test.fetch(authorizePath(), {}, address)).status).toBe(200);
      expect((await register(address)).status).toBe(201);
    }
    await browser.submit({ username: "alice", password: PASSWORD });
    expect(browser.page).toContain("Allow");
    const page = await test.fetch(authorizePath({ client_id: `${body.client_id}` }), {}, "192.0.2.1");
    expect(page.status).toBe(200);
  });

  it("answers a failure of the store without a reason, and reports it", async () => {
    const failure = new Error("disk of db.internal is full");
    const store: AuthorizationStore = { get: () => Promise.reject(failure), update: () => Promise.reject(failure) };
    const test = new TestServer({ store });
    const answer = await answerOf(await test.fetch("/jwks"));
    expect(answer).toMatchObject({ status: 500, body: { error: "server_error" } });
    expect(JSON.stringify(answer.body)).not.toContain("db.internal");
    const page = await test.fetch(authorizePath({ client_id: "stranger" }));
    expect([page.status, (await page.text()).includes("db.internal")]).toEqual([500, false]);
    await expect(test.server.verifyAccessToken("x.y.z")).rejects.toBe(failure);
    expect(test.errors).toEqual([failure, failure]);
  });

  it("answers a revocation that the store cannot look up with 500, since 200 would say that the token is revoked", async () => {
    const inner = new InMemoryAuthorizationStore({ now: () => test.clock.now });
    let isAway = false;
    const store: AuthorizationStore = {
      get: (table, key) =>
        isAway && table === "revoked" ? Promise.reject(new Error("disk is full")) : inner.get(table, key),
      update: (table, key, change) => inner.update(table, key, change),
    };
    const test = new TestServer({ store });
    const { body } = await test.service("/token", { grant_type: "client_credentials", resource: RESOURCE });
    isAway = true;
    expect((await test.service("/revoke", { token: `${body.access_token}` })).status).toBe(500);
  });

  it("reports to the console unless told otherwise", async () => {
    const spy = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const failure = new Error("full");
    const store: AuthorizationStore = { get: () => Promise.reject(failure), update: () => Promise.reject(failure) };
    const server = authorizationServer({ issuer: ISSUER, resources: [RESOURCE], autoApprove: BOB, store });
    await server.handle(new Request(`${ISSUER}/jwks`));
    expect(spy).toHaveBeenCalledWith(failure);
    spy.mockRestore();
  });
});

describe("keys", () => {
  it("are rotated, and published until their last token has expired", async () => {
    const test = new TestServer({ keyMs: 10_000_000 });
    const kids = async () => {
      const { body } = await answerOf(await test.fetch("/jwks"));
      return (body.keys as Record<string, unknown>[]).map(({ kid, d }) => (d === undefined ? kid : "private"));
    };
    const grant = { grant_type: "client_credentials", resource: RESOURCE };
    const token = async () => `${(await test.service("/token", grant)).body.access_token}`;
    const first = decodeProtectedHeader(await token()).kid;
    expect(await kids()).toEqual([first]);
    test.clock.now += 9_999_999;
    expect(await kids()).toEqual([first]);
    test.clock.now += 1;
    const [, second] = await kids();
    expect(decodeProtectedHeader(await token()).kid).toBe(first);
    test.clock.now += 599_999;
    const last = await token();
    expect(decodeProtectedHeader(last).kid).toBe(first);
    test.clock.now += 1;
    expect(decodeProtectedHeader(await token()).kid).toBe(second);
    expect(await kids()).toEqual([first, second]);
    await expect(test.server.verifyAccessToken(last)).resolves.toMatchObject({ subject: "service" });
    test.clock.now += 600_000;
    await expect(test.server.verifyAccessToken(last)).rejects.toThrow("the token has expired");
    expect(await kids()).toEqual([first, second]);
    test.clock.now += 60_000;
    expect(await kids()).toEqual([second]);
    test.clock.now += 10_000_000;
    await token();
    expect(await kids()).not.toContain(first);
  });

  async function kidOf(test: TestServer) {
    const grant = { grant_type: "client_credentials", resource: RESOURCE };
    return decodeProtectedHeader(`${(await test.service("/token", grant)).body.access_token}`).kid;
  }

  it("are published before they sign, also after a long time without requests", async () => {
    const test = new TestServer({ keyMs: 10_000_000 });
    const first = await kidOf(test);
    test.clock.now += 31_536_000_000;
    expect(await kidOf(test)).toBe(first);
    test.clock.now += 600_000;
    const second = await kidOf(test);
    expect(second).not.toBe(first);
    expect(await kidOf(test)).toBe(second);
  });

  it("of a clock that was a year ahead are rotated like others, and lead no earlier one away", async () => {
    const test = new TestServer({ keyMs: 10_000_000 });
    const kids = async () => ((await answerOf(await test.fetch("/jwks"))).body.keys as { kid: string }[]).length;
    const first = await kidOf(test);
    test.clock.now += 31_536_000_000;
    await kidOf(test);
    test.clock.now += 600_000;
    const ahead = await kidOf(test);
    test.clock.now -= 31_536_000_000;
    expect(await kidOf(test)).toBe(first);
    test.clock.now += 600_000;
    expect(await kidOf(test)).toBe(ahead);
    test.clock.now += 10_600_000;
    await kidOf(test);
    test.clock.now += 600_000;
    expect([first, ahead]).not.toContain(await kidOf(test));
    expect(await kids()).toBe(2);
  });

  it("are few, however short they sign", async () => {
    const test = new TestServer({ keyMs: 1 });
    for (let minute = 0; minute < 60; minute++) {
      test.clock.now += 60_000;
      const { body } = await answerOf(await test.fetch("/jwks"));
      expect((body.keys as unknown[]).length).toBeLessThanOrEqual(4);
    }
  });

  it("are made once, however many ask", async () => {
    const test = new TestServer();
    const answers = await Promise.all([test.fetch("/jwks"), test.fetch("/jwks"), test.fetch("/jwks")]);
    const sets = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(sets).size).toBe(1);
    expect(JSON.parse(`${sets[0]}`).keys).toHaveLength(1);
  });

  it("of another server do not pass", async () => {
    const [one, other] = [new TestServer(), new TestServer()];
    const grant = { grant_type: "client_credentials", resource: RESOURCE };
    const { body } = await one.service("/token", grant);
    await expect(other.server.verifyAccessToken(`${body.access_token}`)).rejects.toMatchObject({
      code: "invalid_token",
      description: "the token is not valid",
    });
    await expect(other.server.verifyAccessToken("x".repeat(20_000))).rejects.toThrow("the token is too long");
  });
});

describe("revocation", () => {
  it("of a refresh token ends its grant, of an access token that token", async () => {
    const test = new TestServer();
    const { body } = await test.redeem(await test.code());
    const revoke = (token: unknown) => test.post("/revoke", { client_id: "app", token: `${token}` });
    const second = await test.refresh(body.refresh_token);
    expect((await revoke(body.access_token)).status).toBe(200);
    await expect(test.server.verifyAccessToken(`${body.access_token}`)).rejects.toThrow("revoked");
    await expect(test.server.verifyAccessToken(`${second.body.access_token}`)).resolves.toMatchObject(ALICE);
    expect((await revoke(second.body.refresh_token)).status).toBe(200);
    await expect(test.server.verifyAccessToken(`${second.body.access_token}`)).rejects.toThrow("revoked");
    expect(await test.refresh(second.body.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });
  });

  it("of another client's token, or of nonsense, changes nothing and is no error", async () => {
    const test = new TestServer();
    const { body } = await test.redeem(await test.code());
    for (const token of [body.access_token, body.refresh_token, "nonsense"]) {
      expect((await test.service("/revoke", { token: `${token}` })).status).toBe(200);
    }
    await expect(test.server.verifyAccessToken(`${body.access_token}`)).resolves.toMatchObject(ALICE);
    expect((await test.refresh(body.refresh_token)).status).toBe(200);
  });
});

describe("introspection", () => {
  it("tells a resource server about tokens of any client", async () => {
    const test = new TestServer();
    const { body } = await test.redeem(await test.code());
    const introspect = async (token: unknown) => (await test.service("/introspect", { token: `${token}` })).body;
    expect(await introspect(body.access_token)).toMatchObject({
      active: true,
      sub: "alice",
      aud: RESOURCE,
      token_type: "Bearer",
    });
    expect(await introspect(body.refresh_token)).toMatchObject({ active: true, iss: ISSUER, scope: "read write" });
    expect(await introspect("nonsense")).toEqual({ active: false });
  });

  it("tells other clients about their own tokens alone, and public ones nothing", async () => {
    const clients: AuthorizationServerOptions["clients"] = [
      { clientId: "service", clientSecret: "the secret of the service", grantTypes: ["client_credentials"] },
      { clientId: "app", redirectUris: ["http://127.0.0.1:4000/callback"] },
    ];
    const test = new TestServer({ clients });
    const { body } = await test.redeem(await test.code());
    expect((await test.service("/introspect", { token: `${body.access_token}` })).body).toEqual({ active: false });
    const own = await test.service("/token", { grant_type: "client_credentials" });
    const { access_token } = own.body;
    expect((await test.service("/introspect", { token: `${access_token}` })).body).toMatchObject({ active: true });
    const asked = await test.post("/introspect", { client_id: "app", token: `${access_token}` });
    expect(asked.status).toBe(401);
  });
});

describe("options", () => {
  it.each([
    ["no URL", { issuer: "auth" }, "issuer must be an https URL"],
    ["cleartext", { issuer: "http://auth.example" }, "issuer must be an https URL"],
    ["a query", { issuer: "https://auth.example/?a" }, "issuer must be an https URL"],
    ["no resource", { resources: [] }, "resources is empty"],
    ["a resource that is no URL", { resources: ["mcp"] }, "a resource must be an absolute URL"],
    ["two ways to log in", { users: [] }, "give one of users, login and autoApprove"],
    ["no way to log in", { autoApprove: undefined }, "give one of users, login and autoApprove"],
    ["an open door", { issuer: "https://auth.example" }, "autoApprove lets everybody in"],
    [
      "a bad redirect URI",
      { clients: [{ clientId: "c", redirectUris: ["http://app.example/"] }] },
      'client "c": redirect URI "http://app.example/" must use https',
    ],
    [
      "a client with secret and keys",
      { clients: [{ clientId: "c", clientSecret: "s".repeat(16), jwks: { keys: [] } }] },
      "not both",
    ],
    ["an empty secret", { clients: [{ clientId: "c", clientSecret: "" }] }, 'client "c": clientSecret: got ""; is its'],
    ["no secret", { clients: [{ clientId: "c", clientSecret: undefined }] }, 'client "c": clientSecret: got undefined'],
    ["String(undefined)", { clients: [{ clientId: "c", clientSecret: "undefined" }] }, 'clientSecret: got "undefined"'],
    [
      "a short secret",
      { clients: [{ clientId: "c", clientSecret: "hunter2" }] },
      "expected at least 16 characters, got 7",
    ],
    [
      "a secret of another name",
      { clients: [{ clientId: "c", client_secret: "s".repeat(16) }] },
      'clients: there is no option "client_secret"; did you mean "clientSecret"?',
    ],
    [
      "scopes of another name",
      { resources: [{ resource: RESOURCE, scope: ["read"] }] },
      'resources: there is no option "scope"; did you mean "scopes"?',
    ],
    [
      "a subject rule of another name",
      { trustedIssuers: [{ issuer: "https://idp.example", jwks: { keys: [] }, subjectOf: String }] },
      'trustedIssuers: there is no option "subjectOf"',
    ],
    ["a client without id", { clients: [{ clientSecret: "s".repeat(16) }] }, "clients: clientId: got undefined"],
    [
      "a program without credentials",
      { clients: [{ clientId: "c", grantTypes: ["client_credentials"] }] },
      'client "c": give clientSecret or jwks',
    ],
    [
      "a resource server without",
      { clients: [{ clientId: "c", introspects: [RESOURCE] }] },
      "give clientSecret or jwks",
    ],
    ["no list of resources", { resources: undefined }, "resources is empty"],
    [
      "a resource in cleartext",
      { resources: ["http://mcp.example/mcp"] },
      'resource "http://mcp.example/mcp" must use https',
    ],
    ["a resource with a fragment", { resources: ["https://mcp.example/mcp#a"] }, "must have no fragment"],
    ["a private host that is no list", { allowPrivate: "login.corp.example" as never }, "allowPrivate: expected true"],
    ["a user who is none", { autoApprove: true as never }, "autoApprove: expected an object"],
    ["a user without a subject", { autoApprove: { name: "bob" } as never }, "autoApprove.subject: got undefined"],
    ["a client that is none", { clients: [null] as never }, "clients: expected an object"],
    [
      "two clients of one id",
      { clients: [{ clientId: "a" }, { clientId: "a" }] },
      'client "a": two have this clientId',
    ],
    ["an unknown option", { scopes: ["a"] }, 'authorizationServer: there is no option "scopes"'],
    ["an issuer without keys", { trustedIssuers: [{ issuer: "https://idp.example" }] }, "give jwks, or an https URL"],
    [
      "keys in cleartext",
      { trustedIssuers: [{ issuer: "https://idp.example", jwksUri: "http://idp.example/jwks" }] },
      "give jwks, or an https URL",
    ],
  ])("with %s are refused", (_fault, options, message) => {
    const all = { issuer: ISSUER, resources: [RESOURCE], autoApprove: BOB, ...options };
    expect(() => authorizationServer(all as AuthorizationServerOptions)).toThrow(message);
  });

  it("of users alone are enough", async () => {
    const users = [{ subject: "alice", passwordHash: await hashPassword("x", { iterations: 1 }) }];
    expect(authorizationServer({ issuer: ISSUER, resources: [RESOURCE], users }).issuer).toBe(ISSUER);
  });
});

/** A key that makes a registration large. */
function pad(size: number): object {
  return { kty: "EC", x: "x".repeat(size) };
}

it.each([
  [Promise.resolve(new InMemoryAuthorizationStore()), "store: expected an AuthorizationStore, got a promise; await it"],
  [new Map(), "store: expected an AuthorizationStore, got an object without the method update"],
])("refuses a store that is none at construction", (store, message) => {
  expect(() => new TestServer({ store: store as never })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message }),
  );
});
