/** The error of a call that needs a login or more scopes, if the client cannot or must not ask the user for them. */
import { SdkError } from "../../errors/sdk-error.js";

/** Describes the login or the scopes that a call lacks. */
export interface AuthorizationNeeds {
  /** `login` if there is no usable token, `scopes` if the token lacks scopes. */
  readonly reason: "login" | "scopes";
  /** Resource identifier that a token is needed for. */
  readonly resource: string;
  /** Issuer of the authorization server. Undefined if the client has not discovered it. */
  readonly issuer?: string | undefined;
  /** Scopes to ask for. Empty if the server named none. */
  readonly scopes: readonly string[];
}

/**
 * A call needs a login or scopes. Its `code` is `authorization-required`, and its members name what the call needs.
 *
 * @example
 * const authorization = oauth({ stepUp: "throw" });
 * try {
 *   await Client.connect({ url: "https://mcp.example.com/mcp", authorization }, { name: "job", version: "1.0.0" });
 * } catch (error) {
 *   if (error instanceof AuthorizationRequiredError) console.log(error.reason, error.issuer, error.scopes);
 * }
 */
export class AuthorizationRequiredError extends SdkError implements AuthorizationNeeds {
  readonly reason: "login" | "scopes";
  readonly resource: string;
  readonly issuer: string | undefined;
  readonly scopes: readonly string[];

  constructor(message: string, { reason, resource, issuer, scopes }: AuthorizationNeeds) {
    super("authorization-required", message, { status: reason === "login" ? 401 : 403 });
    this.reason = reason;
    this.resource = resource;
    this.issuer = issuer;
    this.scopes = scopes;
  }
}
