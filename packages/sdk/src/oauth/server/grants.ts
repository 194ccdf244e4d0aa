/**
 * Grants: what a user has approved, and the code and refresh tokens that stand for it. All of them begin with the name of the
 * grant, which only their holders learn. A holder of the name who presents a spent token has stolen or replayed it, so the
 * grant and all of its tokens are revoked. A refresh token is spent once its successor is used: before that, the answer with
 * the successor may be lost.
 */

import type { JsonObject } from "../../runtime/json.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { sameResource } from "../grammar/resource-uri.js";
import type { AuthorizationStore, Stored } from "./authorization-store.js";
import type { Revocations } from "./revocations.js";
import { digest, isSameDigest, randomSecret } from "./secrets.js";

/** A user's approval of a client. */
export interface Grant {
  readonly clientId: string;
  readonly subject: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** When the user logged in. */
  readonly loggedInAt: number;
  readonly credentialDigest?: string;
  readonly upstream?: JsonObject;
  /** The DPoP key that the code, and later the refresh token, is bound to. */
  readonly thumbprint?: string;
}

/** A grant as the store keeps it. */
export interface GrantRecord extends Grant {
  /** When the user approved the client. */
  readonly approvedAt: number;
  readonly codeDigest: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly isRedeemed: boolean;
  readonly refreshDigest?: string;
  /** The predecessor of the refresh token. A refresh accepts it until the refresh token itself is used. */
  readonly previousDigest?: string;
  /** The end of the grant, however often its token is refreshed. */
  readonly endsAt: number;
  readonly isRevoked: boolean;
}

export interface IssuedGrant {
  readonly grant: Grant;
  /** The name of the grant in the store, for access tokens to point at. */
  readonly key: string;
  readonly refreshToken?: string;
}

export interface CodeRedemption {
  readonly clientId: string;
  /** Undefined if the request has none, as in OAuth 2.1. */
  readonly redirectUri: string | undefined;
  /** Undefined if the request names none. */
  readonly resource: string | undefined;
  readonly verifier: string;
  readonly thumbprint: string | undefined;
  readonly wantsRefresh: boolean;
  /** Whether the refresh token is bound to the DPoP key: those of confidential clients are bound to the client. */
  readonly bindsRefresh: boolean;
}

export interface GrantsOptions {
  readonly store: AuthorizationStore;
  readonly revocations: Revocations;
  readonly now: () => number;
  readonly codeMs: number;
  /** How long a grant lasts from its approval. */
  readonly grantMs: number;
  /** How long a refresh token is valid if nobody uses it. */
  readonly refreshIdleMs: number;
}

/** Beyond it the oldest grant of a user ends. All users share one table, and nobody may displace the grants of others. */
const MAX_GRANTS_PER_SUBJECT = 100;
/** The longest code or refresh token that is looked up. */
const MAX_TOKEN_CHARS = 128;
const REPLAYED = "the code or token was used before; all tokens of its grant are revoked";
const UNKNOWN = "the code or token is unknown, expired or revoked";
const ANOTHER_RESOURCE = "resource differs from the one of the authorization request";

export class Grants {
  readonly #options: GrantsOptions;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  /** Opens a grant and returns its authorization code. */
  async open(grant: Grant, request: { readonly redirectUri: string; readonly challenge: string }): Promise<string> {
    const { store, now, codeMs, grantMs } = this.#options;
    const name = randomSecret();
    const key = await digest(name);
    const code = `${name}.${randomSecret()}`;
    const record: GrantRecord = {
      ...grant,
      ...request,
      approvedAt: now(),
      codeDigest: await digest(code),
      isRedeemed: false,
      endsAt: now() + grantMs,
      isRevoked: false,
    };
    // An unredeemed grant ends with its code.
    await store.update("grants", key, () => ({ value: record, expiresAt: now() + codeMs }));
    await this.#endOldest(grant.subject, key);
    return code;
  }

  /** @throws {OAuthError} `invalid_grant`; a code that was redeemed before also revokes its grant */
  async redeem(code: string, redemption: CodeRedemption): Promise<IssuedGrant> {
    const challenge = await digest(redemption.verifier);
    return this.#exchange(code, redemption.wantsRefresh, (grant, codeDigest, refreshDigest) => {
      if (!isSameDigest(grant.codeDigest, codeDigest)) return "the code is not valid";
      if (grant.clientId !== redemption.clientId) return "the code was issued to another client";
      if (grant.isRedeemed) return REPLAYED;
      if (redemption.redirectUri !== undefined && redemption.redirectUri !== grant.redirectUri) {
        return "redirect_uri differs from the one of the authorization request";
      }
      if (redemption.resource !== undefined && !sameResource(grant.resource, redemption.resource)) {
        return ANOTHER_RESOURCE;
      }
      if (!isSameDigest(grant.challenge, challenge)) return "code_verifier does not match the code_challenge";
      if (grant.thumbprint !== undefined && grant.thumbprint !== redemption.thumbprint) {
        return "the code is bound to another DPoP key";
      }
      const { thumbprint: _unbound, ...rest } = grant;
      const isBound = redemption.bindsRefresh && redemption.thumbprint !== undefined;
      return {
        ...rest,
        ...(isBound && { thumbprint: redemption.thumbprint }),
        ...(refreshDigest !== undefined && { refreshDigest }),
        isRedeemed: true,
      };
    });
  }

  /**
   * Rotates a refresh token. Its predecessor gets a successor too, which replaces the one that was never used.
   * @throws {OAuthError} `invalid_grant`; a token that was superseded also revokes its grant
   */
  async refresh(token: string, clientId: string, thumbprint: string | undefined): Promise<IssuedGrant> {
    return this.#exchange(token, true, (grant, tokenDigest, refreshDigest) => {
      if (grant.clientId !== clientId) return "the refresh token was issued to another client";
      if (!accepts(grant, tokenDigest)) return REPLAYED;
      if (grant.thumbprint !== undefined && grant.thumbprint !== thumbprint) {
        return "the refresh token is bound to another DPoP key";
      }
      return { ...grant, ...(refreshDigest !== undefined && { refreshDigest }), previousDigest: tokenDigest };
    });
  }

  /** Revokes the grant of a refresh token of this client. False if the token is none. */
  async revoke(token: string, clientId: string): Promise<boolean> {
    let isRevoked = false;
    const tokenDigest = await digest(token);
    await this.#options.store.update("grants", await keyOf(token), (current) => {
      if (current?.value.clientId !== clientId || !accepts(current.value, tokenDigest)) return current;
      isRevoked = true;
      return revoked(current);
    });
    return isRevoked;
  }

  /** The grant of an unspent refresh token, without spending it. */
  async find(token: string): Promise<Stored<GrantRecord> | undefined> {
    const stored = await this.#valid(await keyOf(token));
    const tokenDigest = await digest(token);
    return stored && accepts(stored.value, tokenDigest) ? stored : undefined;
  }

  /** The grant that an access token points at. */
  async byKey(key: string): Promise<GrantRecord | undefined> {
    return (await this.#valid(key))?.value;
  }

  /** Revokes a grant, whichever of its tokens are in use. */
  async end(key: string): Promise<void> {
    await this.#options.store.update("grants", key, (current) => current && revoked(current));
  }

  async #valid(key: string): Promise<Stored<GrantRecord> | undefined> {
    const { store, revocations } = this.#options;
    const stored = await store.get("grants", key);
    if (!stored || stored.value.isRevoked) return undefined;
    const { subject, loggedInAt, clientId, approvedAt } = stored.value;
    const isCovered = await revocations.covers({ subject, loggedInAt, client: { clientId, since: approvedAt } });
    return isCovered ? undefined : stored;
  }

  async #exchange(
    token: string,
    wantsRefresh: boolean,
    change: (grant: GrantRecord, digest: string, refreshDigest: string | undefined) => GrantRecord | string,
  ): Promise<IssuedGrant> {
    const key = await keyOf(token);
    const tokenDigest = await digest(token);
    const refreshToken = wantsRefresh ? `${nameOf(token)}.${randomSecret()}` : undefined;
    const refreshDigest = refreshToken === undefined ? undefined : await digest(refreshToken);
    if (!(await this.#valid(key))) throw refusal(UNKNOWN);
    let outcome: GrantRecord | string = UNKNOWN;
    await this.#options.store.update("grants", key, (current) => {
      if (!current || current.value.isRevoked) return current;
      outcome = change(current.value, tokenDigest, refreshDigest);
      if (outcome === REPLAYED) return revoked(current);
      return typeof outcome === "string" ? current : { value: outcome, expiresAt: this.#endOf(outcome) };
    });
    if (typeof outcome === "string") throw refusal(outcome);
    return { grant: outcome, key, ...(refreshToken !== undefined && { refreshToken }) };
  }

  async #endOldest(subject: string, newest: string): Promise<void> {
    const { store, now, grantMs } = this.#options;
    let oldest: string | undefined;
    await store.update("subjects", await digest(subject), (current) => {
      const others = current?.value.grants ?? [];
      const kept = others.slice(1 - MAX_GRANTS_PER_SUBJECT);
      oldest = others.length > kept.length ? others[0] : undefined;
      return { value: { grants: [...kept, newest] }, expiresAt: now() + grantMs };
    });
    if (oldest !== undefined) await store.update("grants", oldest, () => undefined);
  }

  #endOf({ endsAt }: GrantRecord): number {
    return Math.min(endsAt, this.#options.now() + this.#options.refreshIdleMs);
  }
}

function accepts({ refreshDigest, previousDigest }: GrantRecord, tokenDigest: string): boolean {
  return [refreshDigest, previousDigest].some((known) => known !== undefined && isSameDigest(known, tokenDigest));
}

function nameOf(token: string): string {
  return token.slice(0, token.indexOf("."));
}

/** The name in the store of the grant that a code or a refresh token belongs to. */
export async function keyOf(token: string): Promise<string> {
  return digest(nameOf(token.slice(0, MAX_TOKEN_CHARS)));
}

/** Kept until it would have ended, so that its access tokens stay revoked. Tokens of an upstream provider are deleted. */
export function revoked({ value, expiresAt }: Stored<GrantRecord>): Stored<GrantRecord> {
  const { upstream: _deleted, ...rest } = value;
  return { value: { ...rest, isRevoked: true }, expiresAt };
}

function refusal(outcome: string): OAuthError {
  const code = outcome === ANOTHER_RESOURCE ? "invalid_target" : "invalid_grant";
  return new OAuthError(code, outcome, { status: 400 });
}
