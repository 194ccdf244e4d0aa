import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { FetchInit } from "../../transport/http/fetch-http.js";
import { type IntrospectionVerifierOptions, introspectionVerifier } from "./introspection-verifier.js";
import { ISSUER, NOW, RESOURCE, TestIssuer } from "./issuer.fixture.js";

const FACTS = { resource: RESOURCE };
const INVALID = { name: "OAuthError", code: "invalid_token" };
const ACTIVE = { active: true, sub: "ann", client_id: "app", scope: "a b", aud: RESOURCE, exp: NOW / 1_000 + 60 };

async function setUp(answer: () => Response, options: Partial<IntrospectionVerifierOptions> = {}) {
  const issuer = await TestIssuer.create();
  const calls: FetchInit[] = [];
  issuer.answers.set(`${ISSUER}/introspect`, answer);
  const verifier = introspectionVerifier({
    issuer: ISSUER,
    clientId: "mcp",
    clientSecret: "s3cret",
    now: () => NOW,
    fetch: (url, init) => {
      if (init.method === "POST") calls.push(init);
      return issuer.fetch(url, init);
    },
    ...options,
  });
  return { issuer, calls, verifier };
}

describe("introspection", () => {
  it("asks the issuer with the resource's own credentials", async () => {
    const { verifier, calls } = await setUp(() => Response.json(ACTIVE));
    await verifier.ready?.();
    expect(await verifier.verify("opaque", FACTS)).toMatchObject({
      issuer: ISSUER,
      subject: "ann",
      clientId: "app",
      scopes: ["a", "b"],
      audience: RESOURCE,
      expiresAt: ACTIVE.exp * 1_000,
    });
    expect(calls[0]?.headers.authorization).toBe(`Basic ${btoa("mcp:s3cret")}`);
    expect(calls[0]?.body).toContain("token=opaque");
  });

  it("leaves the marks of an id and a secret unchanged, as for issuers that do not decode them", async () => {
    const { verifier, calls } = await setUp(() => Response.json(ACTIVE), {
      clientId: "mcp-1.x",
      clientSecret: "a_b/c",
    });
    await verifier.verify("opaque", FACTS);
    expect(calls[0]?.headers.authorization).toBe(`Basic ${btoa("mcp-1.x:a_b%2Fc")}`);
  });

  it("may leave out when the token expires", async () => {
    const { verifier } = await setUp(() => Response.json({ active: true }));
    const auth = await verifier.verify("opaque", FACTS);
    expect([auth.expiresAt, auth.scopes]).toEqual([undefined, []]);
  });

  it.each([
    ["inactive", { active: false }],
    ["issuer", { ...ACTIVE, iss: "https://evil.example" }],
    ["expired", { ...ACTIVE, exp: NOW / 1_000 - 61 }],
    ["not-yet-valid", { ...ACTIVE, nbf: NOW / 1_000 + 61 }],
  ])("makes a token invalid, with the reason %s, for %j", async (reason, answer) => {
    const { verifier } = await setUp(() => Response.json(answer));
    await expect(verifier.verify("opaque", FACTS)).rejects.toMatchObject({ ...INVALID, cause: { reason } });
  });

  it.each([
    () => new Response("", { status: 401, headers: { "www-authenticate": "Basic" } }),
    () => Response.json({ error: "invalid_client" }, { status: 401 }),
  ])("that refuses the resource's own credentials names the options", async (answer) => {
    const { verifier } = await setUp(answer);
    await expect(verifier.verify("opaque-token", FACTS)).rejects.toMatchObject({
      code: "authorization-failed",
      message: expect.stringMatching(/check clientId and clientSecret of introspectionVerifier/),
    });
  });

  it.each([
    () => new Response("", { status: 500 }),
    () => Response.json({ error: "invalid_request", error_description: "no opaque-token of s3cret" }, { status: 400 }),
    () => Response.json({ active: "yes", token: "opaque-token" }),
    () => new Response("{"),
  ])("that fails is the issuer's fault, and the error has no secret in it", async (answer) => {
    const { verifier } = await setUp(answer);
    const failure = await verifier.verify("opaque-token", FACTS).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "authorization-failed",
      message: expect.stringMatching(/did not answer as RFC 7662 asks/),
    });
    expect(inspect(failure, { depth: 10 })).not.toMatch(/s3cret|opaque-token/);
  });

  it("of an issuer that cannot be reached keeps the reason", async () => {
    const { verifier } = await setUp(() => {
      throw new Error("no route");
    });
    await expect(verifier.verify("opaque", FACTS)).rejects.toMatchObject({
      code: "authorization-failed",
      cause: { message: expect.stringContaining("no route") },
    });
  });

  it("takes an endpoint that the metadata does not name, and misses one", async () => {
    const endpoint = `${ISSUER}/elsewhere`;
    const named = await setUp(() => Response.json(ACTIVE), { endpoint });
    named.issuer.answers.set(endpoint, () => Response.json(ACTIVE));
    await expect(named.verifier.verify("opaque", FACTS)).resolves.toBeDefined();
    const { issuer, verifier } = await setUp(() => Response.json(ACTIVE));
    issuer.answers.set(`${ISSUER}/.well-known/oauth-authorization-server`, () => Response.json({ issuer: ISSUER }));
    const missing = { code: "authorization-failed", message: expect.stringMatching(/has no introspection_endpoint/) };
    await expect(verifier.ready?.()).rejects.toMatchObject(missing);
  });

  it("reads the system's clock unless given one", async () => {
    const { verifier } = await setUp(() => Response.json({ ...ACTIVE, exp: 1 }), { now: undefined });
    await expect(verifier.verify("opaque", FACTS)).rejects.toMatchObject(INVALID);
  });
});

it.each([
  [{ issuer: "x" }, /issuer: expected a URL/],
  [{ endpoint: "x" }, /endpoint: expected the URL/],
  [{ clientId: "" }, /clientId: got ""; is its environment variable set/],
  [{ clientSecret: undefined }, /clientSecret: got undefined; is its environment variable set/],
])("refuses %j", (options, message) => {
  const make = () => introspectionVerifier({ issuer: ISSUER, clientId: "a", clientSecret: "b", ...options });
  expect(make).toThrow(message);
});

it("refuses an option that would have no effect", () => {
  const options = { issuer: ISSUER, clientId: "mcp", clientSecret: "s3cret", skew: 0 };
  expect(() => introspectionVerifier(options as never)).toThrow('introspectionVerifier: there is no option "skew"');
});
