/**
 * Abort controllers for runtimes that bind objects to the request that made them. In workerd, aborting from the handler
 * of another request throws; the continuation of a promise runs in the request that attached it.
 */

/** The part of an `AbortController` that is used. */
export interface Abort {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
}

interface Runtime {
  readonly navigator?: { readonly userAgent?: string };
}

export function bindsObjects(runtime: Runtime): boolean {
  return runtime.navigator?.userAgent === "Cloudflare-Workers";
}

const BINDS_OBJECTS = bindsObjects(globalThis as Runtime);

/** Made in the request that listens to its signal; any request may abort it. */
export function createAbort(isBound: boolean = BINDS_OBJECTS): Abort {
  const controller = new AbortController();
  if (!isBound) return controller;
  let abort!: (reason: Error) => void;
  void new Promise<Error>((resolve) => {
    abort = resolve;
  }).then((reason) => controller.abort(reason));
  return { signal: controller.signal, abort };
}
