/** Token buckets: each starts full, each call takes a token, and time puts tokens back. */

/** How often something may happen. */
export interface RateLimit {
  /** Calls per second in the long run: the tokens that come back. */
  readonly perSecond: number;
  /** Calls at once after a pause: the tokens of a full bucket. */
  readonly burst: number;
}

/** Sums of fractions round: what lacks less than this of a token counts as one. */
const ROUNDING = 1e-9;

/** Reading the clock costs more than the rest, so a bucket with this many tokens gives out a few without. */
const PLENTY = 64;
const MAX_UNTIMED = 16;

export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;
  #untimed = 0;

  constructor({ perSecond, burst }: RateLimit, nowMs: number) {
    this.#perMs = perSecond / 1_000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#atMs = nowMs;
  }

  /**
   * Takes a token without the time, if there are plenty. Otherwise false, and `take` has to tell. A large burst may get 16
   * tokens more in this way than the time has put back.
   */
  takeUntimed(): boolean {
    if (this.#tokens < PLENTY || this.#untimed === MAX_UNTIMED) return false;
    this.#untimed += 1;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token. Returns 0, or the milliseconds until there is one. */
  take(nowMs: number): number {
    const tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#atMs) * this.#perMs);
    const isGranted = tokens > 1 - ROUNDING;
    this.#atMs = nowMs;
    this.#untimed = 0;
    this.#tokens = isGranted ? tokens - 1 : tokens;
    return isGranted ? 0 : Math.max(1, Math.ceil((1 - ROUNDING - tokens) / this.#perMs));
  }
}
