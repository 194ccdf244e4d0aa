/**
 * Abort controllers for workerd, which binds objects to the request that created them. There, `abort` throws when another
 * request calls it. A promise continuation runs in the request that attached it, so `abort` goes through a promise.
 */

/** The part of an `AbortController` that this package uses. */
export interface Abort {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
}

interface Runtime {
  readonly navigator?: { readonly userAgent?: string };
}

/** Whether the runtime is workerd. */
export function bindsObjects(runtime: Runtime): boolean {
  return runtime.navigator?.userAgent === "Cloudflare-Workers";
}

const BINDS_OBJECTS = bindsObjects(globalThis as Runtime);

/** Creates a controller. Call it in the request that listens to the signal; any request may abort it. */
export function createAbort(isBound: boolean = BINDS_OBJECTS): Abort {
  const controller = new AbortController();
  if (!isBound) return controller;
  let abort!: (reason: Error) => void;
  void new Promise<Error>((resolve) => {
    abort = resolve;
  }).then((reason) => controller.abort(reason));
  return { signal: controller.signal, abort };
}
