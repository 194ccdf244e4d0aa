/** Issues, verifies and revokes access tokens: JWTs by RFC 9068 for one resource, bound to the client's DPoP key if it has one. */
import { type JWTPayload, errors as joseErrors } from "jose";
import type { AuthInfo } from "../../transport/auth-info.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { joinScopes, parseScope } from "../grammar/scope.js";
import type { AuthorizationStore } from "./authorization-store.js";
import type { Grants } from "./grants.js";
import type { Revocations } from "./revocations.js";
import { digest, randomSecret } from "./secrets.js";
import type { SigningKeys } from "./signing-keys.js";
import type { GrantUpstreams } from "./upstream/grant-upstreams.js";

/** The contents of a new access token. */
export interface AccessTokenFacts {
  readonly subject: string;
  readonly clientId: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The grant that the token belongs to and ends with. Undefined for tokens without a user's approval. */
  readonly grantKey?: string;
  readonly thumbprint?: string | undefined;
}

/** A token response of RFC 6749. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer" | "DPoP";
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
}

/** The contents of a valid access token of this server. */
export interface VerifiedAccessToken extends AuthInfo {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
  /** The resource that the token is for. */
  readonly audience: string;
  readonly expiresAt: number;
}

export interface AccessTokensOptions {
  readonly issuer: string;
  readonly keys: SigningKeys;
  readonly grants: Grants;
  readonly upstreams: GrantUpstreams;
  readonly revocations: Revocations;
  readonly store: AuthorizationStore;
  readonly now: () => number;
  readonly tokenMs: number;
}

const TYPE = "at+jwt";
const MAX_TOKEN_CHARS = 16_384;

export class AccessTokens {
  readonly #options: AccessTokensOptions;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  async issue({ subject, clientId, resource, scopes, grantKey, thumbprint }: AccessTokenFacts): Promise<TokenResponse> {
    const { issuer, keys, now, tokenMs } = this.#options;
    const iat = Math.floor(now() / 1_000);
    const lifetime = Math.floor(tokenMs / 1_000);
    const claims: JWTPayload = {
      iss: issuer,
      sub: subject,
      aud: resource,
      client_id: clientId,
      scope: joinScopes(scopes),
      iat,
      exp: iat + lifetime,
      // The part before the dot names the grant.
      jti: `${grantKey ?? ""}.${randomSecret()}`,
      ...(thumbprint !== undefined && { cnf: { jkt: thumbprint } }),
    };
    return {
      access_token: await keys.sign(TYPE, claims),
      token_type: thumbprint === undefined ? "Bearer" : "DPoP",
      expires_in: lifetime,
      scope: joinScopes(scopes),
    };
  }

  /** @throws {OAuthError} `invalid_token` for a token of another issuer, or one that has expired or was revoked */
  async verify(token: string): Promise<VerifiedAccessToken> {
    const claims = await this.#claimsOf(token);
    const jti = `${claims.jti}`;
    const grantKey = jti.slice(0, jti.indexOf("."));
    const grant = grantKey === "" ? undefined : await this.#options.grants.byKey(grantKey);
    const isEnded = grantKey === "" ? await this.#isCovered(claims) : !grant;
    if (isEnded || (await this.#options.store.get("revoked", await digest(jti))))
      throw invalidToken("the token was revoked");
    return {
      issuer: this.#options.issuer,
      subject: `${claims.sub}`,
      clientId: `${claims.client_id}`,
      scopes: parseScope(`${claims.scope}`),
      audience: `${claims.aud}`,
      expiresAt: (claims.exp as number) * 1_000,
      claims,
      ...(grant?.upstream !== undefined && { upstream: () => this.#options.upstreams.token(grantKey) }),
    };
  }

  /** Undefined for a token that is not valid. Rejects if the store fails. */
  async find(token: string): Promise<VerifiedAccessToken | undefined> {
    try {
      return await this.verify(token);
    } catch (error) {
      if (error instanceof OAuthError) return undefined;
      throw error;
    }
  }

  /** Revokes a token of this client. Does nothing for any other token. */
  async revoke(token: string, clientId: string): Promise<void> {
    const verified = await this.find(token);
    if (verified?.clientId !== clientId) return;
    const key = await digest(`${verified.claims.jti}`);
    const { subject: owner, expiresAt } = verified;
    await this.#options.store.update("revoked", key, () => ({ value: { isRevoked: true }, expiresAt, owner }));
  }

  /** Whether a revocation covers a token without a grant. `iat` has whole seconds, so tokens of the same second are covered. */
  #isCovered({ sub, client_id, iat }: JWTPayload): Promise<boolean> {
    const since = (iat as number) * 1_000;
    return this.#options.revocations.covers({
      subject: `${sub}`,
      loggedInAt: since,
      client: { clientId: `${client_id}`, since },
    });
  }

  async #claimsOf(token: string): Promise<JWTPayload> {
    if (token.length > MAX_TOKEN_CHARS) throw invalidToken("the token is too long");
    try {
      return await this.#options.keys.verify(token, TYPE, this.#options.issuer);
    } catch (cause) {
      if (!(cause instanceof joseErrors.JOSEError)) throw cause;
      const isExpired = cause instanceof joseErrors.JWTExpired;
      throw invalidToken(isExpired ? "the token has expired" : "the token is not valid", cause);
    }
  }
}

function invalidToken(description: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_token", description, { status: 401, cause });
}
