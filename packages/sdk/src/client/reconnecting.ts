/** Attempts to open a lost connection or subscription again: how many, and how far apart. */
import { SdkError } from "../errors/sdk-error.js";
import { timerMs } from "../transport/timer-limit.js";

export interface ReconnectOptions {
  /** Attempts in a row that may fail. @defaultValue 5 */
  readonly attempts?: number | undefined;
  /** Wait before the first attempt. It doubles with each attempt, and a random part is left out. @defaultValue 500 */
  readonly delayMs?: number | undefined;
  /** Longest wait. A connection that lasted this long gets all its attempts again. @defaultValue 30_000 */
  readonly maxDelayMs?: number | undefined;
}

export type ReconnectPlan = Required<{ [Key in keyof ReconnectOptions]: number }>;

/** Undefined where nothing is to be opened again. @throws {SdkError} `invalid-argument` */
export function reconnectPlan(given: boolean | ReconnectOptions | undefined): ReconnectPlan | undefined {
  if (given === false) return undefined;
  const { attempts = 5, delayMs = 500, maxDelayMs = 30_000 } = given === true ? {} : (given ?? {});
  for (const [name, value] of Object.entries({ attempts, delayMs, maxDelayMs })) {
    if (value >= 0) continue;
    throw new SdkError("invalid-argument", `reconnect.${name}: expected a number from 0, got ${value}`);
  }
  return { attempts, delayMs, maxDelayMs };
}

/** The attempts at opening one thing again. */
export class Reconnecting {
  readonly #plan: ReconnectPlan;
  #failed = 0;
  #openedAt = Date.now();

  constructor(plan: ReconnectPlan) {
    this.#plan = plan;
  }

  /** It is open (again). */
  opened(): void {
    this.#openedAt = Date.now();
  }

  /** It was lost. Something that lasted gets all its attempts again; what ends at once, however cleanly, does not. */
  lost(): void {
    if (Date.now() - this.#openedAt >= this.#plan.maxDelayMs) this.#failed = 0;
  }

  /** Waits for the next attempt; false when there is none left, or the signal aborted the wait. */
  async next(signal: AbortSignal): Promise<boolean> {
    const { attempts, delayMs, maxDelayMs } = this.#plan;
    if (this.#failed >= attempts) return false;
    const wait = Math.min(delayMs * 2 ** this.#failed, maxDelayMs);
    this.#failed += 1;
    // Between half of the wait and all of it, so that many clients do not come back at the same moment.
    return pause(wait * (0.5 + Math.random() / 2), signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const over = (isElapsed: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
      resolve(isElapsed);
    };
    const aborted = () => over(false);
    const timer = setTimeout(() => over(true), timerMs(ms));
    signal.addEventListener("abort", aborted);
  });
}
