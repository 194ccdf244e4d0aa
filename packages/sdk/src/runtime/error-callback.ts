/** Runs callbacks of the application. Their failures never reach the code that calls them. */
import { isPromiseLike } from "./maybe-promise.js";

/** Reports an error that no caller receives to the application. Never throws. */
export type ErrorCallback = (error: Error) => void;

const REPORT_INTERVAL_MS = 10_000;

/** The results of `createErrorCallback`. */
const wrapped = new WeakSet<(error: Error) => unknown>();

/**
 * Wraps the `onError` of an application. Failures of `onError` itself are ignored. A callback that was wrapped before is returned
 * unchanged, so that the sessions of a server share one.
 */
export function createErrorCallback(onError: ((error: Error) => unknown) | undefined): ErrorCallback {
  if (onError === undefined) return ignore;
  if (wrapped.has(onError)) return onError;
  const callback: ErrorCallback = (error) => runGuarded(() => onError(error), ignore);
  wrapped.add(callback);
  return callback;
}

function ignore(): void {
  // A failure of `onError` has no further callback to go to.
}

/** Passes on at most one error per 10 seconds, as of a store that is away: each request of an outage fails in the same way. */
export function limitReports(report: ErrorCallback, now: () => number = () => performance.now()): ErrorCallback {
  let nextAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (now() < nextAt) return;
    nextAt = now() + REPORT_INTERVAL_MS;
    report(error);
  };
}

/** Runs a callback of the application. `onFailure` gets its exception, or the reason if it returns a promise that rejects. */
export function runGuarded(callback: () => unknown, onFailure: (cause: unknown) => void): void {
  try {
    const returned = callback();
    if (isPromiseLike(returned)) Promise.resolve(returned).catch(onFailure);
  } catch (cause) {
    onFailure(cause);
  }
}
