/** Exponential backoff with jitter for lost streams, with the server's `retry:` as the initial delay. */

import { backoffMs } from "../../runtime/backoff.js";
import { waitMs } from "../../runtime/timers.js";
import type { StreamOptions } from "./http-client-options.js";

/** Lower bound for `retry: 0`, which would make a busy loop. */
const MIN_DELAY_MS = 100;

export class ReconnectDelay {
  readonly maxAttempts: number;
  readonly maxDelayMs: number;
  /** Longest accepted `retry:` of a server. */
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

  /** The delay before an attempt, counted from 0. `retryMs` is the server's `retry:`. */
  delayMs(attempt: number, retryMs: number | undefined): number {
    const initialDelayMs = Math.max(retryMs ?? this.#initialDelayMs, MIN_DELAY_MS);
    const maxDelayMs = Math.max(retryMs ?? 0, this.maxDelayMs);
    return backoffMs(attempt, { initialDelayMs, maxDelayMs, random: this.#random });
  }

  wait(attempt: number, retryMs: number | undefined, signal: AbortSignal): Promise<unknown> {
    return this.#wait(this.delayMs(attempt, retryMs), signal);
  }
}
