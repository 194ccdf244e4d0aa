/** How many log messages one request may send: so many per second. The rest are counted. */
const SECOND_MS = 1_000;

export class LogRate {
  readonly maxPerSecond: number;
  readonly #now: () => number;
  #began = Number.NEGATIVE_INFINITY;
  #sent = 0;
  #dropped = 0;

  /** `now` is a clock in milliseconds. */
  constructor(maxPerSecond: number, now: () => number = Date.now) {
    this.maxPerSecond = maxPerSecond;
    this.#now = now;
  }

  /** Whether one more message may go out. */
  admit(): boolean {
    const now = this.#now();
    // A clock that was set back begins a second, too.
    if (Math.abs(now - this.#began) >= SECOND_MS) {
      this.#began = now;
      this.#sent = 0;
    }
    if (this.#sent >= this.maxPerSecond) {
      this.#dropped += 1;
      return false;
    }
    this.#sent += 1;
    return true;
  }

  /** The messages that were left out since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
