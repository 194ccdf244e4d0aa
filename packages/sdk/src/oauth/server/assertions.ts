/** Verifies assertions (RFC 7523): JWTs that other parties signed for this server. Each one is short-lived and works once. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { OAuthError } from "../grammar/oauth-error.js";
import type { AuthorizationStore } from "./authorization-store.js";
import type { RemoteDocuments } from "./remote-documents.js";
import { digest } from "./secrets.js";

/** Only asymmetric algorithms: with HMAC, anybody who knows the public key could sign. */
export const ASSERTION_ALGORITHMS: readonly string[] = ["ES256", "ES384", "PS256", "RS256", "EdDSA", "Ed25519"];

/** The keys of a signer: by value, or by URL. */
export interface AssertionKeys {
  readonly jwks?: Readonly<Record<string, unknown>>;
  readonly jwksUri?: string;
  /** The address of the request, which a fetch of the keys counts for. */
  readonly address?: string | undefined;
}

export interface AssertionsOptions {
  readonly store: AuthorizationStore;
  readonly documents: RemoteDocuments;
  readonly now: () => number;
}

/** The longest lifetime of an assertion. A used assertion is remembered until it expires. */
const MAX_LIFETIME_MS = 3_600_000;
const SKEW_SECONDS = 60;
const MAX_ASSERTION_CHARS = 16_384;
/** A cached key set that lacks the key is fetched again if it is older than this. */
const KEYS_RETRY_MS = 60_000;

export class Assertions {
  readonly #options: AssertionsOptions;

  constructor(options: AssertionsOptions) {
    this.#options = options;
  }

  /**
   * Verifies an assertion, marks it as used, and returns its claims.
   * @throws {OAuthError} `invalid_grant` with the reason
   */
  async redeem(assertion: string, keys: AssertionKeys, expected: JWTVerifyOptions): Promise<JWTPayload> {
    if (assertion.length > MAX_ASSERTION_CHARS) throw unusable("it is too long");
    const now = this.#options.now();
    const options: JWTVerifyOptions = {
      ...expected,
      algorithms: [...ASSERTION_ALGORITHMS],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(now),
      requiredClaims: ["iss", "sub", "aud", "exp", "jti", ...(expected.requiredClaims ?? [])],
    };
    const claims = await this.#verify(assertion, keys, options).catch(explain);
    const endsAt = (claims.exp as number) * 1_000 + SKEW_SECONDS * 1_000;
    if (endsAt > now + MAX_LIFETIME_MS + 2 * SKEW_SECONDS * 1_000) throw unusable("it is valid for more than an hour");
    await this.#spend(await digest(`${claims.iss}`, `${claims.jti}`), endsAt, ownerOf(claims));
    return claims;
  }

  async #verify(assertion: string, keys: AssertionKeys, options: JWTVerifyOptions): Promise<JWTPayload> {
    try {
      return await verifyWith(await this.#keySet(keys), assertion, options);
    } catch (error) {
      if (keys.jwksUri === undefined || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return verifyWith(await this.#keySet(keys, KEYS_RETRY_MS), assertion, options);
    }
  }

  async #keySet({ jwks, jwksUri, address }: AssertionKeys, maxAgeMs?: number): Promise<JSONWebKeySet> {
    if (jwks !== undefined) return jwks as unknown as JSONWebKeySet;
    if (jwksUri === undefined) throw unusable("its signer has no keys");
    return (await this.#options.documents.get(jwksUri, { address, maxAgeMs })) as JSONWebKeySet;
  }

  async #spend(key: string, expiresAt: number, owner: string): Promise<void> {
    let wasSpent = false;
    await this.#options.store.update("spent", key, (current) => {
      wasSpent = current !== undefined;
      return current ?? { value: { isSpent: true }, expiresAt, owner };
    });
    if (wasSpent) throw unusable("it was used before");
  }
}

/** The client that uses the assertion. Clients with metadata documents of one host share an owner, since a host has many URLs. */
function ownerOf({ client_id, iss }: JWTPayload): string {
  const clientId = `${client_id ?? iss}`;
  return /^https?:\/\//i.test(clientId) && URL.canParse(clientId) ? new URL(clientId).host : clientId;
}

async function verifyWith(jwks: JSONWebKeySet, assertion: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  return (await jwtVerify(assertion, createLocalJWKSet(jwks), options)).payload;
}

function explain(cause: unknown): never {
  if (cause instanceof OAuthError) throw cause;
  // The message omits the reason of a failed fetch, which would reveal the server's network to strangers.
  throw unusable(
    cause instanceof errors.JOSEError ? cause.message : "the keys of its signer could not be fetched",
    cause,
  );
}

function unusable(reason: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_grant", `the assertion is not acceptable: ${reason}`, { status: 400, cause });
}
