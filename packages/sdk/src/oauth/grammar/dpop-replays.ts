/**
 * Remembers proofs, so that none is accepted twice. The table is bounded and fails closed: over its limit, it evicts the oldest proof
 * of the owner with the most, and refuses all proofs of that owner that were issued before that one arrived or was issued, since they
 * may be replays. If that was the owner's only proof, it refuses those of all owners.
 */
import { RankedHeap } from "../../runtime/ranked-heap.js";

export interface ReplayBounds {
  readonly maxRemembered: number;
  /** Time after which a proof is refused for its age, and need not be remembered. */
  readonly keepMs: number;
}

interface RememberedProof {
  readonly owner: ProofOwner;
  readonly arrivedMs: number;
  readonly issuedMs: number;
}

interface ProofOwner {
  readonly name: string;
  /** Ranks owners with as many proofs. */
  readonly since: number;
  /** The proofs of the owner, oldest first. */
  readonly ids: Set<string>;
  forgottenMs: number;
}

export class DpopReplays {
  readonly #bounds: ReplayBounds;
  /** Proofs by id, oldest arrival first. */
  readonly #proofs = new Map<string, RememberedProof>();
  /** Owners that have a proof in the table. */
  readonly #owners = new Map<string, ProofOwner>();
  readonly #byCount = new RankedHeap<ProofOwner>(
    (one, other) => one.ids.size > other.ids.size || (one.ids.size === other.ids.size && one.since < other.since),
  );
  #ownersSeen = 0;
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(bounds: ReplayBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#proofs.size;
  }

  /**
   * Remembers a proof. False if it was, or may have been, seen before.
   * @param owner whose proofs make room for it. The same for all proofs with this id
   */
  add(id: string, owner: string, issuedMs: number, nowMs: number): boolean {
    this.#dropExpired(nowMs);
    const forgottenMs = Math.max(this.#forgottenMs, this.#owners.get(owner)?.forgottenMs ?? Number.NEGATIVE_INFINITY);
    if (this.#proofs.has(id) || issuedMs <= forgottenMs) return false;
    if (this.#proofs.size >= this.#bounds.maxRemembered) this.#evict();
    const kept = this.#owners.get(owner) ?? this.#newOwner(owner);
    kept.ids.add(id);
    this.#byCount.update(kept);
    this.#proofs.set(id, { owner: kept, arrivedMs: nowMs, issuedMs });
    return true;
  }

  #newOwner(name: string): ProofOwner {
    const owner = { name, since: this.#ownersSeen++, ids: new Set<string>(), forgottenMs: Number.NEGATIVE_INFINITY };
    this.#owners.set(name, owner);
    return owner;
  }

  #dropExpired(nowMs: number): void {
    for (const [id, proof] of this.#proofs) {
      if (nowMs - proof.arrivedMs <= this.#bounds.keepMs) break;
      this.#drop(id, proof);
    }
  }

  /** Evicts the oldest proof of the owner with the most. Called only while there are proofs. */
  #evict(): void {
    const owner = this.#byCount.first() as ProofOwner;
    const id = owner.ids.values().next().value as string;
    const proof = this.#proofs.get(id) as RememberedProof;
    owner.forgottenMs = Math.max(owner.forgottenMs, proof.arrivedMs, proof.issuedMs);
    this.#drop(id, proof);
  }

  #drop(id: string, { owner }: RememberedProof): void {
    this.#proofs.delete(id);
    owner.ids.delete(id);
    if (owner.ids.size > 0) {
      this.#byCount.update(owner);
      return;
    }
    this.#byCount.delete(owner);
    this.#owners.delete(owner.name);
    // The owner's own record of it is gone.
    this.#forgottenMs = Math.max(this.#forgottenMs, owner.forgottenMs);
  }
}
