/** Tokens as a session stores them, with their issuer, client and resource. */
import type { JsonObject } from "../../runtime/json.js";
import type { TokenClient } from "./client-registration.js";
import { readStored } from "./stored-json.js";
import type { IssuedTokens } from "./token-response.js";

export interface TokenRecord extends TokenClient {
  readonly issuer: string;
  readonly resource: string;
  readonly accessToken: string;
  readonly scheme: "Bearer" | "DPoP";
  readonly refreshToken?: string | undefined;
  /** The granted scopes; the requested ones if the server did not name the granted ones. */
  readonly scopes: readonly string[];
  /** The requested scopes. A later login asks for them again. */
  readonly requestedScopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** Id of the login. A refresh keeps it. */
  readonly login: string;
  /** Private JSON Web Key that the tokens are bound to. */
  readonly dpopKey?: JsonObject | undefined;
}

/** The fields that a refresh keeps. */
export type TokenOwner = Pick<
  TokenRecord,
  "issuer" | "clientId" | "registration" | "resource" | "login" | "requestedScopes" | "dpopKey"
>;

/** A token is refreshed before it is sent if it expires within this time. */
const EXPIRY_SKEW_MS = 30_000;

/** @param now milliseconds since 1970 */
export function expiresSoon({ expiresAt }: TokenRecord, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt - EXPIRY_SKEW_MS;
}

export function tokenRecord(owner: TokenOwner, issued: IssuedTokens, now: number, earlier?: TokenRecord): TokenRecord {
  const { issuer, clientId, registration, resource, login, requestedScopes, dpopKey } = owner;
  return {
    ...{ issuer, clientId, resource, login, requestedScopes },
    ...(registration && { registration }),
    ...(dpopKey && { dpopKey }),
    accessToken: issued.accessToken,
    scheme: issued.scheme,
    // A server that does not rotate refresh tokens omits the refresh token.
    refreshToken: issued.refreshToken ?? earlier?.refreshToken,
    scopes: issued.scopes ?? earlier?.scopes ?? requestedScopes,
    ...(issued.expiresInMs !== undefined && { expiresAt: now + issued.expiresInMs }),
  };
}

/** Parses a stored record. Undefined for text of another version, or damaged text. */
export function parseTokenRecord(text: string | undefined): TokenRecord | undefined {
  const value = readStored(text);
  const texts = [value?.issuer, value?.clientId, value?.resource, value?.accessToken, value?.login];
  const lists = [value?.scopes, value?.requestedScopes];
  const isRecord = texts.every((one) => typeof one === "string") && lists.every((list) => Array.isArray(list));
  // Only sessions write under these keys, so the members that are checked above tell whether this is a record.
  return isRecord ? (value as unknown as TokenRecord) : undefined;
}
