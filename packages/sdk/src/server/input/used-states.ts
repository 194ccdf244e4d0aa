/** Prevents reuse of sealed states (`singleUse`). state-seal.ts claims a state after all its other checks. */
import { checkWholeNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";

/** A store of used states. Asynchronous, so that a networked store can implement it. */
export interface UsedStates {
  /**
   * Resolves with true for the first claim of an id, and with false for all others, even if claims race. The state expires at
   * `expiresAt`, in milliseconds since the epoch. The store may forget the id then. `principal` is the only one that can claim the
   * id, undefined without authentication. A store that is full should forget states of a principal that has many.
   */
  claim(id: string, expiresAt: number, principal?: string): Promise<boolean>;
}

/** The limits of an `InMemoryUsedStates`. */
export interface InMemoryUsedStatesOptions {
  /** Used states to remember. The default number takes about 20 MB, or 70 MB if each has another principal. @defaultValue 100_000 */
  readonly maxStates?: number | undefined;
  /** Clock, in milliseconds since the epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionTable<InMemoryUsedStatesOptions> = { maxStates: true, now: "function" };
const DEFAULT_MAX_STATES = 100_000;
/** The most expired ids that one claim removes, so that no claim takes long. */
const MAX_FORGOTTEN_AT_ONCE = 1_000;

/** The used states of one principal. */
interface PrincipalStates {
  readonly principal: string | undefined;
  readonly expiries: ExpiryHeap;
  /** States of the principal that expire up to this time are forgotten, so all of them count as used. */
  forgottenUntil: number;
}

/**
 * A store of used states in this process. A full store forgets the state that expires soonest: of the principal that claims, if it
 * has several, else of all. From then on it refuses every state of the same principal that expires no later than that one. After the
 * last state of a principal, and for states without a principal, it refuses those of everybody. An honest client may have to start
 * over, but no state is used twice.
 */
export class InMemoryUsedStates implements UsedStates {
  /** The owner of each id. */
  readonly #owners = new Map<string, PrincipalStates>();
  /** Principals that have an id in the store. */
  readonly #principals = new Map<string | undefined, PrincipalStates>();
  readonly #expiries = new ExpiryHeap();
  readonly #maxStates: number;
  readonly #now: () => number;
  /** Ids that expire up to this time are forgotten, so all of them count as used. */
  #forgottenUntil = Number.NEGATIVE_INFINITY;

  /** @throws {SdkError} `invalid-argument` for an unknown option, or a `maxStates` that is not a whole number from 1. */
  constructor(options: InMemoryUsedStatesOptions = {}) {
    checkOptions("InMemoryUsedStates", options, OPTIONS);
    const { maxStates = DEFAULT_MAX_STATES, now = Date.now } = options;
    checkWholeNumber("maxStates", maxStates, 1);
    this.#maxStates = maxStates;
    this.#now = now;
  }

  /** The number of remembered states. */
  get size(): number {
    return this.#owners.size;
  }

  async claim(id: string, expiresAt: number, principal?: string): Promise<boolean> {
    this.#forgetExpired();
    const known = this.#principals.get(principal);
    const forgottenUntil = Math.max(this.#forgottenUntil, known?.forgottenUntil ?? Number.NEGATIVE_INFINITY);
    if (expiresAt <= forgottenUntil || this.#owners.has(id)) return false;
    const hasSeveral = principal !== undefined && known !== undefined && known.expiries.size > 1;
    const owner = known ?? { principal, expiries: new ExpiryHeap(), forgottenUntil: Number.NEGATIVE_INFINITY };
    this.#principals.set(principal, owner);
    this.#owners.set(id, owner);
    owner.expiries.push(id, expiresAt);
    this.#expiries.push(id, expiresAt);
    if (this.size > this.#maxStates) this.#makeRoom(hasSeveral ? owner : this.#soonestOwner);
    return true;
  }

  #forgetExpired(): void {
    const now = this.#now();
    for (let count = 0; count < MAX_FORGOTTEN_AT_ONCE && this.#expiries.soonest <= now; count += 1) {
      this.#forgottenUntil = Math.max(this.#forgottenUntil, this.#forgetSoonest(this.#soonestOwner));
    }
  }

  /** The owner of the state that expires soonest. The store must not be empty. */
  get #soonestOwner(): PrincipalStates {
    return this.#owners.get(this.#expiries.first) as PrincipalStates;
  }

  #makeRoom(owner: PrincipalStates): void {
    const forgottenUntil = this.#forgetSoonest(owner);
    owner.forgottenUntil = forgottenUntil;
    // The table of principals no longer has the owner, or a state without a principal may be anybody's.
    const isOfAll = owner.expiries.size === 0 || owner.principal === undefined;
    if (isOfAll) this.#forgottenUntil = Math.max(this.#forgottenUntil, forgottenUntil);
  }

  /** Returns the expiry of the forgotten state. */
  #forgetSoonest(owner: PrincipalStates): number {
    const expiresAt = owner.expiries.soonest;
    const id = owner.expiries.first;
    owner.expiries.remove(id);
    this.#expiries.remove(id);
    this.#owners.delete(id);
    if (owner.expiries.size === 0) this.#principals.delete(owner.principal);
    return expiresAt;
  }
}

/** A binary heap of ids, ordered by expiry. Two flat arrays take less memory than an object per id. */
class ExpiryHeap {
  readonly #ids: string[] = [];
  readonly #expiries: number[] = [];
  readonly #positions = new Map<string, number>();

  get size(): number {
    return this.#ids.length;
  }

  /** Infinity if the heap is empty. */
  get soonest(): number {
    return this.#at(0);
  }

  /** The id that expires soonest. The heap must not be empty. */
  get first(): string {
    return this.#ids[0] as string;
  }

  push(id: string, expiresAt: number): void {
    this.#rise(this.#ids.length, id, expiresAt);
  }

  /** Removes the id of an owner that expires soonest: the first of the heap, or one that expires no later than the last. */
  remove(removed: string): void {
    const index = this.#positions.get(removed) as number;
    this.#positions.delete(removed);
    const id = this.#ids.pop() as string;
    const expiresAt = this.#expiries.pop() as number;
    if (index === this.#ids.length) return;
    // The last id takes the place of the removed one, and belongs below its place.
    this.#sink(index, id, expiresAt);
  }

  /** Inserts an id at a free place, and sifts it up. */
  #rise(start: number, id: string, expiresAt: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= expiresAt) break;
      this.#place(index, this.#ids[parent] as string, this.#at(parent));
      index = parent;
    }
    this.#place(index, id, expiresAt);
  }

  /** Inserts an id at a free place, and sifts it down. */
  #sink(start: number, id: string, expiresAt: number): void {
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(child) >= expiresAt) break;
      this.#place(index, this.#ids[child] as string, this.#at(child));
      index = child;
    }
    this.#place(index, id, expiresAt);
  }

  #at(index: number): number {
    return this.#expiries[index] ?? Number.POSITIVE_INFINITY;
  }

  #place(index: number, id: string, expiresAt: number): void {
    this.#ids[index] = id;
    this.#expiries[index] = expiresAt;
    this.#positions.set(id, index);
  }
}
