/**
 * Limits concurrent password checks, and the checks of one name. Waiting attempts take turns by network: first those of networks
 * with the fewest recent failures and attempts. So a flood delays itself, and an honest user elsewhere is next. Attempts with a
 * name and an address that logged in before wait for no others.
 */
import { type ClientNetworks, networksOf } from "../../hosting/http/client-address.js";
import { AddressRates } from "./address-rates.js";
import { RecentFailures } from "./recent-failures.js";

/** An attempt to log in. */
export interface PasswordAttempt {
  readonly name: string;
  readonly address: string;
  /** Whether the name has logged in from the address before. */
  readonly isKnown: boolean;
}

interface WaitingAttempt extends PasswordAttempt {
  readonly networks: ClientNetworks;
  /** The attempts of its networks at its arrival, recent failures included. Lower ones are checked first. */
  readonly load: readonly number[];
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
/** Checks of one name. Further attempts wait and are not refused, so that an attacker cannot lock the user out. */
const CHECKS_BY_NAME = { perSecond: 1, burst: 50 };
/** The load of known attempts, before all others. */
const KNOWN: readonly number[] = [-1];

export class PasswordChecks {
  readonly #failures: RecentFailures;
  readonly #byName: AddressRates;
  /** Next first. */
  #waiting: readonly WaitingAttempt[] = [];
  #running: readonly WaitingAttempt[] = [];
  /** Runs when the next name may be checked again. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(now: () => number) {
    this.#failures = new RecentFailures(now);
    this.#byName = new AddressRates(CHECKS_BY_NAME, now);
  }

  /** Runs a check in its turn. Undefined, without a check, if too many attempts wait. */
  async run(attempt: PasswordAttempt, check: () => Promise<boolean>): Promise<boolean | undefined> {
    const running = await this.#turnOf(attempt);
    if (running === undefined) return undefined;
    try {
      const isRight = await check();
      if (!isRight)
        for (const [level, network] of running.networks.entries()) this.#failures.add(keyOf(level, network));
      return isRight;
    } finally {
      this.#running = this.#running.filter((other) => other !== running);
      this.#startNext();
    }
  }

  async #turnOf(attempt: PasswordAttempt): Promise<WaitingAttempt | undefined> {
    const ofAddress = this.#waiting.filter(({ address }) => address === attempt.address);
    const ofName = ofAddress.filter(({ name }) => name === attempt.name);
    const isOver = ofAddress.length >= MAX_WAITING_PER_ADDRESS || ofName.length >= MAX_WAITING_PER_NAME_AND_ADDRESS;
    if (isOver) return undefined;
    const networks = networksOf(attempt.address);
    const load = attempt.isKnown ? KNOWN : networks.map((network, level) => this.#loadOf(level, network));
    let waiting!: WaitingAttempt;
    const isTurn = new Promise<boolean>((settle) => {
      waiting = { ...attempt, networks, load, settle };
    });
    this.#waiting = [...this.#waiting, waiting].sort((one, other) => compareLoads(one.load, other.load));
    this.#dropExcess(this.#waiting.filter(({ name }) => name === attempt.name).slice(MAX_WAITING_PER_NAME));
    this.#dropExcess(this.#waiting.slice(MAX_WAITING));
    this.#startNext();
    const timeout = setTimeout(() => this.#dropExcess([waiting]), MAX_WAIT_MS);
    const isStarted = await isTurn;
    clearTimeout(timeout);
    return isStarted ? waiting : undefined;
  }

  #loadOf(level: number, network: string): number {
    const active = [...this.#waiting, ...this.#running].filter(({ networks }) => networks[level] === network);
    return active.length + this.#failures.count(keyOf(level, network));
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
      const waitMs = next.isKnown ? 0 : this.#byName.take(next.name);
      leastMs = Math.min(leastMs, waitMs || leastMs);
      if (waitMs > 0) continue;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#running = [...this.#running, next];
      next.settle(true);
    }
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#startNext(), leastMs);
  }
}

function keyOf(level: number, network: string): string {
  return `${level} ${network}`;
}

/** Compares from the widest network on. */
function compareLoads(one: readonly number[], other: readonly number[]): number {
  const level = one.findIndex((load, index) => load !== other[index]);
  return level === -1 ? 0 : (one[level] as number) - (other[level] as number);
}
