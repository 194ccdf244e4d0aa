/** Rate limits by address: one token bucket per address, and one for all callers whose address is unknown. */
import { BoundedMap } from "../../runtime/bounded-map.js";
import { type RateLimit, TokenBucket } from "../../runtime/token-bucket.js";

const DEFAULT_MAX_ADDRESSES = 10_000;
const MAX_ADDRESS_CHARS = 64;

export class AddressRates {
  readonly #rate: RateLimit;
  readonly #now: () => number;
  readonly #buckets: BoundedMap<string, TokenBucket>;

  constructor(rate: RateLimit, now: () => number, maxAddresses: number = DEFAULT_MAX_ADDRESSES) {
    this.#rate = rate;
    this.#now = now;
    this.#buckets = new BoundedMap({ maxEntries: maxAddresses, maxWeight: maxAddresses });
  }

  /** Returns 0 if the call is allowed, else the milliseconds until the next call is. */
  take(address = ""): number {
    const key = address.slice(0, MAX_ADDRESS_CHARS);
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#rate, now);
    // Set again as the newest entry, so that the addresses with the oldest calls are evicted first.
    this.#buckets.set(key, bucket, 1);
    return bucket.take(now);
  }
}
