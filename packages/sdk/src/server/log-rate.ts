/** Limits the log messages that one request sends per second, and counts the dropped ones. */
const SECOND_MS = 1_000;

export class LogRate {
  readonly maxPerSecond: number;
  readonly #now: () => number;
  #secondStartedAt = Number.NEGATIVE_INFINITY;
  #sent = 0;
  #dropped = 0;

  /** `now` is a clock in milliseconds. */
  constructor(maxPerSecond: number, now: () => number = Date.now) {
    this.maxPerSecond = maxPerSecond;
    this.#now = now;
  }

  /** Counts a message. Returns false if it must be dropped. */
  admit(): boolean {
    const now = this.#now();
    // `abs`: a clock that was set back starts a new second, too.
    if (Math.abs(now - this.#secondStartedAt) >= SECOND_MS) {
      this.#secondStartedAt = now;
      this.#sent = 0;
    }
    if (this.#sent >= this.maxPerSecond) {
      this.#dropped += 1;
      return false;
    }
    this.#sent += 1;
    return true;
  }

  /** The number of messages dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
