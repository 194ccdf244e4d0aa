/**
 * Grants: approvals of users, with their codes and refresh tokens. Code and refresh tokens begin with the secret name of their
 * grant. A spent token with a valid name was stolen or replayed, so it revokes the grant with all of its tokens. A refresh token
 * is spent once its successor is used, and not earlier: the response with the successor may get lost.
 */

import type { JsonObject } from "../../runtime/json.js";
import type { VerifiedProof } from "../grammar/dpop-proof.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { sameResource } from "../grammar/resource-uri.js";
import type { AuthorizationStore, StoredRecord } from "./authorization-store.js";
import type { Revocations } from "./revocations.js";
import { digest, isSameDigest, randomSecret } from "./secrets.js";

/** A user's approval of a client. */
export interface Grant {
  readonly clientId: string;
  readonly subject: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Time of the user's login, in milliseconds since 1970. */
  readonly loggedInAt: number;
  readonly credentialDigest?: string;
  readonly upstream?: JsonObject;
  /** The thumbprint of the DPoP key that the code, and later the refresh token, is bound to. */
  readonly thumbprint?: string;
}

/** A grant as the store keeps it. */
export interface GrantRecord extends Grant {
  /** Time of the user's approval, in milliseconds since 1970. */
  readonly approvedAt: number;
  readonly codeDigest: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly isRedeemed: boolean;
  readonly refreshDigest?: string;
  /** The digest of the previous refresh token. It is accepted until the current one is used. */
  readonly previousDigest?: string;
  /** The end of the grant. Refreshes do not extend it. */
  readonly endsAt: number;
  readonly isRevoked: boolean;
}

export interface IssuedGrant {
  readonly grant: Grant;
  /** The key of the grant in the store. Access tokens contain it. */
  readonly key: string;
  readonly refreshToken?: string;
}

export interface CodeRedemption {
  readonly clientId: string;
  /** Undefined if the request has no `redirect_uri`, as in OAuth 2.1. */
  readonly redirectUri: string | undefined;
  /** Undefined if the request has no `resource`. */
  readonly resource: string | undefined;
  readonly verifier: string;
  /** Spent if the code is valid. */
  readonly proof: VerifiedProof | undefined;
  readonly wantsRefresh: boolean;
  /** Whether the refresh token is bound to the DPoP key. Those of confidential clients are bound to the client instead. */
  readonly bindsRefresh: boolean;
}

/** The exchange of a code or a refresh token for tokens. */
interface Exchange {
  readonly token: string;
  readonly wantsRefresh: boolean;
  readonly proof: VerifiedProof | undefined;
}

export interface GrantsOptions {
  readonly store: AuthorizationStore;
  readonly revocations: Revocations;
  readonly now: () => number;
  readonly codeMs: number;
  /** How long a grant lasts from its approval. */
  readonly grantMs: number;
  /** How long an unused refresh token is valid. */
  readonly refreshIdleMs: number;
}

/** Beyond this number, the oldest grant of the user ends. All users share one table, so no user may evict grants of others. */
const MAX_GRANTS_PER_SUBJECT = 100;
/** Characters of a code or refresh token that are used for the lookup. */
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
    // Until its code is redeemed, the grant expires with the code.
    await store.update("grants", key, () => ({ value: record, expiresAt: now() + codeMs, owner: grant.subject }));
    await this.#endOldest(grant.subject, key);
    return code;
  }

  /** Redeems a code. A code that was redeemed before revokes its grant. @throws {OAuthError} as `refresh` */
  async redeem(code: string, redemption: CodeRedemption): Promise<IssuedGrant> {
    const challenge = await digest(redemption.verifier);
    const { proof, wantsRefresh } = redemption;
    return this.#exchange({ token: code, wantsRefresh, proof }, (grant, codeDigest, refreshDigest) => {
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
      if (grant.thumbprint !== undefined && grant.thumbprint !== proof?.thumbprint) {
        return "the code is bound to another DPoP key";
      }
      const { thumbprint: _unbound, ...rest } = grant;
      return {
        ...rest,
        ...(redemption.bindsRefresh && proof && { thumbprint: proof.thumbprint }),
        ...(refreshDigest !== undefined && { refreshDigest }),
        isRedeemed: true,
      };
    });
  }

  /**
   * Rotates a refresh token. The previous token may be used again: its new successor replaces the unused one. An older token
   * revokes the grant. A valid token spends the proof.
   * @throws {OAuthError} `invalid_grant`; `invalid_dpop_proof` for a proof that was used before
   */
  async refresh(token: string, clientId: string, proof: VerifiedProof | undefined): Promise<IssuedGrant> {
    return this.#exchange({ token, wantsRefresh: true, proof }, (grant, tokenDigest, refreshDigest) => {
      if (grant.clientId !== clientId) return "the refresh token was issued to another client";
      if (!accepts(grant, tokenDigest)) return REPLAYED;
      if (grant.thumbprint !== undefined && grant.thumbprint !== proof?.thumbprint) {
        return "the refresh token is bound to another DPoP key";
      }
      return { ...grant, ...(refreshDigest !== undefined && { refreshDigest }), previousDigest: tokenDigest };
    });
  }

  /** Revokes the grant of a refresh token of this client. False for any other token. */
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

  /** Finds the grant of an unspent refresh token, without spending the token. */
  async find(token: string): Promise<StoredRecord<GrantRecord> | undefined> {
    const stored = await this.#valid(await keyOf(token));
    const tokenDigest = await digest(token);
    return stored && accepts(stored.value, tokenDigest) ? stored : undefined;
  }

  /** Finds the grant of an access token. Undefined if it was revoked or has expired. */
  async byKey(key: string): Promise<GrantRecord | undefined> {
    return (await this.#valid(key))?.value;
  }

  /** Revokes a grant with all of its tokens. */
  async end(key: string): Promise<void> {
    await this.#options.store.update("grants", key, (current) => current && revoked(current));
  }

  async #valid(key: string): Promise<StoredRecord<GrantRecord> | undefined> {
    const { store, revocations } = this.#options;
    const stored = await store.get("grants", key);
    if (!stored || stored.value.isRevoked) return undefined;
    const { subject, loggedInAt, clientId, approvedAt } = stored.value;
    const isCovered = await revocations.covers({ subject, loggedInAt, client: { clientId, since: approvedAt } });
    return isCovered ? undefined : stored;
  }

  async #exchange(
    { token, wantsRefresh, proof }: Exchange,
    change: (grant: GrantRecord, digest: string, refreshDigest: string | undefined) => GrantRecord | string,
  ): Promise<IssuedGrant> {
    const key = await keyOf(token);
    const tokenDigest = await digest(token);
    const refreshToken = wantsRefresh ? `${nameOf(token)}.${randomSecret()}` : undefined;
    const refreshDigest = refreshToken === undefined ? undefined : await digest(refreshToken);
    const stored = await this.#valid(key);
    if (!stored) throw refusal(UNKNOWN);
    // Before the change: a replayed request must not rotate the refresh token.
    if (typeof change(stored.value, tokenDigest, refreshDigest) !== "string") proof?.spend(stored.value.subject);
    let outcome: GrantRecord | string = UNKNOWN;
    await this.#options.store.update("grants", key, (current) => {
      if (!current || current.value.isRevoked) return current;
      outcome = change(current.value, tokenDigest, refreshDigest);
      if (outcome === REPLAYED) return revoked(current);
      return typeof outcome === "string" ? current : { ...current, value: outcome, expiresAt: this.#endOf(outcome) };
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

/** The key in the store of the grant that a code or a refresh token belongs to. */
export async function keyOf(token: string): Promise<string> {
  return digest(nameOf(token.slice(0, MAX_TOKEN_CHARS)));
}

/** Marks a grant as revoked and deletes its upstream tokens. The record keeps its expiry, so that access tokens stay revoked. */
export function revoked(stored: StoredRecord<GrantRecord>): StoredRecord<GrantRecord> {
  const { upstream: _deleted, ...rest } = stored.value;
  return { ...stored, value: { ...rest, isRevoked: true } };
}

function refusal(outcome: string): OAuthError {
  const code = outcome === ANOTHER_RESOURCE ? "invalid_target" : "invalid_grant";
  return new OAuthError(code, outcome, { status: 400 });
}
