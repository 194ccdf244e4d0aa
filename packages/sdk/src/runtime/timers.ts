/** Timers: a cap on delays, a wait that a signal ends, and promises with a timeout or a signal. */

/** The longest delay of a timer, 24 days. Timers overflow beyond 31 bits and would fire at once. */
export const MAX_TIMER_MS = 0x7fff_ffff;

/** Caps a delay at `MAX_TIMER_MS`. */
export function timerMs(ms: number): number {
  return Math.min(ms, MAX_TIMER_MS);
}

/** Resolves with true after `ms`, or with false as soon as the signal aborts. */
export function waitMs(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isElapsed: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(isElapsed);
    };
    const onAbort = () => end(false);
    const timer = setTimeout(() => end(true), timerMs(ms));
    signal.addEventListener("abort", onAbort);
  });
}

/**
 * Settles like `promise`. After `ms`, settles with the value or exception of `onTimeout` instead. Always clears the timer.
 * The time passes in two timers: while the event loop is blocked, at most one of them fires before the loop reads what has arrived.
 */
export async function withTimeout<Value, Late>(
  promise: Promise<Value>,
  ms: number,
  onTimeout: () => Late,
): Promise<Value | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    const half = timerMs(ms) / 2;
    timer = setTimeout(() => {
      timer = setTimeout(resolve, half);
    }, half);
  });
  try {
    return await Promise.race([promise, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles like `promise`. Rejects with the error of `onAbort` as soon as the signal aborts, also if it has before. */
export function withAbort<Value>(promise: Promise<Value>, signal: AbortSignal, onAbort: () => unknown): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(onAbort());
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
