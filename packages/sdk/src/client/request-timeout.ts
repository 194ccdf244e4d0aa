/** Applies the timeout and the abort signal of a request to waits before and between its messages. */
import { Deadline } from "../dispatch/deadline.js";
import { DEFAULT_TIMEOUT_MS } from "../dispatch/dispatcher.js";
import { requestAborted } from "../dispatch/pending-request.js";
import { SdkError } from "../errors/sdk-error.js";

interface RequestTimeout {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Settles as `awaited` does, unless the signal aborts or the timeout expires first.
 * @throws {SdkError} `request-aborted`, `request-timeout`
 */
export function withRequestTimeout<Value>(
  awaited: Promise<Value>,
  method: string,
  given: RequestTimeout,
): Promise<Value> {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = given;
  return new Promise((resolve, reject) => {
    const aborted = () => fail(requestAborted(method, signal as AbortSignal));
    const expired = (ms: number) =>
      fail(new SdkError("request-timeout", `${method} was not sent within ${ms} ms: there is no connection`));
    const deadline = new Deadline({ expired }, timeoutMs);
    const stop = () => {
      deadline.stop();
      signal?.removeEventListener("abort", aborted);
    };
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    signal?.addEventListener("abort", aborted);
    awaited.then((value) => {
      stop();
      resolve(value);
    }, fail);
    if (signal?.aborted) aborted();
  });
}
