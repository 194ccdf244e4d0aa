/**
 * Promises that a handler may leave alone. Awaiting one shows its rejection as usual; if nobody does, the unhandled
 * rejection would let a peer end the process by cancelling.
 */
export function unwatched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
