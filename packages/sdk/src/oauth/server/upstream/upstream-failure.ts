/** Classifies failures of calls to an upstream provider by the reasons that logins and renewals distinguish. */
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from "oauth4webapi";

/**
 * `denied`: the user or the provider refused the login. `away`: the provider cannot be reached, or fails. `ended`: the provider
 * has ended its grant. `invalid`: the provider's response cannot be used.
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

/** Error codes of RFC 6749 and OpenID Connect for a refused login. */
const DENIALS: readonly string[] = ["access_denied", "login_required", "consent_required", "interaction_required"];
/** Error codes for refused credentials of this server. GitHub sends the second one. */
const REFUSALS: readonly string[] = ["invalid_client", "incorrect_client_credentials", "unauthorized_client"];
const OUTAGES: readonly string[] = ["temporarily_unavailable", "server_error"];

/**
 * Converts an error of `oauth4webapi` or of this package to a failure. The error is not kept as `cause`, since errors of
 * `oauth4webapi` hold whole responses with their tokens.
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

/** Adds the error code of a response to the message. Omits the `error_description`, which the peer chose. */
function messageOf(error: Error): string {
  const isRefused =
    error instanceof WWWAuthenticateChallengeError || ("error" in error && REFUSALS.includes(`${error.error}`));
  if (isRefused) return "refused the credentials of this server: check clientId and clientSecret of upstreamLogin";
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    return `${error.message} (${JSON.stringify(error.error.slice(0, 64))})`;
  }
  return error.message;
}
