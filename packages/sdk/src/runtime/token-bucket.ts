/** Token buckets: a bucket starts full, each call takes a token, and tokens refill over time. */

/** The rate that a token bucket allows. */
export interface RateLimit {
  /** Calls per second in the long run: the refill rate. */
  readonly perSecond: number;
  /** Calls at once after a pause: the size of the bucket. */
  readonly burst: number;
}

/** Tolerance for rounding: a token that lacks less than this counts as whole. */
const ROUNDING = 1e-9;

/** Reading the clock costs more than the rest. With this many tokens, a bucket gives out some without reading it. */
const PLENTY = 64;
/** Tokens in a row that are given out without reading the clock. */
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
   * Takes a token without reading the clock. Returns false below `PLENTY` tokens; then call `take`. A large burst may get
   * `MAX_UNTIMED` tokens more than its rate allows.
   */
  takeUntimed(): boolean {
    if (this.#tokens < PLENTY || this.#untimed === MAX_UNTIMED) return false;
    this.#untimed += 1;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token and returns 0. Without a token, returns the milliseconds until the next one. */
  take(nowMs: number): number {
    return this.takeUpTo(1, nowMs) === 1 ? 0 : this.waitMs;
  }

  /** Takes up to `count` tokens, and returns their number. */
  takeUpTo(count: number, nowMs: number): number {
    // A clock that was set back must not take tokens away.
    const elapsedMs = Math.max(0, nowMs - this.#atMs);
    const tokens = Math.min(this.#burst, this.#tokens + elapsedMs * this.#perMs);
    const taken = Math.max(0, Math.min(count, Math.floor(tokens + ROUNDING)));
    this.#atMs = nowMs;
    this.#untimed = 0;
    this.#tokens = tokens - taken;
    return taken;
  }

  /** The milliseconds from the last `take` until the next token. */
  get waitMs(): number {
    return Math.max(1, Math.ceil((1 - ROUNDING - this.#tokens) / this.#perMs));
  }
}
