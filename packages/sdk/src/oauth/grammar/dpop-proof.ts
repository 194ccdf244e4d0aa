/** DPoP (RFC 9449): creates and verifies proofs that the sender of a token holds the key that the token is bound to. */
import {
  base64url,
  type CryptoKey,
  calculateJwkThumbprint,
  EmbeddedJWK,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";
import { checkLimit } from "../../errors/option-checks.js";
import { SdkError } from "../../errors/sdk-error.js";
import { DpopReplays } from "./dpop-replays.js";
import { OAuthError } from "./oauth-error.js";

/** A key pair for ES256. The key pairs of oauth4webapi have the same members. */
export interface DpopKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
  /** The SHA-256 thumbprint of the public key (RFC 7638), the `jkt` of tokens. */
  readonly thumbprint: string;
}

export async function generateDpopKey(): Promise<DpopKey> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return importDpopKey(await exportJWK(privateKey));
}

/** The private key as a JWK, for a store of credentials. */
export function exportDpopKey({ privateKey }: DpopKey): Promise<JWK> {
  return exportJWK(privateKey);
}

/** @throws {SdkError} `authorization-failed` for a value that `exportDpopKey` did not return. */
export async function importDpopKey(jwk: JWK): Promise<DpopKey> {
  try {
    const { kty = "", crv = "", x = "", y = "", d = "" } = jwk;
    const publicJwk = { kty, crv, x, y };
    // `importJWK` returns bytes only for symmetric keys.
    const privateKey = (await importJWK({ ...publicJwk, d }, "ES256", { extractable: true })) as CryptoKey;
    const publicKey = (await importJWK(publicJwk, "ES256", { extractable: true })) as CryptoKey;
    return { privateKey, publicKey, publicJwk, thumbprint: await calculateJwkThumbprint(publicJwk) };
  } catch (cause) {
    throw new SdkError("authorization-failed", "the stored DPoP key is not a private P-256 key; log in again", {
      cause,
    });
  }
}

export interface DpopClaims {
  readonly method: string;
  /** The URL of the request. Query and fragment are not part of the proof. */
  readonly url: string;
  /** The last nonce that the server sent. */
  readonly nonce?: string | undefined;
  /** The token that is sent along. */
  readonly accessToken?: string | undefined;
  /** @defaultValue the present, by the clock of the system */
  readonly issuedAt?: Date | undefined;
}

/** The value of a `DPoP` header for one request. */
export async function createDpopProof(key: DpopKey, claims: DpopClaims): Promise<string> {
  const { method, url, nonce, accessToken, issuedAt } = claims;
  const ath = accessToken === undefined ? undefined : await sha256(accessToken);
  return new SignJWT({ htm: method, htu: targetOf(url), nonce, ath })
    .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk: key.publicJwk })
    .setJti(crypto.randomUUID())
    .setIssuedAt(issuedAt)
    .sign(key.privateKey);
}

export interface DpopVerifierOptions {
  /** The time in milliseconds. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
  /** Age up to which a proof is accepted. @defaultValue 60_000 */
  readonly maxAgeMs?: number | undefined;
  /** Tolerated difference between the clocks of client and server. @defaultValue 60_000 */
  readonly skewMs?: number | undefined;
  /** Proofs that are remembered against replay. @defaultValue 100_000 */
  readonly maxRemembered?: number | undefined;
  /** Accepts or refuses the nonce of each proof. @defaultValue none: proofs need no nonce */
  readonly nonces?: { accepts(nonce: string): Promise<boolean> } | undefined;
}

export interface ExpectedProof {
  readonly method: string;
  readonly url: string;
  /** The token that the proof must be bound to. */
  readonly accessToken?: string | undefined;
}

export interface VerifiedProof {
  /** The thumbprint of the key that signed the proof. */
  readonly thumbprint: string;
  /**
   * Remembers the proof, so that it works once. For requests that succeed otherwise: strangers could fill the table with others.
   * @param owner whose proofs are forgotten early if they fill the table, such as the principal of the request
   * @throws {OAuthError} `invalid_dpop_proof` if the proof was used before
   */
  spend(owner: string): void;
}

const ALGORITHMS: readonly string[] = [
  ...["ES256", "ES384", "ES512", "Ed25519", "EdDSA"],
  ...["PS256", "PS384", "PS512", "RS256", "RS384", "RS512"],
];
const PRIVATE_PARTS: readonly string[] = ["d", "k", "p", "q", "dp", "dq", "qi", "oth", "priv"];
const MAX_PROOF_CHARACTERS = 8_192;
const MAX_JTI_CHARACTERS = 1_024;

/** Verifies proofs, and remembers those that are spent. */
export class DpopProofVerifier {
  readonly #now: () => number;
  readonly #maxAgeMs: number;
  readonly #skewMs: number;
  readonly #nonces: DpopVerifierOptions["nonces"];
  readonly #replays: DpopReplays;

  /** @throws {SdkError} `invalid-argument` if `maxRemembered` is no number from 1. */
  constructor(options: DpopVerifierOptions = {}) {
    const { now = Date.now, maxAgeMs = 60_000, skewMs = 60_000, maxRemembered = 100_000, nonces } = options;
    checkLimit("maxRemembered", maxRemembered);
    this.#now = now;
    this.#maxAgeMs = maxAgeMs;
    this.#skewMs = skewMs;
    this.#nonces = nonces;
    // A proof is accepted longer if the client's clock runs ahead, so it must be remembered longer.
    this.#replays = new DpopReplays({ maxRemembered, keepMs: maxAgeMs + 2 * skewMs });
  }

  /**
   * Verifies a proof. The caller spends it.
   * @throws {OAuthError} `invalid_dpop_proof`, or `use_dpop_nonce` if only the nonce is missing or out of date.
   */
  async verify(proof: string, expected: ExpectedProof): Promise<VerifiedProof> {
    const { jwk, claims } = await this.#verifySignature(proof);
    const issuedMs = this.#checkTime(claims);
    if (claims.htm !== expected.method) throw invalid("htm is not the method of the request");
    const target = targetOf(claims.htu);
    if (target === undefined || target !== targetOf(expected.url)) throw invalid("htu is not the URL of the request");
    const { accessToken } = expected;
    if (accessToken !== undefined && claims.ath !== (await sha256(accessToken))) {
      throw invalid("ath is not the digest of the access token");
    }
    await this.#checkNonce(claims.nonce);
    const thumbprint = await calculateJwkThumbprint(jwk);
    const id = await sha256(`${thumbprint}.${jtiOf(claims)}`);
    const spend = (owner: string) => {
      if (!this.#replays.add(id, owner, issuedMs, this.#now())) throw invalid("the proof was used before");
    };
    return { thumbprint, spend };
  }

  async #verifySignature(proof: string): Promise<{ readonly jwk: JWK; readonly claims: JWTPayload }> {
    if (proof.length > MAX_PROOF_CHARACTERS) throw invalid(`it is longer than ${MAX_PROOF_CHARACTERS} characters`);
    const options = { typ: "dpop+jwt", algorithms: [...ALGORITHMS], currentDate: new Date(this.#now()) };
    const { protectedHeader, payload } = await jwtVerify(proof, EmbeddedJWK, options).catch((cause: unknown) => {
      throw invalid("it is not a valid JWT of type dpop+jwt that is signed by the public key in its header", cause);
    });
    // `EmbeddedJWK` has verified the signature with it, so it is present.
    const jwk = protectedHeader.jwk as JWK;
    if (PRIVATE_PARTS.some((part) => Object.hasOwn(jwk, part))) throw invalid("its header contains a private key");
    return { jwk, claims: payload };
  }

  #checkTime({ iat }: JWTPayload): number {
    if (iat === undefined) throw invalid("iat is missing");
    const ageMs = this.#now() - iat * 1_000;
    if (ageMs > this.#maxAgeMs + this.#skewMs) throw invalid("iat is too long ago");
    if (ageMs < -this.#skewMs) throw invalid("iat is in the future: the clocks of client and server differ");
    return iat * 1_000;
  }

  async #checkNonce(nonce: unknown): Promise<void> {
    if (this.#nonces === undefined) return;
    if (typeof nonce !== "string" || !(await this.#nonces.accepts(nonce))) throw wantsNonce();
  }
}

function jtiOf({ jti }: JWTPayload): string {
  if (typeof jti !== "string" || jti === "" || jti.length > MAX_JTI_CHARACTERS) {
    throw invalid(`jti must be a text of 1 to ${MAX_JTI_CHARACTERS} characters`);
  }
  return jti;
}

/** A URL without query and fragment, normalized by the URL parser. Undefined for other values. */
function targetOf(url: unknown): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const target = new URL(url);
  target.search = "";
  target.hash = "";
  return target.href;
}

async function sha256(text: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

function invalid(problem: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_dpop_proof", `the DPoP proof is invalid: ${problem}`, { cause });
}

function wantsNonce(): OAuthError {
  return new OAuthError("use_dpop_nonce", "the DPoP proof needs the nonce of the DPoP-Nonce header");
}
