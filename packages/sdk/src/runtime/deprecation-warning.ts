/**
 * Warnings about deprecated features, each emitted once per process through `process.emitWarning`. A program can listen to
 * them and switch them off (`--no-deprecation`, `--disable-warning`). A runtime without `emitWarning` stays silent.
 */

/** The part of `process` that emits warnings. */
export interface WarningEmitter {
  emitWarning?(message: string, options: { readonly type: string; readonly code: string }): void;
}

const emitted = new Set<string>();

/** @param code names the warning. A second warning with the same code is dropped. */
export function warnOnce(
  code: string,
  message: string,
  emitter: WarningEmitter | undefined = (globalThis as { readonly process?: WarningEmitter }).process,
): void {
  if (emitted.has(code)) return;
  emitted.add(code);
  emitter?.emitWarning?.(message, { type: "DeprecationWarning", code });
}
