/** A value that is fetched once and shared. A failure is cached for five seconds, so that not every request repeats it. */

/** How long a failure is cached. */
const FAILURE_MS = 5_000;

export class FetchedOnce<Value> {
  readonly #fetch: () => Promise<Value>;
  readonly #now: () => number;
  #value: Promise<Value> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(fetch: () => Promise<Value>, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** Resolves with the value. Rejects with the failure of the last attempt. */
  get(): Promise<Value> {
    const isSpent = this.#failedAt + FAILURE_MS <= this.#now() && this.#failedAt > Number.NEGATIVE_INFINITY;
    if (this.#value === undefined || isSpent) {
      this.#failedAt = Number.NEGATIVE_INFINITY;
      this.#value = this.#fetch();
      this.#value.catch(() => {
        this.#failedAt = this.#now();
      });
    }
    return this.#value;
  }
}
