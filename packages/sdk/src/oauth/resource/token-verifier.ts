/** The interface of token verifiers: for signed tokens, for introspection, and for verifiers of the author. */
import { SdkError } from "../../errors/sdk-error.js";
import { isJsonObject } from "../../runtime/json.js";
import type { AuthInfo } from "../../transport/auth-info.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { parseScope, unionScopes } from "../grammar/scope.js";
import { TokenRejection, type TokenRejectionReason } from "./token-rejection.js";

/** Facts that a verifier gets besides the token. */
export interface TokenFacts {
  /** The resource that the token was sent to. */
  readonly resource: string;
}

/** Verifies tokens. `jwtVerifier` and `introspectionVerifier` make one. */
export interface TokenVerifier {
  /** Fetches metadata and keys of the issuer ahead of the first token. @throws {SdkError} `authorization-failed` */
  ready?(): Promise<void>;
  /**
   * Verifies a token and returns its contents. The resource checks the audience.
   * @throws {OAuthError} `invalid_token` for an invalid token. Any other error is answered 5xx.
   */
  verify(token: string, facts: TokenFacts): Promise<AuthInfo>;
}

/** A verifier of your own. Returns undefined for an invalid token. */
export type VerifyToken = (token: string, facts: TokenFacts) => AuthInfo | undefined | Promise<AuthInfo | undefined>;

/** Makes a TokenVerifier from a function, or checks a given one. */
export function toVerifier(given: TokenVerifier | VerifyToken): TokenVerifier {
  if (typeof given !== "function") return checkedVerifier(given);
  return {
    async verify(token, facts) {
      const auth = await given(token, facts);
      if (auth === undefined || auth === null) throw invalidToken("inactive", "the verifier does not know the token");
      return auth;
    },
  };
}

/** @throws {SdkError} `invalid-argument` for contents of a token that lack members which the resource reads */
export function checkAuthInfo(auth: AuthInfo): void {
  const [hasScopes, hasClaims] = [Array.isArray(auth?.scopes), isJsonObject(auth?.claims)];
  if (hasScopes && hasClaims) return;
  const advice = "return { subject, audience, scopes: [], claims: {} } if the token has neither scopes nor claims";
  throw new SdkError("invalid-argument", `verifier: expected the list scopes and the object claims; ${advice}`);
}

/** @throws {SdkError} `invalid-argument` for an object without `verify`, such as an authorization server. */
function checkedVerifier(given: TokenVerifier): TokenVerifier {
  if (typeof given?.verify === "function") return given;
  const advice = "write `verifier: login.verifyAccessToken` for an authorization server of this process";
  throw new SdkError("invalid-argument", `verifier: expected a function, or an object with verify; ${advice}`);
}

/** The description names no reason, since an attacker could learn from it how to forge tokens. The cause names it. */
export function invalidToken(reason: TokenRejectionReason, complaint: string): OAuthError {
  const cause = new TokenRejection(reason, complaint);
  return new OAuthError("invalid_token", "The access token is invalid or has expired", { status: 401, cause });
}

/** Reads the claims of a token, or the members of an introspection response. */
export function authFromClaims(issuer: string, claims: Readonly<Record<string, unknown>>): AuthInfo {
  const { sub, client_id, azp, aud, exp } = claims;
  return {
    issuer,
    subject: textOf(sub),
    clientId: textOf(client_id) ?? textOf(azp),
    scopes: scopesOf(claims),
    audience: Array.isArray(aud) ? aud.filter((one) => typeof one === "string") : textOf(aud),
    expiresAt: typeof exp === "number" ? exp * 1_000 : undefined,
    claims,
  };
}

/** Reads `scope` of RFC 9068, and `scp` of other issuers. Both may be a text or a list. */
function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = [scope, scp].flat().filter((text) => typeof text === "string");
  return unionScopes(...texts.map(parseScope));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
