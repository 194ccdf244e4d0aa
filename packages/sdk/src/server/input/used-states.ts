/** Prevents reuse of sealed states (`singleUse`). state-seal.ts claims a state after all its other checks. */
import { checkWholeNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";

/** A store of used states. Asynchronous, so that a networked store can implement it. */
export interface UsedStates {
  /**
   * Resolves with true for the first claim of an id, and with false for all others, even if claims race. The state expires at
   * `expiresAt`, in milliseconds since the epoch. The store may forget the id then.
   */
  claim(id: string, expiresAt: number): Promise<boolean>;
}

export interface InMemoryUsedStatesOptions {
  /** Used states to remember. The default number takes about 10 MB. @defaultValue 100_000 */
  readonly maxStates?: number | undefined;
  /** Clock, in milliseconds since the epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionTable<InMemoryUsedStatesOptions> = { maxStates: true, now: "function" };
const DEFAULT_MAX_STATES = 100_000;
/** The most expired ids that one claim removes, so that no claim takes long. */
const MAX_FORGOTTEN_AT_ONCE = 1_000;

/**
 * A store of used states in this process. A full store forgets the state that expires soonest. From then on it refuses every
 * state that expires no later than that one. An honest client may have to start over, but no state is used twice.
 */
export class InMemoryUsedStates implements UsedStates {
  readonly #ids = new Set<string>();
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
    return this.#ids.size;
  }

  async claim(id: string, expiresAt: number): Promise<boolean> {
    this.#forgetExpired();
    if (expiresAt <= this.#forgottenUntil || this.#ids.has(id)) return false;
    this.#ids.add(id);
    this.#expiries.push(id, expiresAt);
    if (this.#ids.size > this.#maxStates) this.#forgetSoonest();
    return true;
  }

  #forgetExpired(): void {
    const now = this.#now();
    for (let count = 0; count < MAX_FORGOTTEN_AT_ONCE && this.#expiries.soonest <= now; count += 1) {
      this.#forgetSoonest();
    }
  }

  #forgetSoonest(): void {
    this.#forgottenUntil = Math.max(this.#forgottenUntil, this.#expiries.soonest);
    this.#ids.delete(this.#expiries.pop());
  }
}

/** A binary heap of ids, ordered by expiry. Two flat arrays take less memory than an object per id. */
class ExpiryHeap {
  readonly #ids: string[] = [];
  readonly #expiries: number[] = [];

  /** Infinity if the heap is empty. */
  get soonest(): number {
    return this.#at(0);
  }

  push(id: string, expiresAt: number): void {
    let index = this.#ids.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= expiresAt) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#ids[index] = id;
    this.#expiries[index] = expiresAt;
  }

  /** Removes the id that expires soonest. The heap must not be empty. */
  pop(): string {
    const first = this.#ids[0] as string;
    const id = this.#ids.pop() as string;
    const expiresAt = this.#expiries.pop() as number;
    if (this.#ids.length > 0) this.#sink(id, expiresAt);
    return first;
  }

  /** Inserts an id at the top, and sifts it down. */
  #sink(id: string, expiresAt: number): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(child) >= expiresAt) break;
      this.#move(child, index);
      index = child;
    }
    this.#ids[index] = id;
    this.#expiries[index] = expiresAt;
  }

  #at(index: number): number {
    return this.#expiries[index] ?? Number.POSITIVE_INFINITY;
  }

  #move(from: number, to: number): void {
    this.#ids[to] = this.#ids[from] as string;
    this.#expiries[to] = this.#expiries[from] as number;
  }
}
