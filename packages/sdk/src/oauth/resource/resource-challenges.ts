/** Makes the refusals of a resource: statuses, challenges by RFC 6750, RFC 9449 and RFC 9728, and error bodies. */
import { HttpRefusal, type HttpRefusalOptions } from "../../hosting/http/http-refusal.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { serializeChallenge } from "../grammar/challenge.js";
import { joinScopes } from "../grammar/scope.js";
import type { Credentials } from "./credentials.js";

type Scheme = Credentials["scheme"];

export interface ChallengeOptions {
  /** The URL of the metadata document. */
  readonly metadataUrl: string;
  /** The scopes that a client should request at its first login. */
  readonly scopes: readonly string[];
  /** Whether every token must be bound to a key. */
  readonly requiresDpop: boolean;
}

/** The error of a refusal, as its challenge and its body name it. */
export interface RefusalError {
  readonly error: string;
  readonly error_description: string;
}

/** The algorithms of proofs that metadata and challenges advertise. */
export const PROOF_ALGORITHMS: readonly string[] = ["ES256", "ES384", "ES512", "EdDSA", "PS256", "RS256"];

const RETRY_AFTER_SECONDS = "5";

export class ResourceChallenges {
  readonly #options: ChallengeOptions;
  readonly #scope: string | undefined;

  constructor(options: ChallengeOptions) {
    this.#options = options;
    this.#scope = scopeOf(options.scopes);
  }

  /** For a request without a token. RFC 6750: the challenge then has no error code. */
  missing(): HttpRefusal {
    const headers = { "www-authenticate": this.#challenge("bearer", undefined, this.#scope) };
    return new HttpRefusal(401, { message: "Unauthorized: this needs an access token", headers });
  }

  /** For a request with several credentials, or with a malformed token. */
  malformed(): HttpRefusal {
    const description = "The Authorization header must hold one access token";
    return this.#refusal(400, "bearer", { error: "invalid_request", error_description: description });
  }

  /** @param cause the reason, which only `onRefusal` gets */
  invalidToken(scheme: Scheme, cause: unknown): HttpRefusal {
    const description = "The access token is invalid or has expired";
    return this.#refusal(401, scheme, { error: "invalid_token", error_description: description }, { cause });
  }

  /** For a proof that is missing or invalid, or lacks the nonce. The response carries the nonce. */
  invalidProof(error: RefusalError, nonce: string | undefined): HttpRefusal {
    return this.#refusal(401, "dpop", error, nonce === undefined ? {} : { headers: { "dpop-nonce": nonce } });
  }

  /** For a token that could not be verified. */
  unavailable(cause: unknown): HttpRefusal {
    const message = "Access tokens cannot be verified now; try again later";
    const headers = { "retry-after": RETRY_AFTER_SECONDS };
    return new HttpRefusal(503, { code: ErrorCode.internalError, message, headers, cause });
  }

  /** The challenge for a token that lacks scopes. It names all scopes that the operation needs. */
  scopes(scheme: Scheme, scopes: readonly string[]): string {
    return this.#challenge(scheme, insufficientScope(scopes), scopeOf(scopes));
  }

  #refusal(
    status: number,
    scheme: Scheme,
    data: RefusalError,
    { headers, cause }: HttpRefusalOptions = {},
  ): HttpRefusal {
    const sent = { "www-authenticate": this.#challenge(scheme, data, this.#scope), ...headers };
    return new HttpRefusal(status, { message: data.error_description, data, headers: sent, cause });
  }

  #challenge(scheme: Scheme, error: RefusalError | undefined, scope: string | undefined): string {
    const parameters = { ...error, scope, resource_metadata: this.#options.metadataUrl };
    if (scheme === "bearer" && !this.#options.requiresDpop) return serializeChallenge("Bearer", parameters);
    return serializeChallenge("DPoP", { ...parameters, algs: PROOF_ALGORITHMS.join(" ") });
  }
}

export function insufficientScope(scopes: readonly string[]): RefusalError {
  return {
    error: "insufficient_scope",
    error_description: `This needs an access token with ${joinScopes(scopes)}`,
  };
}

function scopeOf(scopes: readonly string[]): string | undefined {
  return scopes.length === 0 ? undefined : joinScopes(scopes);
}
