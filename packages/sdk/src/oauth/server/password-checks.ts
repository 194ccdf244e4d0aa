/**
 * Limits concurrent password checks. Waiting attempts take turns by address, so that a flood from one address delays itself
 * first. Attempts with a name and an address that logged in before do not wait for others.
 */

/** An attempt to log in. */
export interface PasswordAttempt {
  readonly name: string;
  readonly address: string;
  /** Whether the name has logged in from the address before. */
  readonly isKnown: boolean;
}

interface WaitingAttempt extends PasswordAttempt {
  /** The lowest turn is next. The second attempt of an address comes a turn after its first. */
  readonly turn: number;
  settle(isTurn: boolean): void;
}

/**
 * Passwords that are checked at a time. A check occupies a thread for a tenth of a second. Node has four threads by default for
 * all cryptography and files, so more checks would delay the verification of tokens.
 */
const MAX_CHECKS = 2;
/** Attempts that wait for a check. At two checks at a time, the last of them waits for a few seconds. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_ADDRESS = 8;
const MAX_WAITING_PER_NAME_AND_ADDRESS = 2;
/** The turn of known attempts, before all others. */
const KNOWN_TURN = -1;

export class PasswordChecks {
  #waiting: readonly WaitingAttempt[] = [];
  /** The turn of the attempts that are checked now. */
  #turn = 0;
  #running = 0;

  /** Runs a check in its turn. Undefined, without a check, if too many attempts wait. */
  async run<Result>(attempt: PasswordAttempt, check: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#running < MAX_CHECKS) this.#running += 1;
    else if (!(await this.#wait(attempt))) return undefined;
    try {
      return await check();
    } finally {
      this.#passOn();
    }
  }

  #wait(attempt: PasswordAttempt): Promise<boolean> {
    const ofAddress = this.#waiting.filter(({ address }) => address === attempt.address);
    const ofName = ofAddress.filter(({ name }) => name === attempt.name);
    const isOver = ofAddress.length >= MAX_WAITING_PER_ADDRESS || ofName.length >= MAX_WAITING_PER_NAME_AND_ADDRESS;
    if (isOver) return Promise.resolve(false);
    const turn = attempt.isKnown ? KNOWN_TURN : Math.max(this.#turn, ...ofAddress.map((other) => other.turn + 1));
    return new Promise((settle) => {
      this.#waiting = [...this.#waiting, { ...attempt, turn, settle }].sort((one, other) => one.turn - other.turn);
      // The attempt with the latest turn is one of the address with the most attempts.
      for (const last of this.#waiting.slice(MAX_WAITING)) last.settle(false);
      this.#waiting = this.#waiting.slice(0, MAX_WAITING);
    });
  }

  /** Gives the place of a finished check to the next attempt at once, so that no newcomer gets in between. */
  #passOn(): void {
    const [next, ...rest] = this.#waiting;
    this.#waiting = rest;
    if (next === undefined) this.#running -= 1;
    else this.#turn = Math.max(this.#turn, next.turn);
    next?.settle(true);
  }
}
