/**
 * Caches verified and rejected tokens. Entries are keyed by the token, since not every runtime has a synchronous digest. A
 * revoked token is accepted until its entry expires. Limits concurrent verifications: tokens that were accepted before may use
 * all of them, other tokens a part. Each principal of the former, and each network of the latter, has a share of the free ones.
 */

import { networksOf } from "../../hosting/http/client-address.js";
import { BoundedMap } from "../../runtime/bounded-map.js";
import { jsonBytes, textBytes } from "../../runtime/json-size.js";
import { OwnedMap } from "../../runtime/owned-map.js";
import { withTimeout } from "../../runtime/timers.js";
import type { Caller } from "../../transport/caller.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { rejectionOf, type TokenRejectionReason } from "./token-rejection.js";
import { invalidToken } from "./token-verifier.js";

/** A token that its verifier accepted. */
export interface VerifiedToken {
  readonly caller: Caller;
  /** The thumbprint of the key that the token is bound to. */
  readonly thumbprint: string | undefined;
}

export interface VerifiedTokenLimits {
  readonly maxTokens: number;
  readonly maxBytes: number;
  readonly maxPending: number;
  readonly cacheMs: number;
  readonly rejectedMs: number;
  readonly timeoutMs: number;
}

/** Share of the concurrent verifications for tokens that were not accepted before. */
const UNKNOWN_SHARE = 3 / 4;
/** Shares of the free verifications for such tokens of one network, from the widest to an address. A few never take all of them. */
const NETWORK_SHARES: readonly number[] = [1 / 2, 3 / 8, 1 / 4];
/** Share of the free verifications for the tokens of one principal that were accepted before. */
const PRINCIPAL_SHARE = 1 / 4;
const MAX_REJECTED_BYTES = 4_194_304;

/** When a cached result holds. Before its begin, it does not: the clock was ahead and was set back. */
interface Validity {
  readonly from: number;
  readonly until: number;
}

interface Entry extends VerifiedToken, Validity {}

/** A cached rejection. Only its texts are kept, since an error retains its stack. */
interface Rejected extends Validity {
  readonly reason: TokenRejectionReason;
  readonly complaint: string;
}

/** Who sends tokens to verify, and the share of the free verifications that this sender may use. */
interface Sender {
  readonly key: string;
  readonly name: string;
  readonly share: number;
}

/** A token cannot be verified now: too many verifications are pending, or the verifier takes too long. */
export class VerificationUnavailable extends Error {
  override readonly name = "VerificationUnavailable";
}

export class VerifiedTokens {
  readonly #limits: VerifiedTokenLimits;
  readonly #now: () => number;
  /** Owned by principals, so that many tokens of one do not evict those of others. */
  readonly #entries: OwnedMap<string, Entry>;
  /** The reason of each rejection, and the time until which it holds. */
  readonly #rejected: BoundedMap<string, Rejected>;
  readonly #pending = new Map<string, Promise<VerifiedToken>>();
  /** The number of pending tokens, by principal if they were accepted before, and else by network. */
  readonly #pendingOf = new Map<string, number>();

  constructor(limits: VerifiedTokenLimits, now: () => number) {
    const { maxTokens: maxEntries, maxBytes: maxWeight } = limits;
    this.#limits = limits;
    this.#now = now;
    this.#entries = new OwnedMap({ maxEntries, maxWeight });
    this.#rejected = new BoundedMap({ maxEntries, maxWeight: MAX_REJECTED_BYTES });
  }

  /** A token whose entry has not expired. Expired entries stay in the map, to show that the token was accepted before. */
  get(token: string): VerifiedToken | undefined {
    const entry = this.#entries.get(token);
    return entry !== undefined && this.#holds(entry) ? entry : undefined;
  }

  /**
   * Verifies a token. Concurrent requests with the same token share one verification.
   * @throws {VerificationUnavailable}
   * @throws {OAuthError} the error of `run`, or the cached rejection of this token
   */
  verify(token: string, address: string | undefined, run: () => Promise<VerifiedToken>): Promise<VerifiedToken> {
    const pending = this.#pending.get(token);
    if (pending !== undefined) return pending;
    const rejected = this.#rejected.get(token);
    if (rejected && this.#holds(rejected)) return Promise.reject(invalidToken(rejected.reason, rejected.complaint));
    const before = this.#entries.get(token);
    const senders = before ? [principalSender(before)] : networkSenders(address);
    const complaint = this.#complaint(before !== undefined, senders);
    if (complaint !== undefined) return Promise.reject(new VerificationUnavailable(complaint));
    this.#count(senders, 1);
    const { timeoutMs } = this.#limits;
    const verifying = withTimeout(run(), timeoutMs, () => {
      throw new VerificationUnavailable(`The token was not verified within ${timeoutMs} ms`);
    })
      .then(
        (verified) => this.#keep(token, verified),
        (error) => this.#reject(token, error),
      )
      .finally(() => {
        this.#pending.delete(token);
        this.#count(senders, -1);
      });
    this.#pending.set(token, verifying);
    return verifying;
  }

  /** The limit that prevents a verification now. Undefined if there is none. */
  #complaint(wasGood: boolean, senders: readonly Sender[]): string | undefined {
    const max = Math.ceil(this.#limits.maxPending * (wasGood ? 1 : UNKNOWN_SHARE));
    const free = max - this.#pending.size;
    if (free <= 0) return `${max} tokens are being verified`;
    const over = senders.find(({ key, share }) => (this.#pendingOf.get(key) ?? 0) >= Math.ceil(free * share));
    return over && `${this.#pendingOf.get(over.key)} tokens of ${over.name} are being verified`;
  }

  #holds({ from, until }: Validity): boolean {
    const now = this.#now();
    return from <= now && now < until;
  }

  #count(senders: readonly Sender[], change: number): void {
    for (const { key } of senders) {
      const count = (this.#pendingOf.get(key) ?? 0) + change;
      if (count === 0) this.#pendingOf.delete(key);
      else this.#pendingOf.set(key, count);
    }
  }

  #reject(token: string, error: unknown): never {
    if (error instanceof OAuthError) {
      this.#entries.delete(token);
      const from = this.#now();
      const until = from + this.#limits.rejectedMs;
      const { reason, message: complaint } = rejectionOf(error);
      this.#rejected.set(token, { reason, complaint, from, until }, textBytes(token) + textBytes(complaint));
    }
    throw error;
  }

  #keep(token: string, verified: VerifiedToken): VerifiedToken {
    const { caller } = verified;
    const { cacheMs, maxBytes } = this.#limits;
    const from = this.#now();
    const until = Math.min(caller.expiresAt ?? Number.POSITIVE_INFINITY, from + cacheMs);
    const weight = textBytes(token) + jsonBytes(caller.auth, maxBytes);
    this.#entries.set(token, { ...verified, from, until }, weight, `${caller.principal}`);
    return verified;
  }
}

function principalSender({ caller }: VerifiedToken): Sender {
  return { key: `principal ${caller.principal}`, name: "one principal", share: PRINCIPAL_SHARE };
}

/** Empty without an address: all callers may then share one. */
function networkSenders(address: string | undefined): readonly Sender[] {
  if (address === undefined) return [];
  const networks = networksOf(address);
  return NETWORK_SHARES.map((share, level) => ({
    key: `${level} ${networks[level]}`,
    name: `${networks[level]}`,
    share,
  }));
}
