/** Middleware: functions that run around every request and notification of one side. */
import { SdkError } from "../errors/sdk-error.js";
import type { Revision } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** A request or notification, as middleware sees it. */
export interface MiddlewareCall<Context> {
  readonly kind: "request" | "notification";
  /** `inbound`: this side receives the call. `outbound`: this side sends it. */
  readonly direction: "inbound" | "outbound";
  /** The protocol revision of the call. */
  readonly revision: Revision;
  readonly method: string;
  /** Call `next` with other params to replace them. */
  readonly params: JsonObject;
  /** The context of the handler. Undefined for outbound calls and for notifications. */
  readonly context: Context | undefined;
}

/** Runs the next layer with the given params, or with those of the call. Resolves with the result; undefined for notifications. */
export type MiddlewareNext = (params?: JsonObject) => Promise<unknown>;

/** Runs around a call. It may read or replace the params and the result, answer without `next`, or throw. */
export type Middleware<Context> = (call: MiddlewareCall<Context>, next: MiddlewareNext) => unknown;

/** Runs `innermost` inside the middleware. The first middleware is the outermost. */
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

/** The result of an outbound request after the middleware. @throws {SdkError} `invalid-result` for anything but an object. */
export function requireResult(method: string, result: unknown): JsonObject {
  if (isJsonObject(result)) return result;
  const advice = "return what next resolves with, or a result of its own";
  throw new SdkError("invalid-result", `middleware answered ${method} with no object; ${advice}`);
}
