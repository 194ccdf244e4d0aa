/** Rate limits by address: one token bucket for each, and one for all callers whose address is unknown. */
import { BoundedMap } from "../../runtime/bounded-map.js";
import { type RateLimit, TokenBucket } from "../../runtime/token-bucket.js";

const MAX_ADDRESSES = 10_000;
const MAX_ADDRESS_CHARS = 64;

export class AddressRates {
  readonly #rate: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new BoundedMap<string, TokenBucket>({ maxEntries: MAX_ADDRESSES, maxWeight: MAX_ADDRESSES });

  constructor(rate: RateLimit, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Milliseconds until the next call is granted; 0 grants this one. */
  take(address = ""): number {
    const key = address.slice(0, MAX_ADDRESS_CHARS);
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#rate, now);
    // Set again, so that the addresses that call least are displaced first.
    this.#buckets.set(key, bucket, 1);
    return bucket.take(now);
  }
}
