/** The error that answers a request whose access token lacks scopes. Over HTTP it is 403 with a challenge. */
import { ErrorCode } from "../protocol/error-codes.js";
import { isJsonObject } from "../runtime/json.js";
import type { WireError } from "./error-mapping.js";
import { ProtocolError } from "./protocol-error.js";

/** What `data` of such an error holds. */
export interface MissingScopes {
  /** The scopes that the operation needs, those that the token has included. */
  readonly scopes: readonly string[];
}

export function insufficientScope(scopes: readonly string[]): ProtocolError {
  const data: MissingScopes = { scopes };
  const message = `Insufficient scope: this needs an access token with ${scopes.join(" ")}`;
  return new ProtocolError(ErrorCode.insufficientScope, message, { data });
}

/** The scopes that an error of an answer asks for, if it does. */
export function neededScopesIn({ code, data }: WireError): readonly string[] | undefined {
  if (code !== ErrorCode.insufficientScope || !isJsonObject(data) || !Array.isArray(data.scopes)) return undefined;
  return data.scopes.map(String);
}
