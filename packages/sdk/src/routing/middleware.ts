/** Code that runs around every request and notification of one side. */

import type { Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";

export interface MiddlewareCall<Context> {
  readonly kind: "request" | "notification";
  /** `inbound`: this side serves it. `outbound`: this side sends it. */
  readonly direction: "inbound" | "outbound";
  /** The protocol revision it is sent or served by. */
  readonly revision: Revision;
  readonly method: string;
  /** May be replaced by calling `next` with other params. */
  readonly params: JsonObject;
  /** What the handler sees; undefined for outbound calls and for notifications. */
  readonly context: Context | undefined;
}

/** Calls on with the given params, or with the call's own. Resolves with the result; undefined for notifications. */
export type MiddlewareNext = (params?: JsonObject) => Promise<unknown>;

/** Runs around a call: it may look, change the params or the result, answer by itself, or throw. */
export type Middleware<Context> = (call: MiddlewareCall<Context>, next: MiddlewareNext) => unknown;

/** Runs a call through the middleware, first added outermost, and then through `innermost`. */
export function runThrough<Context>(
  middleware: readonly Middleware<Context>[],
  call: MiddlewareCall<Context>,
  innermost: (params: JsonObject) => unknown,
): Promise<unknown> {
  const step = async (index: number, current: MiddlewareCall<Context>): Promise<unknown> => {
    const layer = middleware[index];
    if (!layer) return innermost(current.params);
    return layer(current, (params) => step(index + 1, params === undefined ? current : { ...current, params }));
  };
  return step(0, call);
}
