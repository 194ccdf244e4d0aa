/** Timers: the longest delay they hold, a wait that a signal ends, and a promise with a timeout. */

/** Caps a delay. Timers wrap around beyond 31 bits and would fire at once; the longest delay is 24 days. */
export function timerMs(ms: number): number {
  return Math.min(ms, 0x7fff_ffff);
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

/** Settles as `promise` does, or with what `onTimeout` returns or throws once `ms` have passed. No timer is left. */
export async function withTimeout<Value, Late>(
  promise: Promise<Value>,
  ms: number,
  onTimeout: () => Late,
): Promise<Value | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timerMs(ms));
  });
  try {
    return await Promise.race([promise, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
