/** How long to wait before a lost stream is opened again: never less than the server asks for, longer each time, never in step. */

import { backoffMs } from "../../runtime/backoff.js";
import { waitMs } from "../../runtime/timers.js";
import type { StreamOptions } from "./http-options.js";

/** A server that asks for no wait at all would be called in a loop. */
const MIN_DELAY_MS = 100;

export class ReconnectDelay {
  readonly maxAttempts: number;
  readonly maxDelayMs: number;
  /** The longest wait that a server may ask for. */
  readonly maxRetryMs: number;
  readonly #initialDelayMs: number;
  readonly #wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly #random: (() => number) | undefined;

  constructor({ wait, random, ...options }: StreamOptions = {}) {
    const { maxAttempts = 8, initialDelayMs = 1_000, maxDelayMs = 30_000, maxRetryMs = 600_000 } = options;
    this.maxAttempts = maxAttempts;
    this.maxDelayMs = maxDelayMs;
    this.maxRetryMs = maxRetryMs;
    this.#initialDelayMs = initialDelayMs;
    this.#wait = wait ?? waitMs;
    this.#random = random;
  }

  /** Before the given attempt, the first being 0. `retryMs` is what the server asked for. */
  delayMs(attempt: number, retryMs: number | undefined): number {
    const initialDelayMs = Math.max(retryMs ?? this.#initialDelayMs, MIN_DELAY_MS);
    const maxDelayMs = Math.max(retryMs ?? 0, this.maxDelayMs);
    return backoffMs(attempt, { initialDelayMs, maxDelayMs, random: this.#random });
  }

  wait(attempt: number, retryMs: number | undefined, signal: AbortSignal): Promise<unknown> {
    return this.#wait(this.delayMs(attempt, retryMs), signal);
  }
}
