/** Verifies access tokens that are signed JWTs (RFC 9068), with the keys that their issuer publishes. */
import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from "jose";
import { checkLifetime } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { AuthInfo } from "../../transport/auth-info.js";
import type { Fetch } from "../../transport/http/fetch-http.js";
import { guardedFetch } from "../grammar/guarded-fetch.js";
import type { OAuthError } from "../grammar/oauth-error.js";
import { IssuerKeys } from "./issuer-keys.js";
import { checkIssuer } from "./issuer-metadata.js";
import { quoted, type TokenRejectionReason } from "./token-rejection.js";
import { authFromClaims, invalidToken, type TokenVerifier } from "./token-verifier.js";

/** Options of `jwtVerifier`. */
export interface JwtVerifierOptions {
  /** The authorization servers whose tokens are accepted, exactly as their metadata names them. */
  readonly issuer: string | readonly string[];
  /** The key set of the issuer, if its metadata names none. Only with a single issuer. @defaultValue discovered */
  readonly jwksUri?: string | undefined;
  /** Signature algorithms. Those with a shared secret are refused. @defaultValue all asymmetric ones of JOSE */
  readonly algorithms?: readonly string[] | undefined;
  /** Tolerated difference between the clocks of issuer and resource. @defaultValue 60_000 */
  readonly skewMs?: number | undefined;
  /** Milliseconds since 1970. @defaultValue the system's clock */
  readonly now?: (() => number) | undefined;
  /** Makes the HTTP requests. @defaultValue the platform's HTTP client */
  readonly fetch?: Fetch | undefined;
}

const OPTIONS: OptionTable<JwtVerifierOptions> = {
  ...{ issuer: true, jwksUri: true, algorithms: "list", skewMs: true, now: "function", fetch: "function" },
};

const ASYMMETRIC: readonly string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"],
];

/** Values of `typ` that are accepted: that of RFC 9068, and the general one of other issuers. */
const TYPES: ReadonlySet<string> = new Set(["at+jwt", "application/at+jwt", "jwt", "application/jwt"]);

/**
 * Makes a verifier of signed tokens.
 * @throws {SdkError} `invalid-argument` for an issuer that is no secure URL, or an algorithm with a shared secret.
 *
 * @example
 * const verifier = jwtVerifier({ issuer: "https://login.example.com", algorithms: ["ES256"] });
 */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  checkOptions("jwtVerifier", options, OPTIONS);
  const { jwksUri, algorithms = ASYMMETRIC, skewMs = 60_000, now = () => Date.now() } = options;
  const issuers = [options.issuer].flat();
  checkTrust(issuers, jwksUri, algorithms);
  checkLifetime("skewMs", skewMs, 0);
  // The author chose the issuers, so they may be in a private network.
  const fetch = guardedFetch({ fetch: options.fetch, allowPrivate: true });
  const keysOf = new Map(issuers.map((issuer) => [issuer, new IssuerKeys({ issuer, jwksUri, fetch, now })]));
  return {
    async ready() {
      await Promise.all([...keysOf.values()].map((keys) => keys.get()));
    },
    async verify(token): Promise<AuthInfo> {
      const issuer = statedIssuer(token);
      const keys = await keysOf.get(issuer)?.get();
      if (keys === undefined) {
        throw invalidToken("issuer", `iss is ${quoted(issuer)}; expected ${issuers.map(quoted).join(" or ")}`);
      }
      const rules = { issuer, algorithms: [...algorithms], clockTolerance: skewMs / 1_000, requiredClaims: ["exp"] };
      const verifying = verifyWithAny(token, keys, { ...rules, currentDate: new Date(now()) });
      const { payload, protectedHeader } = await verifying.catch((error: unknown) => {
        throw isTokensFault(error) ? rejected(error) : unavailable(issuer, error);
      });
      if (!isAccessToken(protectedHeader.typ)) {
        throw invalidToken("type", `typ is ${quoted(protectedHeader.typ)}, which is no access token`);
      }
      return authFromClaims(issuer, payload);
    },
  };
}

function checkTrust(issuers: readonly string[], jwksUri: string | undefined, algorithms: readonly string[]): void {
  for (const issuer of issuers) checkIssuer(issuer);
  if (issuers.length === 0) throw new SdkError("invalid-argument", "issuer: expected at least one");
  if (jwksUri !== undefined) {
    if (issuers.length > 1) throw new SdkError("invalid-argument", "jwksUri: is for one issuer alone");
    if (!URL.canParse(jwksUri)) throw new SdkError("invalid-argument", "jwksUri: expected a URL");
  }
  const unknown = algorithms.find((algorithm) => !ASYMMETRIC.includes(algorithm));
  if (unknown === undefined && algorithms.length > 0) return;
  throw new SdkError("invalid-argument", `algorithms: expected some of ${ASYMMETRIC.join(", ")}, got ${unknown}`);
}

/** Keys that are tried for a token without `kid`. */
const MAX_TRIED_KEYS = 16;

/** Verifies a token. A token without `kid` may match several keys of the set, which are tried one by one. */
async function verifyWithAny(token: string, keys: JWTVerifyGetKey, rules: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, rules);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      const verified = await jwtVerify(token, key, rules).catch(ignoreSignatureMismatch);
      tried += 1;
      if (verified !== undefined) return verified;
      if (tried === MAX_TRIED_KEYS) break;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** A signature of another key is no reason to refuse the token yet; anything else is. */
function ignoreSignatureMismatch(error: unknown): undefined {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
}

/** The unverified `iss` of a token, which selects the keys to verify it with. */
function statedIssuer(token: string): string {
  let payload: JWTPayload;
  try {
    payload = decodeJwt(token);
  } catch {
    throw invalidToken("malformed", "the token is no JWT; introspectionVerifier reads opaque tokens");
  }
  // The token is not verified yet, so `iss` may be any value. Converting an object to text may throw.
  return typeof payload.iss === "string" ? payload.iss : "";
}

function isAccessToken(type: unknown): boolean {
  return type === undefined || (typeof type === "string" && TYPES.has(type.toLowerCase()));
}

function unavailable(issuer: string, cause: unknown): SdkError {
  return new SdkError("authorization-failed", `issuer "${issuer}": its keys cannot be fetched`, { cause });
}

const REASONS: Readonly<Record<string, TokenRejectionReason>> = {
  [errors.JWTExpired.code]: "expired",
  [errors.JWTClaimValidationFailed.code]: "claims",
  [errors.JWKSNoMatchingKey.code]: "unknown-key",
  [errors.JWSSignatureVerificationFailed.code]: "signature",
  [errors.JOSEAlgNotAllowed.code]: "algorithm",
};

function rejected(error: errors.JOSEError): OAuthError {
  const isEarly = error instanceof errors.JWTClaimValidationFailed && error.claim === "nbf";
  return invalidToken(isEarly ? "not-yet-valid" : (REASONS[error.code] ?? "malformed"), error.message);
}

/** Whether the token caused the error, and not the issuer's key set. */
function isTokensFault(error: unknown): error is errors.JOSEError {
  const isOfKeySet = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  // jose throws the base class for an unexpected response of the key set's server.
  return error instanceof errors.JOSEError && !isOfKeySet && error.code !== errors.JOSEError.code;
}
