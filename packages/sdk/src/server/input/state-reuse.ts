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

/**
 * The used states of this process. What is over the limit makes room by forgetting those that expire soonest, and
 * refuses from then on every state that expires no later: an honest client may have to start over, but no state is
 * ever used twice.
 */
export class InMemoryUsedStates implements UsedStates {
  readonly #expiries: Map<string, number> = new Map();
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
    return this.#expiries.size;
  }

  async claim(id: string, expiresAt: number): Promise<boolean> {
    this.#forgetExpired();
    if (expiresAt <= this.#forgottenUntil || this.#expiries.has(id)) return false;
    this.#expiries.set(id, expiresAt);
    if (this.#expiries.size > this.#maxStates) this.#makeRoom();
    return true;
  }

  // A state lives at most its time to live after its claim, so nothing waits behind an unexpired first for longer.
  #forgetExpired(): void {
    const now = this.#now();
    for (const [id, expiresAt] of this.#expiries) {
      if (expiresAt > now) return;
      this.#forget(id, expiresAt);
    }
  }

  // A tenth at a time, so that a full store does not sort at every claim.
  #makeRoom(): void {
    const soonest = [...this.#expiries].sort(([, one], [, other]) => one - other);
    for (const [id, expiresAt] of soonest.slice(0, Math.ceil(this.#maxStates / 10))) this.#forget(id, expiresAt);
  }

  #forget(id: string, expiresAt: number): void {
    this.#expiries.delete(id);
    this.#forgottenUntil = Math.max(this.#forgottenUntil, expiresAt);
  }
}
