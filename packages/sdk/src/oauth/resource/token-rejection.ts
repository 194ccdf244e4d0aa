/** The reason why a resource rejects a token. The operator gets it through `onRefusal`; the caller does not. */
import type { OAuthError } from "../grammar/oauth-error.js";

/**
 * The fault of a token. `inactive`: the issuer or the verifier does not know it, or has revoked it. `binding`: its proof is
 * missing, or of another key than the one it is bound to. `malformed`: it is of another kind, such as opaque instead of a JWT.
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

/** The `cause` of the refusal that `onRefusal` gets. Its message quotes claims of the token, and never the token. */
export class TokenRejection extends Error {
  override readonly name = "TokenRejection";
  readonly reason: TokenRejectionReason;

  constructor(reason: TokenRejectionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The rejection in an error of a verifier. For an error without one, `inactive` with the error's message. */
export function rejectionOf({ cause, message }: OAuthError): TokenRejection {
  return cause instanceof TokenRejection ? cause : new TokenRejection("inactive", message);
}

const MAX_QUOTED_CHARS = 200;

/** Quotes a value of a token in a message, with a limited length. */
export function quoted(value: unknown): string {
  return `${JSON.stringify(value)}`.slice(0, MAX_QUOTED_CHARS);
}
