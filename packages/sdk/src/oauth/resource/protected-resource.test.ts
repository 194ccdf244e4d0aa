import { describe, expect, it, vi } from "vitest";
import type { HttpRefusal } from "../../hosting/http/http-refusal.js";
import type { AuthInfo } from "../../transport/auth-info.js";
import type { Caller } from "../../transport/caller.js";
import { createDpopProof, type DpopKey, generateDpopKey } from "../grammar/dpop-proof.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { ISSUER, NOW, RESOURCE, TestIssuer } from "./issuer.fixture.js";
import { type ProtectedResource, protectedResource } from "./protected-resource.js";
import type { ProtectedResourceOptions } from "./protected-resource-options.js";
import type { VerifyToken } from "./token-verifier.js";

const METADATA_URL = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";

const present = (headers: Record<string, string>, method = "POST", path = "/mcp") => ({
  method,
  path,
  header: (name: string) => headers[name],
});

const bearer = (token: string) => present({ authorization: `Bearer ${token}` });

const refusalOf = async (gate: ProtectedResource, request: ReturnType<typeof present>): Promise<HttpRefusal> => {
  try {
    await gate.authenticate(request);
  } catch (error) {
    return error as HttpRefusal;
  }
  throw new Error("It was let in");
};

async function withIssuer(options: Partial<ProtectedResourceOptions> = {}) {
  const issuer = await TestIssuer.create();
  const now = () => issuer.now;
  const gate = protectedResource({ resource: RESOURCE, issuer: ISSUER, fetch: issuer.fetch, now, ...options });
  return { issuer, gate, let: (token: string) => gate.authenticate(bearer(token)) };
}

/** A gate whose tokens are names of what they are worth. */
function withTokens(tokens: Record<string, Partial<AuthInfo>>, options: Partial<ProtectedResourceOptions> = {}) {
  const clock = { now: NOW };
  const verifier = vi.fn<VerifyToken>((token) => {
    const known = tokens[token];
    return known && { scopes: [], claims: {}, audience: RESOURCE, subject: "ann", issuer: ISSUER, ...known };
  });
  const now = () => clock.now;
  return {
    clock,
    verifier,
    gate: protectedResource({ resource: RESOURCE, issuer: ISSUER, verifier, now, ...options }),
  };
}

describe("a valid token", () => {
  it("tells who calls, with an expiry that has the skew in it", async () => {
    const { issuer, gate } = await withIssuer();
    await gate.ready();
    const caller = await gate.authenticate(bearer(await issuer.token()));
    expect(caller.principal).toBe(JSON.stringify([ISSUER, "user", "ann"]));
    expect(caller.auth).toMatchObject({ subject: "ann", clientId: "app", scopes: ["files:read"] });
    expect(caller.expiresAt).toBe(NOW + 360_000);
  });

  it("is answered at once when it was verified lately", async () => {
    const { gate, verifier, clock } = withTokens({ good: {} });
    const first = await gate.authenticate(bearer("good"));
    expect(gate.authenticate(bearer("good"))).toBe(first);
    await expect(gate.authenticate(present({ authorization: "bearer good" }))).resolves.toBe(first);
    clock.now += 59_999;
    expect(gate.authenticate(bearer("good"))).toBe(first);
    expect(verifier).toHaveBeenCalledTimes(1);
    clock.now += 1;
    expect(gate.authenticate(bearer("good"))).toBeInstanceOf(Promise);
    expect(verifier).toHaveBeenCalledTimes(2);
  });

  it("is not remembered beyond its expiry", async () => {
    const { gate, clock, verifier } = withTokens({ good: { expiresAt: NOW + 1_000 } }, { skewMs: 500 });
    await gate.authenticate(bearer("good"));
    clock.now = NOW + 1_500;
    expect(await refusalOf(gate, bearer("good"))).toMatchObject({ status: 401 });
    expect(verifier).toHaveBeenCalledTimes(2);
  });

  it("is verified once for requests that arrive together", async () => {
    const { gate, verifier } = withTokens({ good: {} });
    const callers = await Promise.all(Array.from({ length: 5 }, () => gate.authenticate(bearer("good"))));
    expect(new Set(callers).size).toBe(1);
    expect(verifier).toHaveBeenCalledTimes(1);
  });

  it("of a client without a user, or of nobody, has a principal of its own that is no token", async () => {
    const { gate } = withTokens({
      client: { subject: undefined, clientId: "app" },
      nobody: { subject: undefined, issuer: undefined },
    });
    const principal = async (token: string) => (await gate.authenticate(bearer(token))).principal;
    expect(await principal("client")).toBe(JSON.stringify([ISSUER, "client", "app"]));
    expect(await principal("nobody")).toMatch(/^\["","token","[0-9a-f]{64}"\]$/);
  });

  it.each([{ "x5t#S256": "certificate" }, { jkt: 7 }, null])(
    "bound by %j is refused, since nobody could check it",
    async (cnf) => {
      const { gate } = withTokens({ bound: { claims: { cnf } } });
      await expect(gate.authenticate(bearer("bound"))).rejects.toMatchObject({ status: 401 });
    },
  );

  it("of a client that acts for itself is not that of a user with the same name", async () => {
    const { gate } = withTokens({
      user: { subject: "backup", clientId: "app" },
      client: { subject: "backup", clientId: "backup" },
    });
    const principal = async (token: string) => (await gate.authenticate(bearer(token))).principal;
    expect(await principal("user")).toBe(JSON.stringify([ISSUER, "user", "backup"]));
    expect(await principal("client")).toBe(JSON.stringify([ISSUER, "client", "backup"]));
  });

  it("has the scopes that its scopes imply", async () => {
    const impliedScopes = { admin: ["write"], write: ["read", "admin"] };
    const { gate } = withTokens({ good: { scopes: ["admin", "other"] } }, { impliedScopes });
    expect((await gate.authenticate(bearer("good"))).auth?.scopes).toEqual(["admin", "other", "write", "read"]);
  });

  it("is asked for more scopes with all that are needed", async () => {
    const { gate } = withTokens({ good: {} });
    const caller = await gate.authenticate(bearer("good"));
    expect(caller.scopeChallenge?.(["a", "b"])).toBe(
      `Bearer error="insufficient_scope", error_description="This needs an access token with a b", ` +
        `scope="a b", resource_metadata="${METADATA_URL}"`,
    );
  });
});

describe("the audience", () => {
  const accepts = async (audience: string | string[] | undefined, options: Partial<ProtectedResourceOptions> = {}) => {
    const { gate } = withTokens({ t: { audience } }, options);
    const outcome = await Promise.resolve(gate.authenticate(bearer("t"))).catch((error: HttpRefusal) => error.status);
    return typeof outcome === "number" ? outcome : true;
  };

  it.each([
    [RESOURCE, true],
    [`${RESOURCE}/`, true],
    ["HTTPS://MCP.example.com/mcp", true],
    [["https://other.example", RESOURCE], true],
    [undefined, 401],
    [[], 401],
    ["", 401],
    ["https://mcp.example.com", 401],
    ["https://mcp.example.com/mcp/child", 401],
    ["https://mcp.example.com/mcp2", 401],
    ["https://mcp.example.com:99999/mcp", 401],
    ["https://mcp.example.com:x/mcp", 401],
    ["http://mcp.example.com/mcp", 401],
    ["mcp", 401],
  ])("%j: %s", async (audience, expected) => {
    expect(await accepts(audience)).toBe(expected);
  });

  it("may have another name here, or be the verifier's to check", async () => {
    expect(await accepts("api://mcp", { audiences: ["api://mcp"] })).toBe(true);
    expect(await accepts(undefined, { audiences: ["api://mcp"] })).toBe(401);
    expect(await accepts(undefined, { verifierChecksAudience: true })).toBe(true);
  });
});

describe("a refusal", () => {
  it("without a token names the scopes and the metadata, and no error", async () => {
    const { gate } = withTokens({}, { requiredScopes: ["mcp"], scopesSupported: ["other"] });
    for (const headers of [{}, { authorization: "Basic YTpi" }]) {
      const refusal = await refusalOf(gate, present(headers as Record<string, string>));
      expect(refusal).toMatchObject({ status: 401, error: { message: "Unauthorized: this needs an access token" } });
      expect(refusal.headers["www-authenticate"]).toBe(`Bearer scope="mcp", resource_metadata="${METADATA_URL}"`);
    }
  });

  it("names the scopes for basic use where none is required, and none where there are none", async () => {
    const supported = await refusalOf(withTokens({}, { scopesSupported: ["basic"] }).gate, present({}));
    expect(supported.headers["www-authenticate"]).toContain('scope="basic"');
    const none = await refusalOf(withTokens({}).gate, present({}));
    expect(none.headers["www-authenticate"]).toBe(`Bearer resource_metadata="${METADATA_URL}"`);
  });

  it.each(["Bearer", "Bearer ", "Bearer a b", "Bearer a, Bearer b", "Bearer a,b", "DPoP", 'Bearer "a"'])(
    "of %j is 400",
    async (authorization) => {
      const refusal = await refusalOf(withTokens({ a: {} }).gate, present({ authorization }));
      expect(refusal).toMatchObject({ status: 400, error: { data: { error: "invalid_request" } } });
      expect(refusal.headers["www-authenticate"]).toContain('error="invalid_request"');
    },
  );

  it.each([
    ["unknown", {}],
    ["old", { expiresAt: NOW - 60_001 }],
    ["x".repeat(16_385), {}],
  ])("of a bad token is 401 and never says why", async (token, auth) => {
    const tokens = token === "unknown" ? {} : { [token]: auth };
    const refusal = await refusalOf(withTokens(tokens).gate, bearer(token));
    expect(refusal.status).toBe(401);
    expect(refusal.headers["www-authenticate"]).toBe(
      `Bearer error="invalid_token", error_description="The access token is invalid or has expired", ` +
        `resource_metadata="${METADATA_URL}"`,
    );
    expect(refusal.error).toMatchObject({ data: { error: "invalid_token" } });
  });

  it.each([
    ["audience", `aud is "https://evil.example"; expected "${RESOURCE}"`, { aud: "https://evil.example" }, {}],
    ["audience", `aud is undefined; expected "${RESOURCE}"`, { aud: undefined }, {}],
    ["expired", '"exp" claim', { exp: NOW / 1_000 - 600 }, {}],
    ["not-yet-valid", "nbf", { nbf: NOW / 1_000 + 600 }, {}],
    ["claims", '"exp" claim', { exp: undefined }, {}],
    ["issuer", `iss is "https://evil.example"; expected "${ISSUER}"`, { iss: "https://evil.example" }, {}],
    ["unknown-key", "key", {}, { kid: "made-up" }],
    ["type", 'typ is "dpop+jwt"', {}, { typ: "dpop+jwt" }],
  ])("tells onRefusal that the %s is wrong", async (reason, complaint, claims, header) => {
    const { issuer, gate } = await withIssuer();
    const token = await issuer.token(claims, header);
    // The second time the answer comes from memory.
    for (let round = 0; round < 2; round += 1) {
      const { cause, error } = await refusalOf(gate, bearer(token));
      expect(cause).toMatchObject({ name: "TokenRejection", reason, message: expect.stringContaining(complaint) });
      expect(`${(cause as Error).message}`).not.toContain(token);
      expect(JSON.stringify(error)).not.toContain(complaint);
    }
  });

  it("tells onRefusal of a forged signature, an opaque token and a verifier's own words", async () => {
    const { issuer, gate } = await withIssuer();
    const [head, claims] = (await issuer.token()).split(".");
    const forged = `${head}.${claims}.${"A".repeat(86)}`;
    expect((await refusalOf(gate, bearer(forged))).cause).toMatchObject({ reason: "signature" });
    expect((await refusalOf(gate, bearer("opaque"))).cause).toMatchObject({ reason: "malformed" });
    const verifier = () => Promise.reject(new OAuthError("invalid_token", "the token was revoked"));
    const own = protectedResource({ resource: RESOURCE, issuer: ISSUER, verifier });
    expect((await refusalOf(own, bearer("a"))).cause).toMatchObject({
      reason: "inactive",
      message: "invalid_token: the token was revoked",
    });
  });

  it("for want of the issuer is 503", async () => {
    const { issuer, gate, let: admit } = await withIssuer();
    issuer.answers.clear();
    await expect(admit(await issuer.token())).rejects.toMatchObject({
      status: 503,
      headers: { "retry-after": "5" },
      cause: { code: "authorization-failed" },
    });
    await expect(gate.ready()).rejects.toMatchObject({ code: "authorization-failed" });
  });

  it("for want of room is 503, and verifiers that crash are reported as they are", async () => {
    const { gate } = withTokens({ good: {}, more: {} }, { maxPendingTokens: 1 });
    const first = gate.authenticate(bearer("good"));
    expect(await refusalOf(gate, bearer("more"))).toMatchObject({ status: 503 });
    await first;
    await expect(gate.authenticate(bearer("more"))).resolves.toBeDefined();
    const verifier = () => Promise.reject(new TypeError("mine"));
    const failing = protectedResource({ resource: RESOURCE, issuer: ISSUER, verifier });
    await expect(failing.authenticate(bearer("a"))).rejects.toThrow("mine");
  });
});

it("a verifier that takes too long is given up on, and its place is free", async () => {
  const verifier = vi.fn<VerifyToken>(() => new Promise(() => undefined));
  const options = { resource: RESOURCE, issuer: ISSUER, verifier, verifyTimeoutMs: 10, maxPendingTokens: 1 };
  const gate = protectedResource(options);
  for (const token of ["one", "two"]) expect(await refusalOf(gate, bearer(token))).toMatchObject({ status: 503 });
  expect(verifier).toHaveBeenCalledTimes(2);
});

describe("an issuer that cannot be reached before the server listens", () => {
  const ready = (issuer: string, options: Partial<ProtectedResourceOptions> = {}) =>
    protectedResource({
      ...{
        resource: "http://127.0.0.1:3000/mcp",
        issuer,
        fetch: () => Promise.reject(new Error("refused")),
        ...options,
      },
    }).ready();

  it("may be served by the same process, and the error says what to pass then", async () => {
    await expect(ready("http://127.0.0.1:3000")).rejects.toMatchObject({
      code: "authorization-failed",
      message: expect.stringContaining("pass `verifier: login.verifyAccessToken`"),
    });
    await expect(ready("https://login.example.com")).rejects.not.toThrow("verifyAccessToken");
    const verifier = {
      ready: () => Promise.reject(new Error("mine")),
      verify: () => Promise.reject(new Error("never")),
    };
    await expect(ready("http://127.0.0.1:3000", { verifier })).rejects.toThrow("mine");
  });
});

describe("a cache that is full", () => {
  it("forgets the oldest token", async () => {
    const { gate, verifier } = withTokens({ a: {}, b: {}, c: {} }, { maxCachedTokens: 2 });
    for (const token of ["a", "b", "c"]) await gate.authenticate(bearer(token));
    expect(gate.authenticate(bearer("c"))).not.toBeInstanceOf(Promise);
    await gate.authenticate(bearer("a"));
    expect(verifier).toHaveBeenCalledTimes(4);
  });

  it("keeps no token that is larger than all of it", async () => {
    const { gate } = withTokens({ a: { claims: { photo: "x".repeat(1_000) } } }, { maxCachedBytes: 1_000 });
    await gate.authenticate(bearer("a"));
    expect(gate.authenticate(bearer("a"))).toBeInstanceOf(Promise);
  });
});

describe("the metadata", () => {
  it("names the resource, its issuers and how to send tokens", () => {
    const gate = protectedResource({
      resource: "HTTPS://mcp.example.com/mcp",
      issuer: [ISSUER, "https://two.example"],
      scopesSupported: ["files:read"],
      name: "Files",
      documentation: "https://docs.example.com",
      dpop: { required: true },
    });
    expect(gate.metadata).toEqual({
      resource: RESOURCE,
      authorization_servers: [ISSUER, "https://two.example"],
      scopes_supported: ["files:read"],
      bearer_methods_supported: ["header"],
      resource_name: "Files",
      resource_documentation: "https://docs.example.com",
      dpop_signing_alg_values_supported: expect.arrayContaining(["ES256"]),
      dpop_bound_access_tokens_required: true,
    });
    expect(gate.metadataUrl).toBe(METADATA_URL);
  });

  it("lies at the path of the resource and at the root", () => {
    const pathsOf = (resource: string) => [...protectedResource({ resource, issuer: ISSUER }).documents.keys()];
    const root = "/.well-known/oauth-protected-resource";
    expect(pathsOf(RESOURCE)).toEqual([`${root}/mcp`, root]);
    expect(pathsOf("http://127.0.0.1:3000")).toEqual([root]);
  });
});

describe("check", () => {
  const request = (token?: string) =>
    new Request(RESOURCE, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });

  it("gives what the token says", async () => {
    const { gate } = withTokens({ good: { scopes: ["mcp"] } }, { requiredScopes: ["mcp"] });
    expect(await gate.check(request("good"))).toMatchObject({ subject: "ann", scopes: ["mcp"] });
  });

  it.each([
    [undefined, 401, { error_description: "Unauthorized: this needs an access token" }],
    ["bad", 401, { error: "invalid_token", error_description: expect.any(String) }],
    ["poor", 403, { error: "insufficient_scope", error_description: expect.any(String) }],
  ])("gives the response to send for %s", async (token, status, body) => {
    const { gate } = withTokens({ poor: {} }, { requiredScopes: ["mcp"] });
    const response = (await gate.check(request(token))) as Response;
    expect(response.status).toBe(status);
    expect(response.headers.get("www-authenticate")).toContain('scope="mcp"');
    expect(await response.json()).toEqual(body);
  });

  it("rejects with what a verifier of one's own threw", async () => {
    const verifier = () => Promise.reject(new TypeError("mine"));
    const gate = protectedResource({ resource: RESOURCE, issuer: ISSUER, verifier });
    await expect(gate.check(request("a"))).rejects.toThrow("mine");
  });
});

describe("a token that is bound to a key", () => {
  async function setUp(options: Partial<ProtectedResourceOptions> = {}) {
    const key = await generateDpopKey();
    const now = { now: undefined };
    const set = withTokens({ bound: { claims: { cnf: { jkt: key.thumbprint } } }, free: {} }, { ...now, ...options });
    const prove = async (claims: Partial<Parameters<typeof createDpopProof>[1]> = {}, by: DpopKey = key) =>
      createDpopProof(by, { method: "POST", url: RESOURCE, accessToken: "bound", ...claims });
    const send = (proof?: string, path = "/mcp") =>
      present({ authorization: "DPoP bound", ...(proof !== undefined && { dpop: proof }) }, "POST", path);
    return { ...set, key, prove, send };
  }

  it("is accepted with a proof for each request, and asked for scopes in its own scheme", async () => {
    const { gate, prove, send } = await setUp();
    const caller: Caller = await gate.authenticate(send(await prove()));
    await expect(gate.authenticate(send(await prove()))).resolves.toBe(caller);
    expect(caller.scopeChallenge?.(["a"])).toMatch(/^DPoP error="insufficient_scope".* algs="ES256 /);
  });

  it("is proven for the resource's URL, or for the path that was called", async () => {
    const { gate, prove, send } = await setUp();
    await expect(gate.authenticate(send(await prove(), "/"))).resolves.toBeDefined();
    const other = await prove({ url: "https://mcp.example.com/messages" });
    await expect(gate.authenticate(send(other, "/messages"))).resolves.toBeDefined();
  });

  it("is refused as Bearer, also once it is known", async () => {
    const { gate, prove, send } = await setUp();
    expect(await refusalOf(gate, bearer("bound"))).toMatchObject({ status: 401 });
    await gate.authenticate(send(await prove()));
    expect(await refusalOf(gate, bearer("bound"))).toMatchObject({ error: { data: { error: "invalid_token" } } });
  });

  it("is refused with a proof that is missing, broken, used, of another key, method, URL or token", async () => {
    const { gate, prove, send } = await setUp();
    const used = await prove();
    await gate.authenticate(send(used));
    const proofs = [undefined, "broken", `${used}, ${used}`, used, await prove({ method: "GET" })];
    proofs.push(await prove({ url: "https://evil.example/mcp" }), await prove({ accessToken: "free" }));
    for (const proof of proofs) {
      const refusal = await refusalOf(gate, send(proof));
      expect(refusal).toMatchObject({ status: 401, error: { data: { error: "invalid_dpop_proof" } } });
      expect(refusal.headers["www-authenticate"]).toMatch(/^DPoP error="invalid_dpop_proof".*algs="ES256 /);
    }
    const stolen = await refusalOf(gate, send(await prove({}, await generateDpopKey())));
    expect(stolen).toMatchObject({ status: 401, error: { data: { error: "invalid_token" } } });
  });

  it("may be the only one that is accepted", async () => {
    const { gate, prove, send } = await setUp({ dpop: { required: true } });
    await expect(gate.authenticate(send(await prove()))).resolves.toBeDefined();
    for (const request of [bearer("free"), bearer("free"), present({})]) {
      const refusal = await refusalOf(gate, request);
      expect(refusal.status).toBe(401);
      expect(refusal.headers["www-authenticate"]).toMatch(/^DPoP /);
    }
  });

  it("may need a nonce, which the refusal brings", async () => {
    const { gate, prove, send } = await setUp({ dpop: { nonces: true, nonceSecret: new Uint8Array(32) } });
    const refusal = await refusalOf(gate, send(await prove()));
    expect(refusal).toMatchObject({ status: 401, error: { data: { error: "use_dpop_nonce" } } });
    const nonce = String(refusal.headers["dpop-nonce"]);
    await expect(gate.authenticate(send(await prove({ nonce })))).resolves.toBeDefined();
  });

  it("is what the DPoP scheme is for: others are refused with it", async () => {
    const { gate, prove } = await setUp();
    const request = present({ authorization: "DPoP free", dpop: await prove({ accessToken: "free" }) });
    expect(await refusalOf(gate, request)).toMatchObject({ status: 401, error: { data: { error: "invalid_token" } } });
  });
});

it.each([
  [{ resource: "mcp.example.com" }, /a resource must be an absolute URL/],
  [{ resource: "http://mcp.example.com/mcp" }, /resource "http:\/\/mcp.example.com\/mcp" must use https/],
  [{ resource: "https://mcp.example.com/mcp#tools" }, /#tools" must have no fragment/],
  [{ scopes: ["read"] }, /protectedResource: there is no option "scopes"/],
  [
    { onRefusal: () => undefined },
    /there is no option "onRefusal"; it is an option of the host: serveHttp\(server, \{ onRe/,
  ],
  [{ dpop: { requird: true } }, /protectedResource: dpop: there is no option "requird"; did you mean "required"/],
  [{ dpop: { required: "yes" } }, /protectedResource: dpop: required: expected true or false/],
  [{ verifier: { verifyAccessToken: () => undefined } as never }, /write `verifier: login.verifyAccessToken`/],
  [{ issuer: [] }, /issuer: expected at least one/],
  [{ issuer: "x" }, /issuer: expected a URL/],
  [{ scopesSupported: "files:read" as never }, /scopesSupported: expected a list/],
  [{ scopesSupported: ["offline_access"] }, /scopesSupported: offline_access is for clients/],
  [{ requiredScopes: ["offline_access"] }, /requiredScopes: offline_access/],
  [{ requiredScopes: ["a b"] }, /requiredScopes: "a b" is no scope/],
  [{ impliedScopes: { "files:all": "files:read" } as never }, /impliedScopes: files:all: expected a list of scopes/],
  [{ cacheMs: 0 }, /cacheMs: expected milliseconds from 1 to/],
  [{ maxCachedTokens: 0 }, /maxCachedTokens/],
  [{ dpop: { maxRememberedProofs: 0 } }, /dpop.maxRememberedProofs: expected a number from 1/],
])("refuses %j", (options, message) => {
  expect(() => protectedResource({ resource: RESOURCE, issuer: ISSUER, ...(options as object) })).toThrow(message);
});

it("says what to pass instead of nothing", () => {
  expect(() => protectedResource(undefined as never)).toThrow(
    "protectedResource: expected an object with some of resource",
  );
});
