/** Why a resource rejects a token. Its operator hears of it; the caller is told nothing of it. */
import type { OAuthError } from "../grammar/oauth-error.js";

/**
 * What is wrong with a token. `inactive`: its issuer or the verifier does not know it any more. `binding`: the key that it is bound
 * to and its proof do not fit. `malformed`: it is no token of the expected kind, such as an opaque one in the place of a JWT.
 */
export type TokenRejectionReason =
  | "audience"
  | "expired"
  | "not-yet-valid"
  | "issuer"
  | "unknown-key"
  | "signature"
  | "algorithm"
  | "type"
  | "claims"
  | "malformed"
  | "inactive"
  | "binding"
  | "too-long";

/** The `cause` of the refusal that `onRefusal` hears of. It quotes claims of the token, and never the token. */
export class TokenRejection extends Error {
  override readonly name = "TokenRejection";
  readonly reason: TokenRejectionReason;

  constructor(reason: TokenRejectionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Why a verifier rejected a token: its own reason, or the description of its error. */
export function rejectionOf({ cause, message }: OAuthError): TokenRejection {
  return cause instanceof TokenRejection ? cause : new TokenRejection("inactive", message);
}

const MAX_QUOTED_CHARS = 200;

/** A value that a stranger chose, for a message. */
export function quoted(value: unknown): string {
  return `${JSON.stringify(value)}`.slice(0, MAX_QUOTED_CHARS);
}
