/**
 * Remembers proofs, so that none is accepted twice. The table is bounded and fails closed. After it has evicted a proof early,
 * it refuses all proofs that were issued before the evicted one arrived, since they may be replays.
 */
export interface ReplayBounds {
  readonly maxRemembered: number;
  /** Time after which a proof is refused for its age, and need not be remembered. */
  readonly keepMs: number;
}

export class DpopReplays {
  readonly #bounds: ReplayBounds;
  /** The arrival time of each proof, oldest first. */
  readonly #arrivals = new Map<string, number>();
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(bounds: ReplayBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  /** Remembers a proof. False if it was, or may have been, seen before. */
  add(id: string, issuedMs: number, nowMs: number): boolean {
    this.#dropExpired(nowMs);
    if (this.#arrivals.has(id) || issuedMs <= this.#forgottenMs) return false;
    this.#arrivals.set(id, nowMs);
    if (this.#arrivals.size > this.#bounds.maxRemembered) this.#forgetOldest();
    return true;
  }

  #dropExpired(nowMs: number): void {
    for (const [id, arrivedMs] of this.#arrivals) {
      if (nowMs - arrivedMs <= this.#bounds.keepMs) break;
      this.#arrivals.delete(id);
    }
  }

  #forgetOldest(): void {
    for (const [id, arrivedMs] of this.#arrivals) {
      this.#arrivals.delete(id);
      this.#forgottenMs = arrivedMs;
      break;
    }
  }
}
