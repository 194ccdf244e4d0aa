/** Retry delays: exponential backoff with a cap. Jitter keeps clients from retrying at the same moment. */

const JITTER = 0.25;

export interface Backoff {
  /** Delay before the first retry. */
  readonly initialDelayMs: number;
  /** Longest delay before jitter. */
  readonly maxDelayMs: number;
  /** @defaultValue Math.random */
  readonly random?: (() => number) | undefined;
}

/** The delay before the given attempt, the first being 0. Jitter adds up to a quarter and never shortens the delay. */
export function backoffMs(attempt: number, { initialDelayMs, maxDelayMs, random = Math.random }: Backoff): number {
  return Math.min(initialDelayMs * 2 ** attempt, maxDelayMs) * (1 + JITTER * random());
}
