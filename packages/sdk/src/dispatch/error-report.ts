/** Where errors go that no caller waits for. Reporting never throws, whatever the application's callback does. */
import { SdkError } from "../errors/sdk-error.js";
import { isPromiseLike } from "./promise-like.js";

export type Report = (error: Error) => void;

export function createReport(onError: ((error: Error) => void) | undefined): Report {
  if (onError === undefined) return ignore;
  return (error) => runGuarded(() => onError(error), ignore);
}

function ignore(): void {
  // There is nobody left to tell.
}

/** Runs a callback of the application; what it throws, at once or as a promise, goes to `onFailure`. */
export function runGuarded(callback: () => unknown, onFailure: (cause: unknown) => void): void {
  try {
    const returned = callback();
    if (isPromiseLike(returned)) Promise.resolve(returned).catch(onFailure);
  } catch (cause) {
    onFailure(cause);
  }
}

/** The error a caller sees when its message could not be handed over: the transport's own if it is one of ours. */
export function sendFailure(method: string, cause: unknown): SdkError {
  if (cause instanceof SdkError) return cause;
  return new SdkError("connection-closed", `${method} could not be sent: the transport failed`, { cause });
}
