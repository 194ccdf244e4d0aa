/** Reads responses of OAuth endpoints: a JSON object, or an error of RFC 6749. No error quotes the body of a response. */

import { SdkError } from "../../errors/sdk-error.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { formEncoded } from "../grammar/basic-authentication.js";
import { OAuthError } from "../grammar/oauth-error.js";

/** Characters of an error code or description in a message. */
const MAX_ERROR_LENGTH = 500;
/** Shorter secrets are not replaced in error descriptions: they may be part of a word. */
const MIN_SECRET_CHARS = 8;
/** A JWT, signed or encrypted, such as an assertion of the client. Starts at the beginning of a word, so that the search is linear. */
const JWT = /(?<![\w-])eyJ[\w-]*(?:\.[\w-]*){2,4}/g;

/**
 * Reads the JSON object in a response to the request that `what` names. Replaces `secrets` and JWTs in an error, since a server may
 * repeat the request there.
 * @throws {OAuthError} the error that the server answered with.
 * @throws {SdkError} `authorization-failed` for anything else.
 */
export async function readOAuthResponse(
  what: string,
  response: Response,
  secrets: readonly (string | undefined)[] = [],
): Promise<JsonObject> {
  const { status } = response;
  const value = parseObject(await response.text());
  const error = value && errorIn(value, status, secrets);
  if (error) throw error;
  if (status !== 200 && status !== 201) {
    throw new SdkError("authorization-failed", `${what} was answered with status ${status}`, { status });
  }
  if (value) return value;
  throw new SdkError("authorization-failed", `${what}: expected a JSON object in the response`, { status });
}

/** The error in a response, of any status: some servers send errors with status 200. */
function errorIn(
  { error, error_description }: JsonObject,
  status: number,
  secrets: readonly (string | undefined)[],
): OAuthError | undefined {
  if (typeof error !== "string" || error === "") return undefined;
  const hidden = secrets.filter((secret) => secret !== undefined && secret.length >= MIN_SECRET_CHARS) as string[];
  const forms = hidden.flatMap((secret) => [secret, formEncoded(secret)]);
  const withoutSecrets = (text: string) =>
    printable(forms.reduce((left, secret) => left.replaceAll(secret, "…"), text).replaceAll(JWT, "…"));
  const description = typeof error_description === "string" ? withoutSecrets(error_description) : undefined;
  return new OAuthError(withoutSecrets(error), description, { status });
}

/** Makes a server's text fit for a log: one line of limited length. */
export function printable(text: string): string {
  return text.slice(0, MAX_ERROR_LENGTH).replace(/[^\x20-\x7e\u{a0}-\u{10ffff}]/gu, " ");
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Wraps any error of a failed authorization into one SdkError. The cause is the original error. */
export function authorizationFailed(what: string, cause: unknown): SdkError {
  if (cause instanceof SdkError) return cause;
  const why = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  const status = cause instanceof OAuthError ? cause.status : undefined;
  return new SdkError("authorization-failed", `${what}${why}`, { cause, ...(status !== undefined && { status }) });
}
