/** How long to wait before a lost stream is opened again: never less than the server asks for, longer each time, never in step. */

import { timerMs } from "../timer-limit.js";
import type { StreamOptions } from "./http-options.js";

/** A server that asks for no wait at all would be called in a loop. */
const MIN_DELAY_MS = 100;
const JITTER = 0.25;

export class ReconnectDelay {
  readonly maxAttempts: number;
  readonly maxDelayMs: number;
  /** The longest wait that a server may ask for. */
  readonly maxRetryMs: number;
  readonly #initialDelayMs: number;
  readonly #wait: NonNullable<StreamOptions["wait"]>;
  readonly #random: () => number;

  constructor({ wait, random, ...options }: StreamOptions = {}) {
    const { maxAttempts = 8, initialDelayMs = 1_000, maxDelayMs = 30_000, maxRetryMs = 600_000 } = options;
    this.maxAttempts = maxAttempts;
    this.maxDelayMs = maxDelayMs;
    this.maxRetryMs = maxRetryMs;
    this.#initialDelayMs = initialDelayMs;
    this.#wait = wait ?? waitFor;
    this.#random = random ?? Math.random;
  }

  /** Before the given attempt, the first being 0. `retryMs` is what the server asked for. */
  delayMs(attempt: number, retryMs: number | undefined): number {
    const base = Math.max(retryMs ?? this.#initialDelayMs, MIN_DELAY_MS);
    const longest = Math.max(retryMs ?? 0, this.maxDelayMs);
    // Added and never taken off: a server that names a time must not see its client earlier.
    return Math.min(base * 2 ** attempt, longest) * (1 + JITTER * this.#random());
  }

  wait(attempt: number, retryMs: number | undefined, signal: AbortSignal): Promise<void> {
    return this.#wait(this.delayMs(attempt, retryMs), signal);
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, timerMs(ms));
    signal.addEventListener("abort", end);
  });
}
