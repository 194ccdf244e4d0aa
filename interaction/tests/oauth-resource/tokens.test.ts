import { createHash } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { base64url, calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { type HttpServerHandle, type ServeHttpOptions, serveHttp } from "parley-mcp/node";
import {
  introspectionVerifier,
  jwtVerifier,
  type ProtectedResourceOptions,
  protectedResource,
  TokenRejection,
  type VerifyToken,
} from "parley-mcp/oauth/resource";
import { McpServer } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { callPost, exchange, type Outcome } from "../../src/http/http-posts.js";
import { bearer, ISSUER, RESOURCE, TestIssuer } from "../../src/oauth/test-issuer.js";
import { verifies } from "../../src/verifies.js";

const METADATA = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"';

async function protect(options: Partial<ProtectedResourceOptions> = {}, more: ServeHttpOptions = {}) {
  const issuer = await TestIssuer.create();
  const server = new McpServer({ name: "files", version: "1.0.0", onError: () => {} });
  server.tool("who", {}, (_args, { auth }) => JSON.stringify(auth));
  const http: HttpServerHandle = await serveHttp(server, {
    ...more,
    authorization: protectedResource({ ...issuer.options, ...options }),
  });
  const call = (headers: Record<string, string> = {}, query = ""): Promise<Outcome> =>
    exchange(http.url + query, callPost("who", {}, headers));
  return { issuer, server, http, call, [Symbol.asyncDispose]: () => http.close() };
}

function challengeOf({ headers }: Outcome): string {
  return headers.get("www-authenticate") ?? "";
}

function textOf(answer: unknown): string {
  const { result } = answer as { result: { content: readonly { text: string }[] } };
  return result.content.map(({ text }) => text).join("");
}

verifies(
  "hosting:auth:missing-401",
  "a request without a token is 401 with a challenge that names the metadata and the scopes",
  async () => {
    await using resource = await protect({ requiredScopes: ["files:read"] });
    for (const headers of [{}, { authorization: "Basic YTpi" }]) {
      const refused = await resource.call(headers as Record<string, string>);
      expect(refused.status).toBe(401);
      expect(challengeOf(refused)).toBe(`Bearer scope="files:read", ${METADATA}`);
      expect(refused.json).toMatchObject({ error: { message: "Unauthorized: this needs an access token" } });
    }
  },
);

verifies(
  "hosting:auth:invalid-401",
  "an invalid token is 401 with invalid_token, and the answer does not say why",
  async () => {
    await using resource = await protect();
    const other = await TestIssuer.create();
    const foreign = await resource.issuer.token({ iss: "https://evil.example" });
    const odd = await resource.issuer.token({ iss: { toString: 7, valueOf: 7 } });
    for (const token of ["garbage", await other.token(), foreign, odd, "x".repeat(10_000)]) {
      const refused = await resource.call(bearer(token));
      expect(refused.status).toBe(401);
      expect(challengeOf(refused)).toBe(
        `Bearer error="invalid_token", error_description="The access token is invalid or has expired", ${METADATA}`,
      );
    }
  },
);

verifies("hosting:auth:expired-401", "an expired token is 401 with invalid_token", async () => {
  await using resource = await protect();
  const refused = await resource.call(bearer(await resource.issuer.token({ exp: 1 })));
  expect(refused.status).toBe(401);
  expect(challengeOf(refused)).toContain('error="invalid_token"');
});

verifies(
  "hosting:auth:aud-validation",
  "a token for another audience is 401, such as a child or a sibling path, and a trailing slash makes no difference",
  async () => {
    await using resource = await protect();
    const statusOf = async (aud: unknown) => (await resource.call(bearer(await resource.issuer.token({ aud })))).status;
    for (const aud of [RESOURCE, `${RESOURCE}/`, ["https://other.example", RESOURCE]]) {
      expect([aud, await statusOf(aud)]).toEqual([aud, 200]);
    }
    const wrong = [undefined, [], "mcp", "https://mcp.example.com", `${RESOURCE}/child`, `${RESOURCE}2`];
    for (const aud of [...wrong, "https://mcp.example.com:99999/mcp", "https://mcp.example.com:x/mcp"]) {
      expect([aud, await statusOf(aud)]).toEqual([aud, 401]);
    }
  },
);

verifies(
  "hosting:auth:query-token-ignored",
  "a valid token in the query string is ignored, and the request is 401",
  async () => {
    await using resource = await protect();
    const token = await resource.issuer.token();
    const refused = await resource.call({}, `?access_token=${token}`);
    expect(refused.status).toBe(401);
    expect(challengeOf(refused)).not.toContain("error=");
  },
);

verifies(
  "hosting:auth:authinfo-propagates",
  "handlers read subject, client, scopes, expiry and claims of the token as the issuer wrote them",
  async () => {
    await using resource = await protect();
    const exp = Math.floor(Date.now() / 1_000) + 300;
    const token = await resource.issuer.token({ scope: "files:read files:write", tenant: "acme", exp });
    const { json } = await resource.call(bearer(token));
    expect(JSON.parse(textOf(json))).toMatchObject({
      issuer: ISSUER,
      subject: "ann",
      clientId: "app",
      scopes: ["files:read", "files:write"],
      expiresAt: exp * 1_000,
      claims: { tenant: "acme" },
    });
  },
);

verifies(
  "oauth-resource:token-hidden",
  "handlers see the headers of their caller without Authorization and DPoP",
  async () => {
    await using resource = await protect();
    resource.server.tool("headers", {}, (_args, { caller }) => JSON.stringify(caller?.headers));
    const headers = { ...bearer(await resource.issuer.token()), dpop: "proof", "x-trace": "7" };
    const { json } = await exchange(resource.http.url, callPost("headers", {}, headers));
    const seen: Record<string, string> = JSON.parse(textOf(json));
    expect([seen["x-trace"], seen.authorization, seen.dpop]).toEqual(["7", undefined, undefined]);
  },
);

verifies(
  "oauth-resource:malformed-400",
  "a request with two Authorization headers is 400, although each has a valid token",
  async () => {
    await using resource = await protect();
    const token = await resource.issuer.token();
    const { method, headers, body } = callPost("who");
    const twice = new Promise((resolve, reject) => {
      const named = Object.entries({ host: "127.0.0.1", ...headers, ...bearer(token) }).flat();
      request(resource.http.url, { method, headers: [...named, "Authorization", `Bearer ${token}`] }, (response) =>
        resolve(response.resume().statusCode),
      )
        .on("error", reject)
        .end(body);
    });
    expect(await twice).toBe(400);
    for (const authorization of ["Bearer", "Bearer a b", `Bearer ${token}, Bearer ${token}`]) {
      const refused = await resource.call({ authorization });
      expect(refused.status).toBe(400);
      expect(challengeOf(refused)).toContain('error="invalid_request"');
    }
  },
);

verifies(
  "oauth-resource:clock-skew",
  "a token is accepted if the clocks differ by less than 60 seconds in either direction, and is 401 beyond that",
  async () => {
    await using resource = await protect();
    const now = Date.now() / 1_000;
    const statusOf = async (claims: object) =>
      (await resource.call(bearer(await resource.issuer.token({ ...claims })))).status;
    expect(await statusOf({ exp: now - 50 })).toBe(200);
    expect(await statusOf({ nbf: now + 50 })).toBe(200);
    expect(await statusOf({ exp: now - 61 })).toBe(401);
    expect(await statusOf({ nbf: now + 70 })).toBe(401);
  },
);

verifies(
  "oauth-resource:algorithms",
  "unsigned tokens and tokens signed with the public key as a shared secret are 401",
  async () => {
    await using resource = await protect();
    const claims = { iss: ISSUER, aud: RESOURCE, sub: "ann", exp: Math.floor(Date.now() / 1_000) + 300 };
    const { x = "", kid = "" } = resource.issuer.publicKey;
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(base64url.decode(x));
    for (const token of [new UnsecuredJWT(claims).encode(), confused]) {
      expect((await resource.call(bearer(token))).status).toBe(401);
    }
    expect((await resource.call(bearer(await resource.issuer.token()))).status).toBe(200);
  },
);

verifies(
  "oauth-resource:key-rotation",
  "tokens with made-up keys cause one fetch of keys in all, and a token with a new key is accepted after one fetch",
  async () => {
    await using resource = await protect();
    const { issuer } = resource;
    const keyFetches = () => issuer.fetched.filter((path) => path === "/keys").length;
    for (let call = 0; call < 5; call += 1) {
      const made = await issuer.token({}, { kid: `made-up-${call}` });
      expect((await resource.call(bearer(made))).status).toBe(401);
    }
    expect(keyFetches()).toBe(1);
    await issuer.rotate("second");
    // Half a minute later: only the clock is turned, so that sockets and timers run on.
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 31_000);
    try {
      expect((await resource.call(bearer(await issuer.token()))).status).toBe(200);
    } finally {
      vi.mocked(Date.now).mockRestore();
    }
    expect(keyFetches()).toBe(2);
  },
);

verifies(
  "oauth-resource:introspection",
  "an opaque token is introspected once with the credentials of the resource, and refused after its entry has ended",
  async () => {
    let now = Date.now();
    const asked: (string | undefined)[] = [];
    let isActive = true;
    const issuer = await TestIssuer.create();
    const credentials = { clientId: "files", clientSecret: "s3cret" };
    const verifier = introspectionVerifier({ issuer: ISSUER, ...credentials, fetch: issuer.fetch });
    await using resource = await protect({ verifier, now: () => now });
    issuer.answers.set("/introspect", (body) => {
      asked.push(body);
      return Response.json({ active: isActive, sub: "ann", aud: RESOURCE, scope: "a" });
    });
    const together = await Promise.all([1, 2, 3].map(() => resource.call(bearer("opaque"))));
    expect(together.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(asked).toHaveLength(1);
    isActive = false;
    expect((await resource.call(bearer("opaque"))).status).toBe(200);
    now += 60_000;
    expect((await resource.call(bearer("opaque"))).status).toBe(401);
  },
);

verifies(
  "oauth-resource:own-verifier",
  "a verifier function that forgets the audience lets nobody in, unless it says that it checks the audience",
  async () => {
    const verifier = (token: string) => (token === "good" ? { scopes: [], claims: {}, subject: "ann" } : undefined);
    await using careless = await protect({ verifier });
    expect((await careless.call(bearer("good"))).status).toBe(401);
    await using careful = await protect({ verifier, verifierChecksAudience: true });
    expect((await careful.call(bearer("good"))).status).toBe(200);
    expect((await careful.call(bearer("bad"))).status).toBe(401);
  },
);

verifies(
  "oauth-resource:verifier-result",
  "a verifier that returns no scopes or no claims is 500, and the operator hears what to return",
  async () => {
    for (const result of [{ subject: "ann" }, { scopes: [] }, { claims: {} }, "ann"]) {
      const errors: unknown[] = [];
      const verifier = (async () => result) as unknown as VerifyToken;
      const authorization = protectedResource({ resource: RESOURCE, issuer: ISSUER, verifier });
      const server = new McpServer({ name: "files", version: "1.0.0", onError: (error) => errors.push(error) });
      await using http = await serveHttp(server, { authorization });

      expect((await exchange(http.url, callPost("who", {}, bearer("any")))).status).toBe(500);
      const message = expect.stringContaining("verifier: expected the list scopes and the object claims; return {");
      expect(errors).toMatchObject([{ cause: { code: "invalid-argument", message } }]);
    }
  },
);

verifies("oauth-resource:no-key-id", "a token without kid is verified with the second key of its issuer", async () => {
  const issuer = await TestIssuer.create();
  const pairs = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  const keys = await Promise.all(
    pairs.map(async ({ publicKey }) => ({ ...(await exportJWK(publicKey)), alg: "ES256" })),
  );
  issuer.answers.set("/keys", () => Response.json({ keys }));
  await using resource = await protect({ fetch: issuer.fetch });
  const token = await new SignJWT({ iss: ISSUER, aud: RESOURCE, sub: "ann" })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt" })
    .setExpirationTime("5m")
    .sign(pairs[1].privateKey);

  expect((await resource.call(bearer(token))).status).toBe(200);
});

verifies("oauth-resource:bound-otherwise", "a token that is bound to a certificate is 401", async () => {
  await using resource = await protect();
  const bound = await resource.issuer.token({ cnf: { "x5t#S256": "certificate" } });

  const refused = await resource.call(bearer(bound));
  expect(refused.status).toBe(401);
  expect(challengeOf(refused)).toContain('error="invalid_token"');
});

/** A token that is bound to a key of its own, and its proofs. */
async function boundToken(issuer: TestIssuer, claims: Record<string, unknown> = {}) {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const jwk = await exportJWK(publicKey);
  const token = await issuer.token({ cnf: { jkt: await calculateJwkThumbprint(jwk) }, ...claims });
  const ath = createHash("sha256").update(token).digest("base64url");
  const prove = (proven: object = {}) =>
    new SignJWT({ htm: "POST", htu: RESOURCE, ath, jti: crypto.randomUUID(), iat: seconds(), ...proven })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk })
      .sign(privateKey);
  return { token, prove };
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}

verifies(
  "oauth-resource:dpop",
  "a token that is bound to a key needs a new proof for each request, and is refused as a Bearer token",
  async () => {
    await using resource = await protect();
    const { token, prove } = await boundToken(resource.issuer);
    const send = (dpop: string) => resource.call({ authorization: `DPoP ${token}`, dpop });
    const proof = await prove();
    expect((await send(proof)).status).toBe(200);
    expect((await send(await prove())).status).toBe(200);
    const replayed = await send(proof);
    expect(replayed.status).toBe(401);
    expect(challengeOf(replayed)).toMatch(/^DPoP error="invalid_dpop_proof".* algs="ES256 /);
    expect((await send(await prove({ htu: "https://evil.example/mcp" }))).status).toBe(401);
    expect((await resource.call(bearer(token))).status).toBe(401);
  },
);

verifies(
  "oauth-resource:many-proofs",
  "a principal that fills the table of proofs with twelve keys and dated-ahead proofs has no proof of others refused",
  async () => {
    await using resource = await protect({ dpop: { maxRememberedProofs: 8 } });
    const statusOf = async (claims: Record<string, unknown>, aheadSeconds: number) => {
      const { token, prove } = await boundToken(resource.issuer, claims);
      const dpop = await prove({ iat: seconds() + aheadSeconds });
      return (await resource.call({ authorization: `DPoP ${token}`, dpop })).status;
    };
    const greedy = { sub: "greedy", client_id: "greedy" };
    for (let key = 0; key < 12; key += 1) expect(await statusOf(greedy, 30 + key)).toBe(200);

    for (const sub of ["ann", "ben", "eve"]) expect([sub, await statusOf({ sub }, 0)]).toEqual([sub, 200]);
  },
);

verifies(
  "oauth-resource:many-tokens",
  "a hundred tokens of one principal and junk tokens from a hundred networks leave verifications to others",
  async () => {
    const clock = { now: 0 };
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isSlow = false;
    const verifier = async (token: string) => {
      const [subject = ""] = token.split("-");
      if (isSlow && subject !== "bob") await released;
      return { subject, scopes: [], audience: RESOURCE, claims: { iss: ISSUER, sub: subject } };
    };
    const gate = protectedResource({
      ...{ resource: RESOURCE, issuer: ISSUER, verifier, maxPendingTokens: 40, now: () => clock.now },
    });
    const statusOf = async (token: string, address: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const checked = await gate.check(new Request(RESOURCE, { headers }), { address });
      return checked instanceof Response ? checked.status : 200;
    };
    for (let index = 0; index < 100; index++) await statusOf(`mallory-${index}`, "198.51.100.1");
    clock.now += 60_000;
    isSlow = true;
    const network = (index: number) => `2001:db8:0:${index.toString(16)}`;
    const flood = Array.from({ length: 100 }, (_, index) => [
      statusOf(`mallory-${index}`, "198.51.100.1"),
      statusOf(`junk-${index}`, network(index)),
    ]).flat();

    expect(await statusOf("bob-1", "192.0.2.1")).toBe(200);
    expect(await statusOf("bob-2", "2001:db9:0:0")).toBe(200);
    release();
    expect((await Promise.all(flood)).filter((status) => status === 503).length).toBeGreaterThan(170);
  },
);

verifies(
  "oauth-resource:junk-tokens",
  "a hundred junk tokens that hang at the issuer give no 503 to other addresses, nor to a token that was good before",
  { deadlineMs: 60_000 },
  async () => {
    const clock = { now: 0 };
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked: string[] = [];
    const verifier = async (token: string) => {
      asked.push(token);
      if (token.startsWith("junk")) await released;
      return token.startsWith("junk") ? undefined : { scopes: [], audience: RESOURCE, claims: {} };
    };
    const authorization = protectedResource({
      resource: RESOURCE,
      issuer: ISSUER,
      verifier,
      maxPendingTokens: 40,
      now: () => clock.now,
    });
    const server = new McpServer({ name: "files", version: "1.0.0", onError: () => {} });
    server.tool("who", {}, () => "you");
    const clientAddress = ({ headers }: IncomingMessage) => headers["x-real-ip"];
    await using http = await serveHttp(server, { authorization, clientAddress });
    const call = (token: string, address: string) =>
      exchange(http.url, callPost("who", {}, { authorization: `Bearer ${token}`, "x-real-ip": address }));
    expect((await call("earlier", "198.51.100.1")).status).toBe(200);
    clock.now += 60_000;
    const junk = Array.from({ length: 100 }, (_, index) => call(`junk-${index}`, "198.51.100.1"));
    let refused = 0;
    for (const outcome of junk) void outcome.then(({ status }) => (refused += Number(status === 503)));
    await vi.waitUntil(() => refused === 94, { timeout: 30_000 });
    expect(asked).toHaveLength(7);

    expect((await call("other", "192.0.2.1")).status).toBe(200);
    expect((await call("earlier", "198.51.100.1")).status).toBe(200);
    release();
    const statuses = (await Promise.all(junk)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(6);
    expect(statuses.filter((status) => status === 503)).toHaveLength(94);
  },
);

verifies(
  "oauth-resource:rejection-reason",
  "the operator hears which claim of a token is wrong, and the caller hears the same for every reason",
  async () => {
    const causes: unknown[] = [];
    const onRefusal = ({ cause }: Error) => void causes.push(cause);
    await using resource = await protect({}, { onRefusal });
    const { issuer } = resource;
    const tokens = [
      await issuer.token({ aud: "https://other.example" }),
      await issuer.token({ exp: 1 }),
      await issuer.token({ iss: "https://other.example" }),
      "opaque",
    ];

    const answers: string[] = [];
    for (const token of tokens) {
      const { status, headers, json } = await resource.call(bearer(token));
      answers.push(JSON.stringify([status, headers.get("www-authenticate"), json]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(causes.map((cause) => cause instanceof TokenRejection && cause.reason)).toEqual([
      ...["audience", "expired", "issuer", "malformed"],
    ]);
    expect(`${causes[0]}`).toContain('aud is "https://other.example"; expected');
    for (const token of tokens) expect(`${causes}`).not.toContain(token === "opaque" ? '"opaque"' : token);
  },
);

verifies(
  "oauth-resource:durations",
  "a time option that is no number, not finite or negative is refused at the start with the possible range",
  async () => {
    const issuer = "https://login.example.com";
    const makers = {
      protectedResource: (options: object) => protectedResource({ resource: RESOURCE, issuer, ...options }),
      jwtVerifier: (options: object) => jwtVerifier({ issuer, ...options }),
      introspectionVerifier: (options: object) =>
        introspectionVerifier({ issuer, clientId: "mcp", clientSecret: "a secret", ...options }),
    };
    for (const make of Object.values(makers)) {
      for (const skewMs of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
        const message = `skewMs: expected milliseconds from 0 to 3155760000000, got ${skewMs}`;
        expect(() => make({ skewMs })).toThrow(expect.objectContaining({ code: "invalid-argument", message }));
      }
      expect(() => make({ skewMs: 0 })).not.toThrow();
    }
    for (const name of ["cacheMs", "rejectedMs", "verifyTimeoutMs"]) {
      expect(() => makers.protectedResource({ [name]: Number.POSITIVE_INFINITY })).toThrow(
        `${name}: expected milliseconds`,
      );
    }
  },
);
