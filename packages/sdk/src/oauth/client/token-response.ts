/** Parses the response of a token endpoint. */
import { SdkError } from "../../errors/sdk-error.js";
import type { JsonObject } from "../../runtime/json.js";
import { parseScope } from "../grammar/scope.js";

export interface IssuedTokens {
  readonly accessToken: string;
  readonly scheme: "Bearer" | "DPoP";
  readonly refreshToken: string | undefined;
  /** The granted scopes, if the server names them. */
  readonly scopes: readonly string[] | undefined;
  readonly expiresInMs: number | undefined;
}

/** Tokens that a header can carry: more characters than RFC 6750 allows, since some servers issue such tokens. */
const TOKEN = /^[\x21-\x7e]+$/;
const MAX_TOKEN_LENGTH = 65_536;

/** @throws {SdkError} `authorization-failed` naming the field, never its value. */
export function parseTokenResponse(value: JsonObject): IssuedTokens {
  const accessToken = tokenIn(value, "access_token");
  if (accessToken === undefined) throw unusable("access_token is missing");
  return {
    accessToken,
    scheme: schemeOf(value.token_type),
    refreshToken: tokenIn(value, "refresh_token"),
    scopes: typeof value.scope === "string" ? parseScope(value.scope) : undefined,
    expiresInMs: expiryOf(value.expires_in),
  };
}

function tokenIn(value: JsonObject, name: string): string | undefined {
  const token = value[name];
  if (token === undefined || token === null || token === "") return undefined;
  if (typeof token === "string" && token.length <= MAX_TOKEN_LENGTH && TOKEN.test(token)) return token;
  throw unusable(`${name} must be visible ASCII of at most ${MAX_TOKEN_LENGTH} characters`);
}

function schemeOf(type: unknown): "Bearer" | "DPoP" {
  const name = typeof type === "string" ? type.toLowerCase() : "";
  if (name === "bearer") return "Bearer";
  if (name === "dpop") return "DPoP";
  throw unusable('token_type must be "Bearer" or "DPoP"');
}

/** Accepts a number as text too, since some servers send one. */
function expiryOf(seconds: unknown): number | undefined {
  if (seconds === undefined || seconds === null) return undefined;
  const ms = Number(seconds) * 1_000;
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw unusable("expires_in must be a number of seconds");
}

function unusable(why: string): SdkError {
  return new SdkError("authorization-failed", `The token endpoint's response cannot be used: ${why}`);
}
