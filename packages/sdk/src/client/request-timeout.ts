/** Waiting for something no longer than a caller is willing to. */
import { Deadline } from "../dispatch/deadline.js";
import { DEFAULT_TIMEOUT_MS } from "../dispatch/dispatcher.js";
import { requestAborted } from "../dispatch/pending-request.js";
import { SdkError } from "../errors/sdk-error.js";

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** @throws {SdkError} `request-aborted` or `request-timeout`; whatever `awaited` rejects with. */
export function withRequestTimeout<Value>(awaited: Promise<Value>, method: string, patience: Patience): Promise<Value> {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = patience;
  return new Promise((resolve, reject) => {
    const aborted = () => giveUp(requestAborted(method, signal as AbortSignal));
    const deadline = new Deadline({
      timeoutMs,
      maxTimeoutMs: undefined,
      restarts: false,
      onExpired: (ms) =>
        giveUp(new SdkError("request-timeout", `${method} was not sent within ${ms} ms: there is no connection`)),
    });
    const stop = () => {
      deadline.stop();
      signal?.removeEventListener("abort", aborted);
    };
    const giveUp = (error: unknown) => {
      stop();
      reject(error);
    };
    signal?.addEventListener("abort", aborted);
    awaited.then((value) => {
      stop();
      resolve(value);
    }, giveUp);
    if (signal?.aborted) aborted();
  });
}

/** However long it takes, unless the caller gives up. */
export function unlessAborted<Value>(
  awaited: Promise<Value>,
  method: string,
  signal: AbortSignal | undefined,
): Promise<Value> {
  return signal ? withRequestTimeout(awaited, method, { signal, timeoutMs: Number.POSITIVE_INFINITY }) : awaited;
}
