/** Values that may be promises. The synchronous case allocates no promise. */

/** Whether a value has to be awaited. Handlers may return promises of any library. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Applies a function to a value: synchronously, or after the promise is fulfilled. */
export function mapMaybe<Value, Result>(
  value: Value | PromiseLike<Value>,
  map: (value: Value) => Result | PromiseLike<Result>,
): Result | PromiseLike<Result> {
  return isPromiseLike(value) ? (value as PromiseLike<Value>).then(map) : map(value as Value);
}
