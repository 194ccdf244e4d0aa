import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { ISSUER, RESOURCE, storeWithPublicClient, TestServer } from "./authorization-server.fixture.js";

const IDP = "https://idp.example";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

describe("an identity assertion", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "idp" }] };
  let count = 0;

  function assertion(
    test: TestServer,
    claims: Record<string, unknown> = {},
    typ = "oauth-id-jag+jwt",
  ): Promise<string> {
    const now = Math.floor(test.clock.now / 1_000);
    const all = {
      ...{ iss: IDP, sub: "carol", aud: ISSUER, resource: RESOURCE, client_id: "service" },
      ...{ jti: `j${count++}`, iat: now, exp: now + 300, scope: "read admin" },
      ...claims,
    };
    return new SignJWT(all).setProtectedHeader({ alg: "ES256", typ, kid: "idp" }).sign(privateKey);
  }

  function trusting(): TestServer {
    return new TestServer({ trustedIssuers: [{ issuer: IDP, jwks }] });
  }

  it("of a trusted provider is exchanged for a token of its user, once", async () => {
    const test = trusting();
    expect(test.server.metadata).toMatchObject({
      grant_types_supported: expect.arrayContaining([GRANT]),
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    });
    const form = { grant_type: GRANT, assertion: await assertion(test) };
    const { status, body } = await test.service("/token", form);
    expect([status, body.scope]).toEqual([200, "read"]);
    expect(body).not.toHaveProperty("refresh_token");
    expect(await test.server.verifyAccessToken(`${body.access_token}`)).toMatchObject({
      subject: "https://idp.example|carol",
      clientId: "service",
      audience: RESOURCE,
    });
    expect(await test.service("/token", form)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant", error_description: "the assertion is not acceptable: it was used before" },
    });
  });

  it("names its user as the server maps them", async () => {
    const subject = (sub: string) => `${sub}@acme`;
    const test = new TestServer({ trustedIssuers: [{ issuer: IDP, jwks, subject }] });
    const { body } = await test.service("/token", { grant_type: GRANT, assertion: await assertion(test) });
    expect(await test.server.verifyAccessToken(`${body.access_token}`)).toMatchObject({ subject: "carol@acme" });
  });

  it("gives what the request asks for, within what the provider allows", async () => {
    const test = trusting();
    const all = { grant_type: GRANT, assertion: await assertion(test, { scope: undefined }) };
    expect((await test.service("/token", all)).body).toMatchObject({ scope: "read write" });
    const more = { grant_type: GRANT, scope: "read write", assertion: await assertion(test) };
    expect((await test.service("/token", more)).body).toMatchObject({ scope: "read" });
    const other = { grant_type: GRANT, scope: "write", assertion: await assertion(test) };
    expect(await test.service("/token", other)).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    const list = { grant_type: GRANT, assertion: await assertion(test, { scope: ["read"] }) };
    expect(await test.service("/token", list)).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["another audience", { aud: "https://other.example" }, "invalid_grant"],
    ["another client", { client_id: "app" }, "invalid_grant"],
    ["no client", { client_id: undefined }, "invalid_grant"],
    ["an untrusted issuer", { iss: "https://evil.example" }, "invalid_grant"],
    ["no end", { exp: undefined }, "invalid_grant"],
    ["another resource", { resource: "https://other.example" }, "invalid_target"],
  ])("for %s is refused", async (_fault, claims, error) => {
    const test = trusting();
    const form = { grant_type: GRANT, assertion: await assertion(test, claims) };
    expect(await test.service("/token", form)).toMatchObject({ status: 400, body: { error } });
  });

  it("of another type, or that is no JWT, is refused", async () => {
    const test = trusting();
    const other = { grant_type: GRANT, assertion: await assertion(test, {}, "JWT") };
    expect((await test.service("/token", other)).body).toMatchObject({ error: "invalid_grant" });
    expect((await test.service("/token", { grant_type: GRANT, assertion: "x" })).body).toMatchObject({
      error: "invalid_grant",
    });
  });

  it("is not for public clients", async () => {
    const test = new TestServer({
      trustedIssuers: [{ issuer: IDP, jwks }],
      store: await storeWithPublicClient(GRANT),
    });
    const form = { client_id: "public", grant_type: GRANT, assertion: await assertion(test, { client_id: "public" }) };
    expect(await test.token(form)).toMatchObject({ body: { error: "unauthorized_client" } });
  });

  it("is checked with keys that may lie in a private network", async () => {
    const calls: string[] = [];
    const jwksUri = "https://10.0.0.7/jwks";
    const test = new TestServer({
      trustedIssuers: [{ issuer: IDP, jwksUri }],
      fetch: async (url) => {
        calls.push(`${url}`);
        return Response.json(jwks);
      },
    });
    const form = { grant_type: GRANT, assertion: await assertion(test) };
    expect((await test.service("/token", form)).status).toBe(200);
    expect(calls).toEqual([jwksUri]);
  });
});
