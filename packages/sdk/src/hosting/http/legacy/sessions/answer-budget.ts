/**
 * Bounds the answers that one session passes on to other processes. An answer costs a message to every process of the session, and a
 * reply of each. A process that waits for the answer gives its cost back, so only answers that nobody waits for use the budget up.
 */

/** A whole budget: that many answers may be on their way at once. */
const BURST = 128;
const PER_SECOND = 16;
/** A longer answer costs more. */
const CHARACTERS = 65_536;

export class AnswerBudget {
  readonly #now: () => number;
  #left = BURST;
  #atMs: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#atMs = now();
  }

  /** Takes the cost of an answer. Undefined if nothing is left; then the answer must not be passed on. */
  take(characters: number): number | undefined {
    const nowMs = this.#now();
    this.#left = Math.min(BURST, this.#left + ((nowMs - this.#atMs) * PER_SECOND) / 1_000);
    this.#atMs = nowMs;
    if (this.#left < 1) return undefined;
    // A long answer may cost more than is left, so that it can be passed on at all.
    const cost = 1 + Math.floor(characters / CHARACTERS);
    this.#left -= cost;
    return cost;
  }

  giveBack(cost: number): void {
    this.#left = Math.min(BURST, this.#left + cost);
  }
}
