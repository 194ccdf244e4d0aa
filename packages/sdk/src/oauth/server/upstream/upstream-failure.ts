/** Why a call to an upstream provider failed, in the few ways that a login or a renewal tells apart. */
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from "oauth4webapi";

/**
 * `denied`: the user or the provider said no. `away`: the provider cannot be reached or has a failure of its own. `ended`: the
 * provider does not know the grant any more. `invalid`: the provider's answer cannot be used.
 */
export type UpstreamFailureReason = "denied" | "away" | "ended" | "invalid";

export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";
  readonly reason: UpstreamFailureReason;

  constructor(reason: UpstreamFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Codes of RFC 6749 and OpenID Connect with which a provider says no to a user. */
const DENIALS: readonly string[] = ["access_denied", "login_required", "consent_required", "interaction_required"];
/** Codes with which a provider says that it does not know this server. GitHub has the second one. */
const REFUSALS: readonly string[] = ["invalid_client", "incorrect_client_credentials", "unauthorized_client"];
const OUTAGES: readonly string[] = ["temporarily_unavailable", "server_error"];

/**
 * The failure behind an error of `oauth4webapi`, or of our own. The error itself is not kept as the
 * cause: those of `oauth4webapi` hold whole responses, with their tokens.
 */
export function upstreamFailure(label: string, error: Error): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  return new UpstreamFailure(reasonOf(error), `${label}: ${messageOf(error)}`);
}

function reasonOf(error: Error): UpstreamFailureReason {
  if (error instanceof AuthorizationResponseError) {
    if (DENIALS.includes(error.error)) return "denied";
    return OUTAGES.includes(error.error) ? "away" : "invalid";
  }
  if (error instanceof ResponseBodyError) {
    if (error.error === "invalid_grant" || error.error === "bad_refresh_token") return "ended";
    return OUTAGES.includes(error.error) ? "away" : "invalid";
  }
  return "invalid";
}

/** The error code of a response says more than the message. Descriptions of a peer are left out. */
function messageOf(error: Error): string {
  const isRefused =
    error instanceof WWWAuthenticateChallengeError || ("error" in error && REFUSALS.includes(`${error.error}`));
  if (isRefused) return "refused the credentials of this server: check clientId and clientSecret of upstreamLogin";
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    return `${error.message} (${JSON.stringify(error.error.slice(0, 64))})`;
  }
  return error.message;
}
