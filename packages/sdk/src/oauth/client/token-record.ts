/** Tokens as a session keeps them: with the issuer, the client and the resource that they belong to. */
import type { JsonObject } from "../../runtime/json.js";
import { readStored } from "./stored-json.js";
import type { IssuedTokens } from "./token-response.js";

export interface TokenRecord {
  readonly issuer: string;
  readonly clientId: string;
  readonly resource: string;
  readonly accessToken: string;
  readonly scheme: "Bearer" | "DPoP";
  readonly refreshToken?: string | undefined;
  /** Scopes granted, or those asked for where the server did not say. */
  readonly scopes: readonly string[];
  /** Scopes asked for: what a later login asks for again. */
  readonly requestedScopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** Names the login. It stays when the token is refreshed. */
  readonly login: string;
  /** Private JSON Web Key that the tokens are bound to. */
  readonly dpopKey?: JsonObject | undefined;
}

/** The fields that a refresh keeps. */
export type TokenOwner = Pick<
  TokenRecord,
  "issuer" | "clientId" | "resource" | "login" | "requestedScopes" | "dpopKey"
>;

export function tokenRecord(owner: TokenOwner, issued: IssuedTokens, now: number, earlier?: TokenRecord): TokenRecord {
  const { issuer, clientId, resource, login, requestedScopes, dpopKey } = owner;
  return {
    ...{ issuer, clientId, resource, login, requestedScopes },
    ...(dpopKey && { dpopKey }),
    accessToken: issued.accessToken,
    scheme: issued.scheme,
    // A server that does not rotate leaves the refresh token out.
    refreshToken: issued.refreshToken ?? earlier?.refreshToken,
    scopes: issued.scopes ?? earlier?.scopes ?? requestedScopes,
    ...(issued.expiresInMs !== undefined && { expiresAt: now + issued.expiresInMs }),
  };
}

/** Undefined for what is no record: of another version, or damaged. */
export function parseTokenRecord(text: string | undefined): TokenRecord | undefined {
  const value = readStored(text);
  const texts = [value?.issuer, value?.clientId, value?.resource, value?.accessToken, value?.login];
  const lists = [value?.scopes, value?.requestedScopes];
  const isRecord = texts.every((one) => typeof one === "string") && lists.every((list) => Array.isArray(list));
  // Only sessions write under their keys; the check above finds what an older version or an accident left there.
  return isRecord ? (value as unknown as TokenRecord) : undefined;
}
