/** Timeout of a request: restarts with progress, within a total limit, and can be suspended. */
import { checkDuration } from "../errors/option-checks.js";
import { timerMs } from "../runtime/timers.js";

/** Default of `maxTimeoutMs`, the total limit of a request whose timeout restarts. */
const DEFAULT_MAX_TIMEOUT_MS = 3_600_000;

export interface Timeouts {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

interface Wait {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number | undefined;
  readonly restarts: boolean;
}

export interface DeadlineOptions extends Wait {
  readonly onExpired: (afterMs: number) => void;
}

type Timer = ReturnType<typeof setTimeout>;

export class Deadline {
  readonly #timeoutMs: number;
  readonly #restarts: boolean;
  readonly #onExpired: (afterMs: number) => void;
  readonly #totalMs: number;
  #timer: Timer | undefined;
  #lastTimer: Timer | undefined;
  #holds = 0;

  /** @throws {SdkError} `invalid-argument` for a duration that is not positive. */
  constructor({ timeoutMs, maxTimeoutMs, restarts, onExpired }: DeadlineOptions) {
    checkDuration("timeoutMs", timeoutMs);
    if (maxTimeoutMs !== undefined) checkDuration("maxTimeoutMs", maxTimeoutMs);
    this.#restarts = restarts;
    this.#onExpired = onExpired;
    const totalMs = longestWait({ timeoutMs, maxTimeoutMs, restarts });
    this.#timeoutMs = restarts ? timeoutMs : totalMs;
    this.#totalMs = totalMs;
    this.#start();
  }

  /** Restarts the timeout if `restarts` is set. The total limit keeps running. */
  restart(): void {
    if (!this.#restarts || this.#holds !== 0) return;
    clearTimeout(this.#timer);
    this.#timer = this.#startTimer(this.#timeoutMs);
  }

  /** Suspends the timeout until `until` settles. Then the timeout and the total limit start again, unless stopped. */
  hold(until: Promise<unknown>): void {
    const release = () => {
      this.#holds -= 1;
      if (this.#holds === 0) this.#start();
    };
    this.#holds += 1;
    this.#clear();
    until.then(release, release);
  }

  stop(): void {
    this.#clear();
    // NaN stays NaN, so a later release never restarts the timer.
    this.#holds = Number.NaN;
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
    return ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(this.#onExpired, timerMs(ms), ms);
  }
}

/** The remaining timeouts of a request that is sent again after `elapsedMs`; undefined if none is left. */
export function timeoutsAfter(elapsedMs: number, wait: Wait): Timeouts | undefined {
  const leftMs = longestWait(wait) - elapsedMs;
  return leftMs > 0 ? { timeoutMs: Math.min(wait.timeoutMs, leftMs), maxTimeoutMs: leftMs } : undefined;
}

function longestWait({ timeoutMs, maxTimeoutMs, restarts }: Wait): number {
  if (restarts) return maxTimeoutMs ?? Math.max(DEFAULT_MAX_TIMEOUT_MS, timeoutMs);
  return Math.min(timeoutMs, maxTimeoutMs ?? Number.POSITIVE_INFINITY);
}
