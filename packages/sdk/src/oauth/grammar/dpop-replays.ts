/**
 * Remembers proofs, so that none is accepted twice. The table is bounded and fails closed: after it has evicted a proof early, it
 * refuses all proofs that were issued before that one arrived or was issued, since they may be replays. A key with several proofs in a
 * full table evicts its own, and only its own proofs are refused for that.
 */
export interface ReplayBounds {
  readonly maxRemembered: number;
  /** Time after which a proof is refused for its age, and need not be remembered. */
  readonly keepMs: number;
}

interface RememberedProof {
  readonly key: string;
  readonly arrivedMs: number;
  readonly issuedMs: number;
}

interface RememberedKey {
  /** The proofs of the key, oldest first. */
  readonly ids: Set<string>;
  forgottenMs: number;
}

export class DpopReplays {
  readonly #bounds: ReplayBounds;
  /** Proofs by id, oldest arrival first. */
  readonly #proofs = new Map<string, RememberedProof>();
  /** Keys that have a proof in the table. */
  readonly #keys = new Map<string, RememberedKey>();
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(bounds: ReplayBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#proofs.size;
  }

  /** Remembers a proof of a key. False if it was, or may have been, seen before. */
  add(id: string, key: string, issuedMs: number, nowMs: number): boolean {
    this.#dropExpired(nowMs);
    const known = this.#keys.get(key);
    const forgottenMs = Math.max(this.#forgottenMs, known?.forgottenMs ?? Number.NEGATIVE_INFINITY);
    if (this.#proofs.has(id) || issuedMs <= forgottenMs) return false;
    if (this.#proofs.size >= this.#bounds.maxRemembered) this.#makeRoom(known);
    const kept = this.#keys.get(key) ?? { ids: new Set(), forgottenMs: Number.NEGATIVE_INFINITY };
    this.#keys.set(key, kept);
    kept.ids.add(id);
    this.#proofs.set(id, { key, arrivedMs: nowMs, issuedMs });
    return true;
  }

  #dropExpired(nowMs: number): void {
    for (const [id, { arrivedMs }] of this.#proofs) {
      if (nowMs - arrivedMs <= this.#bounds.keepMs) break;
      this.#drop(id);
    }
  }

  /** Evicts the oldest proof of a key that has another one, else the oldest of all. */
  #makeRoom(owner: RememberedKey | undefined): void {
    const own = owner !== undefined && owner.ids.size > 1 ? owner : undefined;
    for (const id of own?.ids ?? this.#proofs.keys()) {
      const forgottenMs = this.#drop(id);
      if (own) own.forgottenMs = Math.max(own.forgottenMs, forgottenMs);
      else this.#forgottenMs = Math.max(this.#forgottenMs, forgottenMs);
      return;
    }
  }

  /** Returns the time up to which proofs may be replays of the dropped one. */
  #drop(id: string): number {
    const { key, arrivedMs, issuedMs } = this.#proofs.get(id) as RememberedProof;
    this.#proofs.delete(id);
    const kept = this.#keys.get(key) as RememberedKey;
    kept.ids.delete(id);
    const forgottenMs = Math.max(arrivedMs, issuedMs);
    if (kept.ids.size > 0) return forgottenMs;
    this.#keys.delete(key);
    return Math.max(forgottenMs, kept.forgottenMs);
  }
}
