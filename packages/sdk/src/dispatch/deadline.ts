/** Timeout of a request: restarts with progress, within a total limit, and can be suspended. */
import { checkDuration } from "../errors/option-checks.js";
import { timerMs } from "../runtime/timers.js";

/** Default of `maxTimeoutMs`, the total limit of a request whose timeout restarts. */
const DEFAULT_MAX_TIMEOUT_MS = 3_600_000;

export interface Timeouts {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

/** Called when the time is up. An object, since a closure per request takes longer to make. */
export interface DeadlineOwner {
  expired(afterMs: number): void;
}

type Timer = ReturnType<typeof setTimeout>;

export class Deadline {
  readonly #owner: DeadlineOwner;
  readonly #timeoutMs: number;
  readonly #totalMs: number;
  readonly #restarts: boolean;
  #timer: Timer | undefined;
  #lastTimer: Timer | undefined;
  #holds = 0;
  #isStopped = false;

  /** @throws {SdkError} `invalid-argument` for a duration that is not positive. */
  constructor(owner: DeadlineOwner, timeoutMs: number, maxTimeoutMs?: number | undefined, restarts = false) {
    checkDuration("timeoutMs", timeoutMs);
    if (maxTimeoutMs !== undefined) checkDuration("maxTimeoutMs", maxTimeoutMs);
    this.#owner = owner;
    this.#restarts = restarts;
    this.#totalMs = longestWait(timeoutMs, maxTimeoutMs, restarts);
    this.#timeoutMs = restarts ? timeoutMs : this.#totalMs;
    this.#start();
  }

  /** Restarts the timeout if `restarts` is set. The total limit keeps running. */
  restart(): void {
    if (!this.#restarts || this.#holds !== 0 || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = this.#startTimer(this.#timeoutMs);
  }

  /** Suspends the timeout until `until` settles. Then the timeout and the total limit start again, unless stopped. */
  hold(until: Promise<unknown>): void {
    const release = () => {
      this.#holds -= 1;
      if (this.#holds === 0 && !this.#isStopped) this.#start();
    };
    this.#holds += 1;
    this.#clear();
    until.then(release, release);
  }

  stop(): void {
    this.#clear();
    this.#isStopped = true;
  }

  #start(): void {
    this.#timer = this.#startTimer(this.#timeoutMs);
    if (this.#restarts) this.#lastTimer = this.#startTimer(this.#totalMs);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    if (this.#restarts) clearTimeout(this.#lastTimer);
  }

  #startTimer(ms: number): Timer | undefined {
    return ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(expire, timerMs(ms), this.#owner, ms);
  }
}

function expire(owner: DeadlineOwner, afterMs: number): void {
  owner.expired(afterMs);
}

/** The remaining timeouts of a request that is sent again after `elapsedMs`; undefined if none is left. */
export function timeoutsAfter(
  elapsedMs: number,
  timeoutMs: number,
  maxTimeoutMs: number | undefined,
  restarts = false,
): Timeouts | undefined {
  const leftMs = longestWait(timeoutMs, maxTimeoutMs, restarts) - elapsedMs;
  return leftMs > 0 ? { timeoutMs: Math.min(timeoutMs, leftMs), maxTimeoutMs: leftMs } : undefined;
}

function longestWait(timeoutMs: number, maxTimeoutMs: number | undefined, restarts: boolean): number {
  if (restarts) return maxTimeoutMs ?? Math.max(DEFAULT_MAX_TIMEOUT_MS, timeoutMs);
  return Math.min(timeoutMs, maxTimeoutMs ?? Number.POSITIVE_INFINITY);
}
