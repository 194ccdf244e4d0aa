/** Counts the attempts to open a lost connection or subscription again, and waits between them. */
import { checkNumber } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { backoffMs } from "../runtime/backoff.js";
import { waitMs } from "../runtime/timers.js";

/** The attempts of a client to open a lost connection again: their number, and the delays between them. */
export interface ReconnectOptions {
  /** Attempts in a row that may fail. 0 never reconnects. @defaultValue 5 */
  readonly maxAttempts?: number | undefined;
  /** Wait before the first attempt. The wait doubles with each attempt, plus up to a quarter at random. @defaultValue 500 */
  readonly initialDelayMs?: number | undefined;
  /** Longest wait. A connection that was open for this long resets the number of failed attempts. @defaultValue 30_000 */
  readonly maxDelayMs?: number | undefined;
}

const OPTIONS: OptionTable<ReconnectOptions> = { maxAttempts: true, initialDelayMs: true, maxDelayMs: true };

export type ResolvedReconnectOptions = Required<{ [Key in keyof ReconnectOptions]: number }>;

/** The options with their defaults; undefined if reconnecting is off. @throws {SdkError} `invalid-argument` */
export function resolveReconnectOptions(
  given: boolean | ReconnectOptions | undefined,
): ResolvedReconnectOptions | undefined {
  if (given === false) return undefined;
  const options = given === true || given === undefined ? {} : given;
  checkOptions("reconnect", options, OPTIONS);
  const { maxAttempts = 5, initialDelayMs = 500, maxDelayMs = 30_000 } = options;
  for (const [name, value] of Object.entries({ maxAttempts, initialDelayMs, maxDelayMs })) {
    checkNumber(`reconnect.${name}`, value, 0);
  }
  return { maxAttempts, initialDelayMs, maxDelayMs };
}

/** The attempts for one connection or subscription. */
export class ReconnectAttempts {
  readonly #options: ResolvedReconnectOptions;
  #failed = 0;
  #openedAt = Date.now();

  constructor(options: ResolvedReconnectOptions) {
    this.#options = options;
  }

  /** Call when the connection or subscription is open. */
  opened(): void {
    this.#openedAt = Date.now();
  }

  /** Call when the connection or subscription was lost. Resets the count only if it was open for `maxDelayMs`. */
  lost(): void {
    if (Date.now() - this.#openedAt >= this.#options.maxDelayMs) this.#failed = 0;
  }

  /** Waits until the next attempt is due. False if no attempt is left, or the signal aborted the wait. */
  async next(signal: AbortSignal): Promise<boolean> {
    if (this.#failed >= this.#options.maxAttempts) return false;
    const wait = backoffMs(this.#failed, this.#options);
    this.#failed += 1;
    return waitMs(wait, signal);
  }
}
