/**
 * The proofs that were seen, so that none is accepted twice. The table is bounded and fails closed: when it had to forget
 * a proof before its time, proofs that were issued before that one arrived are refused, since they may be replays.
 */
export interface ReplayBounds {
  readonly maxRemembered: number;
  /** Time after which a proof is too old to be accepted anyway. */
  readonly keepMs: number;
}

export class DpopReplays {
  readonly #bounds: ReplayBounds;
  /** When each proof arrived, oldest first. */
  readonly #arrivals = new Map<string, number>();
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(bounds: ReplayBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  /** Remembers a proof. False if it was seen before, or may have been. */
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
