/** Responses of OAuth endpoints: a JSON object, or an error of RFC 6749. What they hold never gets into an error of ours. */

import { SdkError } from "../../errors/sdk-error.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { OAuthError } from "../grammar/oauth-error.js";

/** Characters of an error code or description that are kept. */
const MAX_ERROR_LENGTH = 500;

/**
 * The JSON object in a response to a request named `what`. A server may repeat the `secrets` of the request in the description
 * of its error: they are taken out.
 * @throws {OAuthError} the error that the server answered with.
 * @throws {SdkError} `authorization-failed` for anything else.
 */
export async function readOAuthResponse(
  what: string,
  response: Response,
  secrets: readonly string[] = [],
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

/** Some servers answer with an error and status 200. */
function errorIn(
  { error, error_description }: JsonObject,
  status: number,
  secrets: readonly string[],
): OAuthError | undefined {
  if (typeof error !== "string" || error === "") return undefined;
  // The code decides what happens next, so it stays as it is.
  const told = (text: string) => printable(secrets.reduce((left, secret) => left.replaceAll(secret, "…"), text));
  const description = typeof error_description === "string" ? told(error_description) : undefined;
  return new OAuthError(printable(error), description, { status });
}

/** Text of a server for a log: one line, and not too long. */
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

/** What kept an authorization from being made, as one error: its cause says which server answered what. */
export function authorizationFailed(what: string, cause: unknown): SdkError {
  if (cause instanceof SdkError) return cause;
  const why = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  const status = cause instanceof OAuthError ? cause.status : undefined;
  return new SdkError("authorization-failed", `${what}${why}`, { cause, ...(status !== undefined && { status }) });
}
