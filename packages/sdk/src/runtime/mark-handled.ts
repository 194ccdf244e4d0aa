/**
 * Keeps a rejection that nobody awaits from ending the process. Awaiting the promise still throws.
 * Without it a peer could end the process by cancelling a request whose handler dropped the promise.
 */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
