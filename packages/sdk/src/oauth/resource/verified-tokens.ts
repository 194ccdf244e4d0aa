/**
 * The tokens that were verified lately. Keyed by the token, since no digest can be had synchronously on every runtime.
 * A token that is revoked is accepted until its entry ends.
 */
import { BoundedMap } from "../../runtime/bounded-map.js";
import { jsonBytes, textBytes } from "../../runtime/json-size.js";
import { withTimeout } from "../../runtime/timers.js";
import type { Caller } from "../../transport/caller.js";

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
  readonly timeoutMs: number;
}

interface Entry extends VerifiedToken {
  readonly until: number;
}

/** Nobody can tell what a token is worth: too many are being verified, or the verifier takes too long. */
export class VerificationUnavailable extends Error {
  override readonly name = "VerificationUnavailable";
}

export class VerifiedTokens {
  readonly #limits: VerifiedTokenLimits;
  readonly #now: () => number;
  readonly #entries: BoundedMap<string, Entry>;
  readonly #pending = new Map<string, Promise<VerifiedToken>>();

  constructor(limits: VerifiedTokenLimits, now: () => number) {
    const { maxTokens: maxEntries, maxBytes: maxWeight } = limits;
    this.#limits = limits;
    this.#now = now;
    this.#entries = new BoundedMap({ maxEntries, maxWeight });
  }

  /** A token whose entry has not ended. */
  get(token: string): VerifiedToken | undefined {
    const entry = this.#entries.get(token);
    if (entry === undefined || this.#now() < entry.until) return entry;
    this.#entries.delete(token);
    return undefined;
  }

  /** Verifies a token once, however many requests bring it meanwhile. @throws {VerificationUnavailable} */
  verify(token: string, run: () => Promise<VerifiedToken>): Promise<VerifiedToken> {
    const pending = this.#pending.get(token);
    if (pending !== undefined) return pending;
    const { maxPending, timeoutMs } = this.#limits;
    if (this.#pending.size >= maxPending) {
      return Promise.reject(new VerificationUnavailable(`${maxPending} tokens are being verified`));
    }
    const verifying = withTimeout(run(), timeoutMs, () => {
      throw new VerificationUnavailable(`The token was not verified within ${timeoutMs} ms`);
    })
      .then((verified) => this.#keep(token, verified))
      .finally(() => this.#pending.delete(token));
    this.#pending.set(token, verifying);
    return verifying;
  }

  #keep(token: string, verified: VerifiedToken): VerifiedToken {
    const { caller } = verified;
    const { cacheMs, maxBytes } = this.#limits;
    const until = Math.min(caller.expiresAt ?? Number.POSITIVE_INFINITY, this.#now() + cacheMs);
    this.#entries.set(token, { ...verified, until }, textBytes(token) + jsonBytes(caller.auth, maxBytes));
    return verified;
  }
}
