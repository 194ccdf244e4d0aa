import { base64url, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ISSUER, NOW, RESOURCE, TestIssuer } from "./issuer.fixture.js";
import { type JwtVerifierOptions, jwtVerifier } from "./jwt-verifier.js";

const FACTS = { resource: RESOURCE };
const INVALID = { name: "OAuthError", code: "invalid_token", message: expect.stringMatching(/invalid or has expired/) };

// jose reads the system's clock to decide when to fetch keys again.
beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

async function setUp(options: Partial<JwtVerifierOptions> = {}) {
  const issuer = await TestIssuer.create();
  const verifier = jwtVerifier({ issuer: ISSUER, fetch: issuer.fetch, ...options });
  return { issuer, verify: (token: string) => verifier.verify(token, FACTS), verifier };
}

describe("a signed token", () => {
  it("says whose it is and what it permits", async () => {
    const { issuer, verify } = await setUp();
    const auth = await verify(await issuer.token({ tenant: "acme" }));
    expect(auth).toMatchObject({
      issuer: ISSUER,
      subject: "ann",
      clientId: "app",
      scopes: ["files:read"],
      audience: RESOURCE,
      expiresAt: NOW + 300_000,
      claims: { tenant: "acme" },
    });
  });

  it.each([
    [{ scope: undefined, scp: ["a", "b"] }, { scopes: ["a", "b"] }],
    [{ scope: undefined, scp: "a b" }, { scopes: ["a", "b"] }],
    [{ scope: 7 }, { scopes: [] }],
    [{ client_id: undefined, azp: "app2" }, { clientId: "app2" }],
    [{ sub: "" }, { subject: undefined }],
    [{ aud: [RESOURCE, "other"] }, { audience: [RESOURCE, "other"] }],
    [{ aud: undefined }, { audience: undefined }],
  ])("with %j says %j", async (claims, expected) => {
    const { issuer, verify } = await setUp();
    expect(await verify(await issuer.token(claims))).toMatchObject(expected);
  });

  it("may be a minute past its time, or before it, and no more", async () => {
    const { issuer, verify } = await setUp();
    const at = (seconds: number) => issuer.token({ exp: NOW / 1_000 - seconds });
    await expect(verify(await at(59))).resolves.toBeDefined();
    await expect(verify(await at(61))).rejects.toMatchObject(INVALID);
    await expect(verify(await issuer.token({ nbf: NOW / 1_000 + 59 }))).resolves.toBeDefined();
    await expect(verify(await issuer.token({ nbf: NOW / 1_000 + 61 }))).rejects.toMatchObject(INVALID);
  });

  describe("without kid, at an issuer with several keys", () => {
    /** An issuer that publishes `count` keys, all without `kid`, and signs with any of them. */
    async function several(count: number) {
      const { issuer, verify } = await setUp();
      const pairs = await Promise.all(Array.from({ length: count }, () => generateKeyPair("ES256")));
      const keys = await Promise.all(
        pairs.map(async ({ publicKey }) => ({ ...(await exportJWK(publicKey)), alg: "ES256" })),
      );
      issuer.answers.set(`${ISSUER}/keys`, () => Response.json({ keys }));
      const sign = (pair: (typeof pairs)[number] | undefined, claims: object = {}) =>
        new SignJWT({ iss: ISSUER, sub: "ann", exp: NOW / 1_000 + 300, ...claims })
          .setProtectedHeader({ alg: "ES256" })
          .sign((pair as (typeof pairs)[number]).privateKey);
      return { pairs, sign, verify };
    }

    it("is verified with each of them", async () => {
      const { pairs, sign, verify } = await several(3);
      for (const pair of pairs) expect(await verify(await sign(pair))).toMatchObject({ subject: "ann" });
    });

    it("is refused for its signature if none fits, and for its claims if one does", async () => {
      const { pairs, sign, verify } = await several(2);
      const forged = verify(await sign(await generateKeyPair("ES256")));
      await expect(forged).rejects.toMatchObject({ ...INVALID, cause: { reason: "signature" } });
      const expired = verify(await sign(pairs[1], { exp: NOW / 1_000 - 300 }));
      await expect(expired).rejects.toMatchObject({ ...INVALID, cause: { reason: "expired" } });
    });

    it("is verified with sixteen of them at most", async () => {
      const { pairs, sign, verify } = await several(17);
      expect(await verify(await sign(pairs[15]))).toMatchObject({ subject: "ann" });
      await expect(verify(await sign(pairs[16]))).rejects.toMatchObject({ cause: { reason: "signature" } });
    });
  });

  it("whose header cannot be read is malformed", async () => {
    const { issuer, verify } = await setUp();
    const [, payload, signature] = (await issuer.token()).split(".");
    await expect(verify(`e30x.${payload}.${signature}`)).rejects.toMatchObject({ cause: { reason: "malformed" } });
  });

  it("must expire", async () => {
    const { issuer, verify } = await setUp();
    await expect(verify(await issuer.token({ exp: undefined }))).rejects.toMatchObject(INVALID);
  });

  it.each([{ toString: 7, valueOf: 7 }, [ISSUER], 7, null])("whose issuer is %j is of no issuer", async (iss) => {
    const { verify } = await setUp();
    const unsigned = [{ alg: "ES256" }, { iss }].map((part) => base64url.encode(JSON.stringify(part)));
    await expect(verify([...unsigned, "AAAA"].join("."))).rejects.toMatchObject(INVALID);
  });

  it.each(["dpop+jwt", "logout+jwt", "secevent+jwt", 7 as never])("of type %s is no access token", async (typ) => {
    const { issuer, verify } = await setUp();
    await expect(verify(await issuer.token({}, { typ }))).rejects.toMatchObject(INVALID);
  });

  it.each(["at+jwt", "application/AT+JWT", "JWT", undefined])("of type %s is one", async (typ) => {
    const { issuer, verify } = await setUp();
    await expect(verify(await issuer.token({}, { typ } as { typ?: string }))).resolves.toBeDefined();
  });

  it.each(["", "opaque", "a.b.c", "e30.e30.e30"])("is not %j", async (token) => {
    const { verify } = await setUp();
    await expect(verify(token)).rejects.toMatchObject(INVALID);
  });

  it("of another issuer, or of none, is refused without a fetch", async () => {
    const { issuer, verify } = await setUp();
    await expect(verify(await issuer.token({ iss: "https://evil.example" }))).rejects.toMatchObject(INVALID);
    await expect(verify(await issuer.token({ iss: undefined }))).rejects.toMatchObject(INVALID);
    expect(issuer.fetched).toEqual([]);
  });

  it("counts with the keys of its own issuer alone", async () => {
    const [one, two] = [await TestIssuer.create(), await TestIssuer.create("https://two.example")];
    const fetch = (...args: Parameters<typeof one.fetch>) =>
      (args[0].host === "two.example" ? two : one).fetch(...args);
    const verifier = jwtVerifier({ issuer: [ISSUER, two.issuer], fetch });
    await verifier.ready?.();
    await expect(verifier.verify(await two.token(), FACTS)).resolves.toMatchObject({ issuer: two.issuer });
    await expect(verifier.verify(await one.token({ iss: two.issuer }), FACTS)).rejects.toMatchObject(INVALID);
  });
});

describe("the algorithm", () => {
  it("is never none, nor one with the public key as its secret", async () => {
    const { issuer, verify } = await setUp();
    const claims = { iss: ISSUER, aud: RESOURCE, sub: "ann", exp: NOW / 1_000 + 300 };
    await expect(verify(new UnsecuredJWT(claims).encode())).rejects.toMatchObject(INVALID);
    const secret = base64url.decode(String(issuer.publicKey.x));
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "first" }).sign(secret);
    await expect(verify(confused)).rejects.toMatchObject(INVALID);
  });

  it("is one of the list", async () => {
    const { issuer, verify } = await setUp({ algorithms: ["RS256"] });
    await expect(verify(await issuer.token())).rejects.toMatchObject(INVALID);
  });
});

describe("keys", () => {
  it("that were rotated are fetched once, and tokens with unknown ones do not cause a fetch each", async () => {
    const { issuer, verify } = await setUp();
    await verify(await issuer.token());
    const before = await issuer.token();
    await issuer.rotate("second");
    const fetches = () => issuer.fetched.filter((url) => url.endsWith("/keys")).length;
    expect(fetches()).toBe(1);
    vi.setSystemTime(NOW + 31_000);
    await expect(verify(await issuer.token())).resolves.toBeDefined();
    expect(fetches()).toBe(2);
    await expect(verify(before)).rejects.toMatchObject(INVALID);
    for (let i = 0; i < 5; i += 1) {
      await expect(verify(await issuer.token({}, { kid: `made-up-${i}` }))).rejects.toMatchObject(INVALID);
    }
    expect(fetches()).toBe(2);
  });

  it.each([
    ["does not answer", () => new Response("", { status: 500 })],
    ["answers with a page", () => new Response("<p>Down for maintenance</p>")],
    ["answers with another document", () => Response.json({ keys: "none" })],
  ])("are used for an hour while the issuer %s", async (_what, answer) => {
    const { issuer, verify } = await setUp();
    await verify(await issuer.token());
    const token = await issuer.token({ exp: NOW / 1_000 + 10_000 });
    issuer.answers.set(`${ISSUER}/keys`, answer);
    vi.setSystemTime(NOW + 3_599_000);
    await expect(verify(token)).resolves.toBeDefined();
    vi.setSystemTime(NOW + 7_300_000);
    const failure = { code: "authorization-failed", message: `issuer "${ISSUER}": its keys cannot be fetched` };
    await expect(verify(token)).rejects.toMatchObject(failure);
  });

  it("may be named", async () => {
    const { issuer, verify } = await setUp({ jwksUri: `${ISSUER}/other-keys` });
    issuer.answers.set(`${ISSUER}/other-keys`, () => Response.json({ keys: [] }));
    await expect(verify(await issuer.token())).rejects.toMatchObject(INVALID);
    expect(issuer.fetched).toEqual([`${ISSUER}/other-keys`]);
  });

  it.each([
    [() => new Response("", { status: 500 }), /has no usable key set/],
    [() => new Response("{"), /has no usable key set/],
    [() => Response.json({ keys: 7 }), /has no usable key set/],
  ])("that cannot be had are named at the start", async (answer, message) => {
    const { issuer, verifier } = await setUp();
    issuer.answers.set(`${ISSUER}/keys`, answer);
    await expect(verifier.ready?.()).rejects.toMatchObject({
      code: "authorization-failed",
      message: expect.stringMatching(message),
    });
  });
});

describe("the issuer's metadata", () => {
  const WELL_KNOWN = `${ISSUER}/.well-known/oauth-authorization-server`;

  it("is looked for where OpenID has it, too", async () => {
    const { issuer, verifier } = await setUp();
    const answer = issuer.answers.get(WELL_KNOWN) as () => Response;
    issuer.answers.delete(WELL_KNOWN);
    issuer.answers.set(`${ISSUER}/.well-known/openid-configuration`, answer);
    await expect(verifier.ready?.()).resolves.toBeUndefined();
  });

  it.each([
    [() => new Response("", { status: 404 }), /oauth-authorization-server: HTTP 404; .*openid-configuration: HTTP 404/],
    [() => Response.json({ issuer: "https://evil.example" }), /names the issuer "https:\/\/evil.example"/],
    [() => Response.json({ issuer: ISSUER }), /its metadata has no jwks_uri/],
    [() => Response.json({}), /issuer is missing/],
  ])("that is no good says what is wrong", async (answer, message) => {
    const { issuer, verifier } = await setUp();
    issuer.answers.set(WELL_KNOWN, answer);
    await expect(verifier.ready?.()).rejects.toMatchObject({
      code: "authorization-failed",
      message: expect.stringMatching(message),
    });
  });

  it("that failed is fetched again after five seconds, not with each request", async () => {
    const { issuer, verify } = await setUp();
    const answer = issuer.answers.get(WELL_KNOWN) as () => Response;
    issuer.answers.delete(WELL_KNOWN);
    const token = await issuer.token();
    for (const at of [NOW, NOW + 4_999]) {
      vi.setSystemTime(at);
      await expect(verify(token)).rejects.toMatchObject({ code: "authorization-failed" });
    }
    expect(issuer.fetched).toHaveLength(2);
    issuer.answers.set(WELL_KNOWN, answer);
    vi.setSystemTime(NOW + 5_000);
    await expect(verify(token)).resolves.toBeDefined();
  });
});

it.each([
  [{ issuer: "login.example.com" }, /issuer: expected a URL/],
  [{ issuer: "http://login.example.com" }, /http is for loopback hosts alone/],
  [{ issuer: [] }, /issuer: expected at least one/],
  [{ algorithms: ["HS256"] }, /algorithms: expected some of RS256/],
  [{ algorithms: [] }, /algorithms/],
  [{ jwksUri: "keys" }, /jwksUri: expected a URL/],
  [{ issuer: [ISSUER, "https://two.example"], jwksUri: ISSUER }, /jwksUri: is for one issuer alone/],
])("refuses %j", (options, message) => {
  expect(() => jwtVerifier({ issuer: ISSUER, ...options })).toThrow(message);
});

it("refuses an option that would have no effect", () => {
  expect(() => jwtVerifier({ issuer: ISSUER, algorithm: ["ES256"] } as never)).toThrow(
    'jwtVerifier: there is no option "algorithm"; did you mean "algorithms"?',
  );
});
