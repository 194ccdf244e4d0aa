/** How long a request may wait. Holds timers only while it runs. */
import { SdkError } from "../errors/sdk-error.js";
import { timerMs } from "../runtime/timers.js";

/** The longest wait in all for a request whose timeout restarts, unless it names its own. */
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
  readonly #inAllMs: number;
  #timer: Timer | undefined;
  #lastTimer: Timer | undefined;
  #holds = 0;

  /** @throws {SdkError} `invalid-argument` for a duration that is not positive. */
  constructor({ timeoutMs, maxTimeoutMs, restarts, onExpired }: DeadlineOptions) {
    checkDuration("timeoutMs", timeoutMs);
    if (maxTimeoutMs !== undefined) checkDuration("maxTimeoutMs", maxTimeoutMs);
    this.#restarts = restarts;
    this.#onExpired = onExpired;
    const inAllMs = longestWait({ timeoutMs, maxTimeoutMs, restarts });
    this.#timeoutMs = restarts ? timeoutMs : inAllMs;
    this.#inAllMs = inAllMs;
    this.#start();
  }

  /** Begins the wait anew, where that was asked for. The longest wait in all goes on. */
  restart(): void {
    if (!this.#restarts || this.#holds !== 0) return;
    clearTimeout(this.#timer);
    this.#timer = this.#startTimer(this.#timeoutMs);
  }

  /** Suspends the wait until `until` settles. All of it begins anew then, unless it was stopped meanwhile. */
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
    // No release gets back to zero.
    this.#holds = Number.NaN;
  }

  #start(): void {
    this.#timer = this.#startTimer(this.#timeoutMs);
    if (this.#restarts) this.#lastTimer = this.#startTimer(this.#inAllMs);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    if (this.#restarts) clearTimeout(this.#lastTimer);
  }

  #startTimer(ms: number): Timer | undefined {
    return ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(this.#onExpired, timerMs(ms), ms);
  }
}

/** What is left of a request's timeouts after a while, for sending it again; undefined if its time is up. */
export function timeoutsAfter(elapsedMs: number, wait: Wait): Timeouts | undefined {
  const leftMs = longestWait(wait) - elapsedMs;
  return leftMs > 0 ? { timeoutMs: Math.min(wait.timeoutMs, leftMs), maxTimeoutMs: leftMs } : undefined;
}

function longestWait({ timeoutMs, maxTimeoutMs, restarts }: Wait): number {
  if (restarts) return maxTimeoutMs ?? Math.max(DEFAULT_MAX_TIMEOUT_MS, timeoutMs);
  return Math.min(timeoutMs, maxTimeoutMs ?? Number.POSITIVE_INFINITY);
}

export function checkDuration(name: string, ms: number): void {
  if (ms > 0) return;
  throw new SdkError("invalid-argument", `${name} must be a positive number of milliseconds or Infinity, got ${ms}`);
}
