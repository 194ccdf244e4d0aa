import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { answerOf, ISSUER, REDIRECT, RESOURCE, TestBrowser, TestServer } from "./authorization-server.fixture.js";

const grant = { grant_type: "client_credentials", resource: RESOURCE };
const GRANT_TYPES = ["client_credentials" as const];
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const CLIENT_URL = "https://client.example/metadata.json";
const KEYS_URL = "https://client.example/jwks.json";

async function post(test: TestServer, form: Record<string, string>, authorization?: string) {
  return answerOf(await test.post("/token", form, authorization === undefined ? {} : { authorization }));
}

function basic(text: string): string {
  return `Basic ${btoa(text)}`;
}

describe("a client secret", () => {
  it("is taken from the header or the body", async () => {
    const test = new TestServer();
    expect((await post(test, grant, basic("service:the+secret+of+the+service"))).status).toBe(200);
    expect(
      (await post(test, { ...grant, client_id: "service" }, basic("service:the%20secret%20of%20the%20service"))).status,
    ).toBe(200);
    const body = { ...grant, client_id: "service", client_secret: "the secret of the service" };
    expect((await post(test, body)).status).toBe(200);
  });

  it.each([
    ["a wrong secret", {}, basic("service:wrong")],
    ["an unknown client", {}, basic("nobody:the+secret+of+the+service")],
    ["another scheme", {}, "Bearer abc"],
    ["no Base64", {}, "Basic ***"],
    ["no colon", {}, basic("service")],
    ["bad escapes", {}, basic("service:%zz")],
    ["two ids", { client_id: "app" }, basic("service:the+secret+of+the+service")],
    ["a confidential client without its secret", { client_id: "service" }, undefined],
    ["a secret of a public client", { client_id: "app", client_secret: "x" }, undefined],
    ["no client", {}, undefined],
    ["an endless client id", { client_id: "x".repeat(3_000) }, undefined],
  ])("with %s is refused", async (_fault, form, authorization) => {
    const { status, body, headers } = await post(new TestServer(), { ...grant, ...form }, authorization);
    expect([status, body.error]).toEqual([401, "invalid_client"]);
    expect(headers.get("www-authenticate")).toBe(authorization === undefined ? null : 'Basic realm="clients"');
  });

  it("beside another way to authenticate is refused", async () => {
    const form = { ...grant, client_secret: "the secret of the service" };
    expect(await post(new TestServer(), form, basic("service:the+secret+of+the+service"))).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
  });
});

describe("private_key_jwt", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1" };
  let count = 0;

  function assertion(test: TestServer, claims: Record<string, unknown> = {}, kid = "k1"): Promise<string> {
    const now = Math.floor(test.clock.now / 1_000);
    const all = { iss: "signer", sub: "signer", aud: ISSUER, exp: now + 60, jti: `a${count++}`, ...claims };
    return new SignJWT(all).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
  }

  function signed(client_assertion: string, form: Record<string, string> = {}): Record<string, string> {
    return { ...grant, client_assertion, client_assertion_type: ASSERTION_TYPE, ...form };
  }

  function server(): TestServer {
    return new TestServer({ clients: [{ clientId: "signer", jwks: { keys: [jwk] }, grantTypes: GRANT_TYPES }] });
  }

  it("proves a client by its signature, with or without its id", async () => {
    const test = server();
    expect((await post(test, signed(await assertion(test)))).status).toBe(200);
    const second = signed(await assertion(test, { aud: `${ISSUER}/token` }), { client_id: "signer" });
    expect((await post(test, second)).status).toBe(200);
  });

  it("counts once", async () => {
    const test = server();
    const form = signed(await assertion(test));
    expect((await post(test, form)).status).toBe(200);
    expect(await post(test, form)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });

  it.each<[string, Record<string, unknown>]>([
    ["another audience", { aud: "https://other.example" }],
    ["another subject", { sub: "app" }],
    ["another issuer", { iss: "app" }],
    ["no end", { exp: undefined }],
    ["an end in the past", { exp: 1 }],
    ["an end far away", { exp: 9_999_999_999 }],
    ["no id", { jti: undefined }],
  ])("with %s is refused", async (_fault, claims) => {
    const test = server();
    const form = signed(await assertion(test, claims), { client_id: "signer" });
    expect(await post(test, form)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });

  it("of another type, of no JWT, or endless is refused", async () => {
    const test = server();
    const other = signed(await assertion(test), { client_assertion_type: "saml" });
    expect(await post(test, other)).toMatchObject({ status: 401 });
    expect(await post(test, signed("nonsense"))).toMatchObject({ status: 401 });
    expect(await post(test, signed("x".repeat(20_000), { client_id: "signer" }))).toMatchObject({ status: 401 });
  });

  it("of a client with a metadata document is checked with the keys it points to, which may rotate", async () => {
    let keys: unknown[] = [];
    let fetches = 0;
    const metadata = {
      client_id: CLIENT_URL,
      client_name: "Signer",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: KEYS_URL,
    };
    const test = new TestServer({
      autoApprove: { subject: "bob" },
      fetch: async (url) => {
        if (`${url}` === CLIENT_URL) return Response.json(metadata);
        fetches += 1;
        return Response.json({ keys });
      },
    });
    const { code } = await new TestBrowser(test).authorize({ client_id: CLIENT_URL });
    const redeem = async () =>
      test.redeem(`${code}`, {
        client_id: CLIENT_URL,
        client_assertion: await assertion(test, { iss: CLIENT_URL, sub: CLIENT_URL }),
        client_assertion_type: ASSERTION_TYPE,
      });
    expect((await redeem()).status).toBe(401);
    keys = [jwk];
    // A key set that is younger than a minute is not fetched again, whoever asks.
    test.clock.now += 50_000;
    expect([(await redeem()).status, fetches]).toEqual([401, 1]);
    test.clock.now += 9_999;
    expect([(await redeem()).status, fetches]).toEqual([401, 1]);
    test.clock.now += 1;
    expect([(await redeem()).body.error, fetches]).toEqual(["invalid_grant", 2]);
  });

  it("of a document without keys, or with keys that cannot be fetched, is refused", async () => {
    const document = (keys: object) => ({
      client_id: CLIENT_URL,
      client_name: "Signer",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "private_key_jwt",
      ...keys,
    });
    for (const keys of [{}, { jwks_uri: KEYS_URL }, { jwks: { keys: "none" } }]) {
      const test = new TestServer({
        fetch: async (url) =>
          `${url}` === CLIENT_URL ? Response.json(document(keys)) : new Response("", { status: 500 }),
      });
      const form = signed(await assertion(test, { iss: CLIENT_URL, sub: CLIENT_URL }));
      expect(await post(test, form)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    }
  });
});
