/**
 * Limits concurrent password checks, and the checks of one name. Waiting attempts take turns by network: first those of networks
 * without recent attempts, then those with a few, refused ones included. So a flood delays itself, and an honest user elsewhere is
 * next. Lots decide among equals: an attacker who knows the order cannot keep all places. Attempts with a name and an address that
 * logged in before wait for no others.
 */
import { AddressRates } from "./address-rates.js";
import { RecentAttempts } from "./recent-attempts.js";

/** An attempt to log in. */
export interface PasswordAttempt {
  readonly name: string;
  readonly address: string;
  /** Whether there is a user with the name. */
  readonly isUser: boolean;
  /** Whether the name has logged in from the address before. */
  readonly isKnown: boolean;
}

interface WaitingAttempt extends PasswordAttempt {
  /** How much its networks have tried, the widest network first. Lower levels are checked first. */
  readonly levels: readonly number[];
  /** Decides among equal levels. Lower ones are checked first. */
  readonly lot: number;
  settle(isTurn: boolean): void;
}

/**
 * Passwords that are checked at a time. A check occupies a thread for a tenth of a second. Node has four threads by default for
 * all cryptography and files, so more checks would delay the verification of tokens.
 */
const MAX_CHECKS = 2;
/** Attempts that wait for a check. At two checks at a time, the last of them waits for a few seconds. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_NAME = 16;
const MAX_WAITING_PER_ADDRESS = 8;
const MAX_WAITING_PER_NAME_AND_ADDRESS = 2;
const MAX_WAIT_MS = 20_000;
/** Checks of one name from networks with recent attempts. */
const CHECKS_BY_NAME = { perSecond: 0.5, burst: 50 };
/** Checks of one name from other networks. An attacker needs a new network for each, so a user elsewhere finds some left. */
const FIRST_CHECKS_BY_NAME = { perSecond: 0.5, burst: 1_000 };
/**
 * Recent attempts of a network that tries more often than a person does. Networks below it are equal: if the exact number counted, a
 * user who was refused a few times would come after each of many networks that try seldom.
 */
const MANY_ATTEMPTS = 16;
const LEVEL = { known: -1, none: 0, few: 1, many: 2 } as const;

export class PasswordChecks {
  readonly #attempts: RecentAttempts;
  readonly #draw: () => number;
  /** Users have tables of their own, so that a flood of other names displaces none of them. */
  readonly #byUser: NameRates;
  readonly #byOtherName: NameRates;
  /** Next first. */
  #waiting: readonly WaitingAttempt[] = [];
  #running: readonly WaitingAttempt[] = [];
  /** Runs when the next name may be checked again. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(maxUsers: number, now: () => number, draw: () => number = Math.random) {
    this.#draw = draw;
    this.#attempts = new RecentAttempts(now);
    this.#byUser = nameRates(now, Math.max(1, maxUsers));
    this.#byOtherName = nameRates(now);
  }

  /** Runs a check in its turn. Undefined, without a check, if too many attempts wait. */
  async run(attempt: PasswordAttempt, check: () => Promise<boolean>): Promise<boolean | undefined> {
    const running = await this.#turnOf(attempt);
    if (running === undefined) return undefined;
    try {
      const isRight = await check();
      if (isRight) this.#attempts.forgive(attempt.address);
      return isRight;
    } finally {
      this.#running = this.#running.filter((other) => other !== running);
      this.#startNext();
    }
  }

  async #turnOf(attempt: PasswordAttempt): Promise<WaitingAttempt | undefined> {
    const attemptsBefore = this.#attempts.add(attempt.address);
    const ofAddress = this.#waiting.filter(({ address }) => address === attempt.address);
    const ofName = ofAddress.filter(({ name }) => name === attempt.name);
    const isOver = ofAddress.length >= MAX_WAITING_PER_ADDRESS || ofName.length >= MAX_WAITING_PER_NAME_AND_ADDRESS;
    if (isOver) return undefined;
    let waiting!: WaitingAttempt;
    const isTurn = new Promise<boolean>((settle) => {
      const levels = attempt.isKnown ? [LEVEL.known] : attemptsBefore.map(levelOf);
      waiting = { ...attempt, levels, lot: this.#draw(), settle };
    });
    this.#waiting = [...this.#waiting, waiting].sort(compareTurns);
    this.#dropExcess(this.#waiting.filter(({ name }) => name === attempt.name).slice(MAX_WAITING_PER_NAME));
    this.#dropExcess(this.#waiting.slice(MAX_WAITING));
    this.#startNext();
    const timeout = setTimeout(() => this.#dropExcess([waiting]), MAX_WAIT_MS);
    const isStarted = await isTurn;
    clearTimeout(timeout);
    return isStarted ? waiting : undefined;
  }

  #dropExcess(dropped: readonly WaitingAttempt[]): void {
    this.#waiting = this.#waiting.filter((waiting) => !dropped.includes(waiting));
    for (const { settle } of dropped) settle(false);
  }

  /** Starts attempts while there are free checks. Skips those whose name was checked too often. */
  #startNext(): void {
    clearTimeout(this.#timer);
    let leastMs = Number.POSITIVE_INFINITY;
    for (const next of this.#waiting) {
      if (this.#running.length >= MAX_CHECKS) return;
      const waitMs = next.isKnown ? 0 : this.#ratesOf(next).take(next.name);
      leastMs = Math.min(leastMs, waitMs || leastMs);
      if (waitMs > 0) continue;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#running = [...this.#running, next];
      next.settle(true);
    }
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#startNext(), leastMs);
  }

  #ratesOf({ isUser, levels: [ofWidest] }: WaitingAttempt): AddressRates {
    const { first, further } = isUser ? this.#byUser : this.#byOtherName;
    return ofWidest === LEVEL.none ? first : further;
  }
}

interface NameRates {
  /** From networks without recent attempts. */
  readonly first: AddressRates;
  readonly further: AddressRates;
}

function nameRates(now: () => number, maxNames?: number): NameRates {
  return {
    first: new AddressRates(FIRST_CHECKS_BY_NAME, now, maxNames),
    further: new AddressRates(CHECKS_BY_NAME, now, maxNames),
  };
}

function levelOf(recentAttempts: number): number {
  if (recentAttempts === 0) return LEVEL.none;
  return recentAttempts < MANY_ATTEMPTS ? LEVEL.few : LEVEL.many;
}

/** Compares from the widest network on, then by lot. */
function compareTurns(one: WaitingAttempt, other: WaitingAttempt): number {
  const width = one.levels.findIndex((level, index) => level !== other.levels[index]);
  if (width === -1) return one.lot - other.lot;
  return (one.levels[width] as number) - (other.levels[width] as number);
}
