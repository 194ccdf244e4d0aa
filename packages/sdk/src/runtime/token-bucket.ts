/** Token buckets that share one rate. A bucket starts full, each grant takes a token, and time puts tokens back. */
export interface Rate {
  /** Tokens that come back each second. */
  readonly perSecond: number;
  /** Tokens of a full bucket: how many grants may come at once. */
  readonly burst: number;
}

/** Sums of fractions round: what lacks less than this of a token counts as one. */
const ROUNDING = 1e-9;

export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  constructor({ perSecond, burst }: Rate, nowMs: number) {
    this.#perMs = perSecond / 1_000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#atMs = nowMs;
  }

  /** Takes a token. Returns 0, or the milliseconds until there is one. */
  take(nowMs: number): number {
    const tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#atMs) * this.#perMs);
    const isGranted = tokens > 1 - ROUNDING;
    this.#atMs = nowMs;
    this.#tokens = isGranted ? tokens - 1 : tokens;
    return isGranted ? 0 : Math.max(1, Math.ceil((1 - ROUNDING - tokens) / this.#perMs));
  }
}
