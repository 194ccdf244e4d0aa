/**
 * Rates that several processes count in one store. A process takes a share of a client's calls from the store, and serves them
 * without asking. While the store fails, each process counts by itself.
 */
import { SdkError } from "../errors/sdk-error.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import { withTimeout } from "../runtime/timers.js";
import { type RateLimit, TokenBucket } from "../runtime/token-bucket.js";
import type { RateGrant, RateStore } from "./rate-store.js";

/** The time for an answer of the store. A call waits for the answer to the question under way, and to the next one. */
const MAX_WAIT_MS = 1_000;
/** While the store fails, it is asked this often. No call waits for that. */
const RETRY_MS = 1_000;
/** The part of a burst that one process takes at once. */
const SHARES = 10;

export class SharedRates {
  readonly now: () => number;
  readonly #store: RateStore;
  readonly #report: ErrorCallback;
  /** The time of the next attempt; undefined unless the store fails. */
  #retryAtMs: number | undefined;

  constructor(store: RateStore, report: ErrorCallback, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#report = report;
    this.now = now;
  }

  get isFailing(): boolean {
    return this.#retryAtMs !== undefined;
  }

  bucket(key: string, rate: RateLimit): LeasedBucket {
    return new LeasedBucket(this, key, rate);
  }

  /** Whether the failing store is to be asked again. True once per `RETRY_MS`. */
  startRetry(nowMs: number): boolean {
    if (this.#retryAtMs === undefined || nowMs < this.#retryAtMs) return false;
    this.#retryAtMs = nowMs + RETRY_MS;
    return true;
  }

  /** Undefined if the store fails. */
  async take(key: string, rate: RateLimit, count: number): Promise<RateGrant | undefined> {
    const isRetry = this.isFailing;
    try {
      const { calls, retryAfterMs } = await withTimeout(this.#store.take(key, rate, count), MAX_WAIT_MS, () => {
        throw new SdkError("request-timeout", `take of the rate store has not settled in ${MAX_WAIT_MS} ms`);
      });
      if (!isGrant(calls, count) || !(retryAfterMs >= 0)) {
        throw new SdkError("invalid-result", `take of the rate store resolved with ${calls} calls, ${retryAfterMs} ms`);
      }
      // An answer to a question from before the failure does not show that the store works again.
      if (isRetry) this.#retryAtMs = undefined;
      return { calls, retryAfterMs };
    } catch (cause) {
      this.#failed(cause);
      return undefined;
    }
  }

  #failed(cause: unknown): void {
    const message = "The rate store failed; until it answers again, this process counts rates by itself";
    if (!this.isFailing) this.#report(new SdkError("handler-failed", message, { cause }));
    this.#retryAtMs = this.now() + RETRY_MS;
  }
}

/** The rate of one client for one method. Calls that wait for the store count as requests in progress, so their number is limited. */
export class LeasedBucket {
  readonly #rates: SharedRates;
  readonly #key: string;
  readonly #rate: RateLimit;
  /** Calls that the store has granted, and that were not served yet. */
  #calls = 0;
  #refusedUntilMs = Number.NEGATIVE_INFINITY;
  /** The question to the store. Calls that come meanwhile wait for the same one. */
  #asking: Promise<void> | undefined;
  #waiting = 0;
  /** Counts while the store fails. */
  #own: TokenBucket | undefined;

  constructor(rates: SharedRates, key: string, rate: RateLimit) {
    this.#rates = rates;
    this.#key = key;
    this.#rate = rate;
  }

  /** Takes a call that the store has granted. */
  takeUntimed(): boolean {
    if (this.#calls === 0) return false;
    this.#calls -= 1;
    return true;
  }

  /** Takes a call and returns 0. Without a call, returns the milliseconds until the next one. */
  take(nowMs: number): number | Promise<number> {
    const waitMs = this.#takeKnown(nowMs);
    if (waitMs !== undefined) return waitMs;
    if (!this.#rates.isFailing) return this.#takeLater();
    if (this.#rates.startRetry(nowMs)) void this.#askOnce();
    return this.#takeOwn(nowMs);
  }

  async #takeLater(): Promise<number> {
    this.#waiting += 1;
    try {
      for (;;) {
        await this.#askOnce();
        const nowMs = this.#rates.now();
        const waitMs = this.#takeKnown(nowMs);
        if (waitMs !== undefined) return waitMs;
        if (this.#rates.isFailing) return this.#takeOwn(nowMs);
        // This call came after the question, and those before it have taken all that was granted. The next question counts it.
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Undefined if the store must be asked. */
  #takeKnown(nowMs: number): number | undefined {
    if (this.takeUntimed()) return 0;
    return nowMs < this.#refusedUntilMs ? Math.ceil(this.#refusedUntilMs - nowMs) : undefined;
  }

  #takeOwn(nowMs: number): number {
    this.#own ??= new TokenBucket(this.#rate, nowMs);
    return this.#own.take(nowMs);
  }

  #askOnce(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const share = Math.floor(this.#rate.burst / SHARES);
    const count = Math.max(1, share, this.#waiting);
    const granted = await this.#rates.take(this.#key, this.#rate, count);
    if (granted === undefined) return;
    this.#calls += granted.calls;
    // Calls beyond these are refused, and do not wait for the next one.
    if (granted.calls < count) this.#refusedUntilMs = this.#rates.now() + Math.max(1, granted.retryAfterMs);
  }
}

function isGrant(calls: number, count: number): boolean {
  return Number.isInteger(calls) && calls >= 0 && calls <= count;
}
