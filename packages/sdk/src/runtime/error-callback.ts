/** Callbacks of the application that must not fail the code that runs them. */
import { isPromiseLike } from "./maybe-promise.js";

/** Tells the application of an error that no caller waits for. Never throws. */
export type ErrorCallback = (error: Error) => void;

/** Wraps the `onError` of an application, whose own failures are ignored. */
export function createErrorCallback(onError: ((error: Error) => unknown) | undefined): ErrorCallback {
  if (onError === undefined) return ignore;
  return (error) => runGuarded(() => onError(error), ignore);
}

function ignore(): void {
  // No callback is left to call.
}

/** Runs a callback of the application. What it throws, at once or as a promise, goes to `onFailure`. */
export function runGuarded(callback: () => unknown, onFailure: (cause: unknown) => void): void {
  try {
    const returned = callback();
    if (isPromiseLike(returned)) Promise.resolve(returned).catch(onFailure);
  } catch (cause) {
    onFailure(cause);
  }
}
