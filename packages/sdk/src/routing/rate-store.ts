/** Stores of rates that several processes count together: the interface, and a store in memory. */
import { checkLimit } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import { type RateLimit, TokenBucket } from "../runtime/token-bucket.js";

/** The calls that a `RateStore` allows a process to serve. */
export interface RateGrant {
  /** Calls that the process may serve: none, or up to as many as it has asked for. */
  readonly calls: number;
  /** The time until the next call in milliseconds, if there are fewer than it has asked for. Otherwise 0. */
  readonly retryAfterMs: number;
}

/** Token buckets, possibly over a network. The server asks for several calls of a client at once, and serves them without asking. */
export interface RateStore {
  /**
   * Takes up to `count` calls from the bucket of a key. A new bucket has `burst` calls, and every bucket regains `perSecond` up to
   * `burst`. Atomic among all processes.
   */
  take(key: string, rate: RateLimit, count: number): Promise<RateGrant>;
}

/** The limits of an `InMemoryRateStore`. */
export interface InMemoryRateStoreOptions {
  /** Buckets: one per client and method. At the limit, the store drops the one that was idle for longest. @defaultValue 100_000 */
  readonly maxBuckets?: number | undefined;
  /** Clock, in milliseconds. @defaultValue performance.now */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionTable<InMemoryRateStoreOptions> = { maxBuckets: true, now: "function" };
const DEFAULT_MAX_BUCKETS = 100_000;
const MAX_CHARACTERS = 16_777_216;

/** Shares rates between several servers of one process. */
export class InMemoryRateStore implements RateStore {
  readonly #buckets: BoundedMap<string, TokenBucket>;
  readonly #now: () => number;

  /** @throws {SdkError} `invalid-argument` for an unknown option, or a `maxBuckets` below 1. */
  constructor(options: InMemoryRateStoreOptions = {}) {
    checkOptions("InMemoryRateStore", options, OPTIONS);
    const { maxBuckets = DEFAULT_MAX_BUCKETS, now = () => performance.now() } = options;
    checkLimit("maxBuckets", maxBuckets);
    this.#buckets = new BoundedMap({ maxEntries: maxBuckets, maxWeight: MAX_CHARACTERS });
    this.#now = now;
  }

  async take(key: string, rate: RateLimit, count: number): Promise<RateGrant> {
    const nowMs = this.#now();
    const bucket = this.#buckets.get(key) ?? new TokenBucket(rate, nowMs);
    // Set again as the newest one.
    this.#buckets.set(key, bucket, key.length);
    const calls = bucket.takeUpTo(count, nowMs);
    return { calls, retryAfterMs: calls < count ? bucket.waitMs : 0 };
  }
}
