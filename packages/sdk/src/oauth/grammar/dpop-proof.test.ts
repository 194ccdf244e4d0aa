import fc from "fast-check";
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { DpopNonces } from "./dpop-nonces.js";
import {
  createDpopProof,
  type DpopKey,
  DpopProofVerifier,
  exportDpopKey,
  generateDpopKey,
  importDpopKey,
} from "./dpop-proof.js";
import { OAuthError } from "./oauth-error.js";

const REQUEST = { method: "POST", url: "https://mcp.example.com/mcp" };

let key: DpopKey;
beforeAll(async () => {
  key = await generateDpopKey();
});

/** A proof with some of its parts replaced. */
async function proofWith(claims: Record<string, unknown>, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000);
  return new SignJWT({ htm: REQUEST.method, htu: REQUEST.url, jti: crypto.randomUUID(), iat, ...claims })
    .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk: key.publicJwk, ...header })
    .sign(key.privateKey);
}

async function proofOfLength(length: number): Promise<string> {
  for (let filler = Math.floor(length / 2); ; filler += 1) {
    const proof = await proofWith({ filler: "x".repeat(filler) });
    if (proof.length === length) return proof;
    if (proof.length > length) throw new Error(`no proof has ${length} characters`);
  }
}

function invalid(problem: string) {
  return expect.objectContaining({ code: "invalid_dpop_proof", description: expect.stringContaining(problem) });
}

describe("a key", () => {
  test("is the same after it was exported and imported", async () => {
    const again = await importDpopKey(JSON.parse(JSON.stringify(await exportDpopKey(key))));
    expect(again.thumbprint).toBe(key.thumbprint);
    const proof = await createDpopProof(again, REQUEST);
    expect(await new DpopProofVerifier().verify(proof, REQUEST)).toMatchObject({ thumbprint: key.thumbprint });
  });

  test("has a public half without the private one", () => {
    expect(Object.keys(key.publicJwk)).toEqual(["kty", "crv", "x", "y"]);
  });

  test.each([{}, { kty: "oct", k: "c2VjcmV0" }, { kty: "EC", crv: "P-256", x: "x", y: "y", d: "secret" }])(
    "is not %j",
    async (jwk) => {
      const importing = importDpopKey(jwk);
      await expect(importing).rejects.toMatchObject({ code: "authorization-failed" });
      await expect(importing).rejects.not.toThrow("secret");
    },
  );
});

describe("a proof", () => {
  test("is accepted for its method and URL, whatever the query", async () => {
    const proof = await createDpopProof(key, { ...REQUEST, url: `${REQUEST.url}?a=1#b` });
    const verified = await new DpopProofVerifier().verify(proof, {
      ...REQUEST,
      url: "HTTPS://MCP.example.com:443/mcp?c",
    });
    expect(verified.thumbprint).toBe(key.thumbprint);
  });

  test("is spent once", async () => {
    const verifier = new DpopProofVerifier();
    const proof = await createDpopProof(key, REQUEST);
    const [one, other] = await Promise.all([verifier.verify(proof, REQUEST), verifier.verify(proof, REQUEST)]);
    other.spend("ann");
    expect(() => one.spend("ann")).toThrow(invalid("used before"));
    const again = await verifier.verify(proof, REQUEST);
    expect(() => again.spend("ann")).toThrow(invalid("used before"));
  });

  test("is bound to its token", async () => {
    const proof = await createDpopProof(key, { ...REQUEST, accessToken: "token" });
    const expected = { ...REQUEST, accessToken: "token" };
    await expect(new DpopProofVerifier().verify(proof, { ...REQUEST, accessToken: "other" })).rejects.toEqual(
      invalid("ath"),
    );
    await expect(new DpopProofVerifier().verify(await createDpopProof(key, REQUEST), expected)).rejects.toEqual(
      invalid("ath"),
    );
    expect(await new DpopProofVerifier().verify(proof, expected)).toMatchObject({ thumbprint: key.thumbprint });
  });

  test.each([
    ["another method", { htm: "GET" }, "htm"],
    ["another URL", { htu: "https://other.example/mcp" }, "htu"],
    ["a URL that is none", { htu: "mcp" }, "htu"],
    ["no URL", { htu: undefined }, "htu"],
    ["no time", { iat: undefined }, "iat is missing"],
    ["a time that is no number", { iat: "now" }, "not a valid JWT"],
    ["no id", { jti: undefined }, "jti"],
    ["an empty id", { jti: "" }, "jti"],
    ["an id that is no text", { jti: 7 }, "jti"],
    ["a long id", { jti: "x".repeat(1_025) }, "jti"],
  ])("with %s is refused", async (_, claims, problem) => {
    const proof = await proofWith(claims);
    await expect(new DpopProofVerifier().verify(proof, REQUEST)).rejects.toEqual(invalid(problem));
  });

  test("is refused where even the expected URL is none", async () => {
    const proof = await proofWith({ htu: "mcp" });
    await expect(new DpopProofVerifier().verify(proof, { ...REQUEST, url: "mcp" })).rejects.toEqual(invalid("htu"));
  });

  test("is accepted within its age and the skew of clocks, and not beyond", async () => {
    const proof = await proofWith({ iat: 1_000 });
    const at = (seconds: number) =>
      new DpopProofVerifier({ now: () => seconds * 1_000, maxAgeMs: 30_000, skewMs: 10_000 }).verify(proof, REQUEST);
    await expect(at(989)).rejects.toEqual(invalid("in the future"));
    await expect(at(990)).resolves.toBeDefined();
    await expect(at(1_040)).resolves.toBeDefined();
    await expect(at(1_041)).rejects.toEqual(invalid("too long ago"));
  });

  test("is remembered for as long as it would be accepted", async () => {
    let nowMs = 990_000;
    const verifier = new DpopProofVerifier({ now: () => nowMs, maxAgeMs: 30_000, skewMs: 10_000 });
    const proof = await proofWith({ iat: 1_000 });
    (await verifier.verify(proof, REQUEST)).spend("ann");
    nowMs = 1_040_000;
    const again = await verifier.verify(proof, REQUEST);
    expect(() => again.spend("ann")).toThrow(invalid("used before"));
  });

  test.each([
    ["another type", { typ: "JWT" }],
    ["no type", { typ: undefined }],
    ["no key", { jwk: undefined }],
    ["a critical extension that nobody knows", { crit: ["x"], x: 1 }],
  ])("with %s in its header is refused", async (_, header) => {
    const proof = await proofWith({}, header as Partial<JWTHeaderParameters>).catch(() => "unsigned");
    await expect(new DpopProofVerifier().verify(proof, REQUEST)).rejects.toEqual(invalid("not a valid JWT"));
  });

  test("with another key than the one that signed it is refused", async () => {
    const proof = await proofWith({}, { jwk: (await generateDpopKey()).publicJwk });
    await expect(new DpopProofVerifier().verify(proof, REQUEST)).rejects.toEqual(invalid("signed by the public key"));
  });

  test("with a private key in its header is refused", async () => {
    const proof = await proofWith({}, { jwk: await exportDpopKey(key) });
    await expect(new DpopProofVerifier().verify(proof, REQUEST)).rejects.toEqual(invalid(""));
    const hidden = await proofWith({}, { jwk: { ...key.publicJwk, p: "x" } as JWK });
    await expect(new DpopProofVerifier().verify(hidden, REQUEST)).rejects.toEqual(invalid("private key"));
  });

  test("that is signed with a symmetric key is refused", async () => {
    const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
    const proof = await new SignJWT({ htm: "POST", htu: REQUEST.url, jti: "1" })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "HS256", jwk: await exportJWK(secret) })
      .setIssuedAt()
      .sign(secret);
    await expect(new DpopProofVerifier().verify(proof, REQUEST)).rejects.toEqual(invalid("not a valid JWT"));
  });

  test("without a signature is refused", async () => {
    const [, payload] = (await createDpopProof(key, REQUEST)).split(".");
    const header = btoa(JSON.stringify({ typ: "dpop+jwt", alg: "none", jwk: key.publicJwk })).replace(/=+$/, "");
    await expect(new DpopProofVerifier().verify(`${header}.${payload}.`, REQUEST)).rejects.toEqual(
      invalid("not a valid JWT"),
    );
  });

  test.each(["RS256", "PS256", "Ed25519", "ES384"])("may be signed with %s", async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg as "RS256", { extractable: true });
    const proof = await new SignJWT({ htm: "POST", htu: REQUEST.url, jti: "1" })
      .setProtectedHeader({ typ: "dpop+jwt", alg, jwk: await exportJWK(publicKey) })
      .setIssuedAt()
      .sign(privateKey);
    await expect(new DpopProofVerifier().verify(proof, REQUEST)).resolves.toBeDefined();
  });

  test("longer than 8,192 characters is refused unread", async () => {
    const proof = await proofOfLength(8_192);
    await expect(new DpopProofVerifier().verify(proof, REQUEST)).resolves.toBeDefined();
    await expect(new DpopProofVerifier().verify(`${proof}x`, REQUEST)).rejects.toEqual(invalid("8192 characters"));
  });
});

describe("a nonce", () => {
  test("that the server asks for is accepted, and asked for if it is missing or old", async () => {
    const nonces = new DpopNonces();
    const verifier = new DpopProofVerifier({ nonces });
    const withNonce = async (nonce?: string) =>
      verifier.verify(await createDpopProof(key, { ...REQUEST, nonce }), REQUEST);
    await expect(withNonce()).rejects.toMatchObject({ code: "use_dpop_nonce" });
    await expect(withNonce("old")).rejects.toMatchObject({ code: "use_dpop_nonce" });
    await expect(withNonce(await nonces.current())).resolves.toBeDefined();
  });
});

test("a verifier remembers at least one proof", () => {
  expect(() => new DpopProofVerifier({ maxRemembered: 0 })).toThrow(
    expect.objectContaining({ code: "invalid-argument" }),
  );
});

test("any damage to a proof is refused with the documented error", async () => {
  const proof = await createDpopProof(key, REQUEST);
  const verifier = new DpopProofVerifier();
  // The last character also has bits that mean nothing.
  const damage = fc.tuple(fc.nat(proof.length - 2), fc.constantFrom(..."A.=-_é\0{", ""));
  await fc.assert(
    fc.asyncProperty(damage, async ([place, text]) => {
      const damaged = proof.slice(0, place) + text + proof.slice(place + 1);
      fc.pre(damaged !== proof);
      const error = await verifier.verify(damaged, REQUEST).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OAuthError);
      expect(error).toMatchObject({ code: "invalid_dpop_proof" });
    }),
    { numRuns: 200 },
  );
});
