/** Values that may be promises, and promises that may be dropped. The synchronous case allocates no promise. */

/** Whether a value has to be awaited. Handlers may return promises of any library. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as PromiseLike<unknown>).then === "function";
}

/** Applies a function to a value: synchronously, or after the promise is fulfilled. */
export function mapMaybe<Value, Result>(
  value: Value | PromiseLike<Value>,
  map: (value: Value) => Result | PromiseLike<Result>,
): Result | PromiseLike<Result> {
  return isPromiseLike(value) ? (value as PromiseLike<Value>).then(map) : map(value as Value);
}

/**
 * Marks a promise as handled, so that its rejection never ends the process. Awaiting the promise still throws.
 * Otherwise a peer could end the process by cancelling a request whose handler dropped the promise.
 */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
