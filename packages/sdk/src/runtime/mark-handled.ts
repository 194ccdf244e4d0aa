/**
 * Marks a promise as handled, so that its rejection never ends the process. Awaiting the promise still throws.
 * Otherwise a peer could end the process by cancelling a request whose handler dropped the promise.
 */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
