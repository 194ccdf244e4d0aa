/** Keeps a sealed state from being used twice. The seal asks here last, once everything else about a state is right. */
import { SdkError } from "../../errors/sdk-error.js";

/** Remembers which states were used. Asynchronous and keyed, so that a networked store can do it. */
export interface UsedStates {
  /**
   * True the first time an id is claimed, even if several claims race. `expiresAt`, in milliseconds since the epoch, is
   * when the state stops to open by itself, so the id may be forgotten then.
   */
  claim(id: string, expiresAt: number): Promise<boolean>;
}

export interface InMemoryUsedStatesOptions {
  /** Used states to remember. The default takes about 10 MB. @defaultValue 100_000 */
  readonly maxStates?: number | undefined;
  /** Clock, in milliseconds since the epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

const DEFAULT_MAX_STATES = 100_000;
/** Expired ids that one claim forgets at most, so that no claim takes long. */
const MAX_FORGOTTEN_AT_ONCE = 1_000;

/**
 * The used states of this process. A full store forgets the state that expires soonest, and refuses from then on every
 * state that expires no later: an honest client may have to start over, but no state is ever used twice.
 */
export class InMemoryUsedStates implements UsedStates {
  readonly #ids = new Set<string>();
  readonly #expiries = new ExpiryHeap();
  readonly #maxStates: number;
  readonly #now: () => number;
  /** No id is remembered that expires up to here, so all of them count as used. */
  #forgottenUntil = Number.NEGATIVE_INFINITY;

  /** @throws {SdkError} `invalid-argument` for a limit that is not a whole number from 1. */
  constructor({ maxStates = DEFAULT_MAX_STATES, now = Date.now }: InMemoryUsedStatesOptions = {}) {
    if (!Number.isSafeInteger(maxStates) || maxStates < 1) {
      throw new SdkError("invalid-argument", `maxStates: expected a whole number from 1, got ${maxStates}`);
    }
    this.#maxStates = maxStates;
    this.#now = now;
  }

  /** How many are remembered. */
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

/** A binary heap of ids, the one that expires soonest first. Two flat arrays take less memory than a node per id. */
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

  /** Puts an id into the free place at the top, and moves it down to where it belongs. */
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
