/**
 * Methods and notifications of an author's own, as values that both sides import. Their schemas check and type the params
 * and results on both sides. The wire carries the input of a schema; the receiver gets its output.
 */
import { SdkError } from "../errors/sdk-error.js";
import { isDefinable } from "../protocol/method-table.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { ExtensionResult } from "./result-type.js";

/** The schemas of a method's params and result. */
export interface MethodSchemas<Params extends Schema, Result extends Schema> {
  params: Params;
  result: Result;
}

/** A request that both sides know. */
export interface MethodDefinition<Params extends Schema = Schema, Result extends Schema = Schema> {
  readonly kind: "request";
  readonly method: string;
  readonly params: Params;
  readonly result: Result;
}

/** A notification that both sides know. */
export interface NotificationDefinition<Params extends Schema = Schema> {
  readonly kind: "notification";
  readonly method: string;
  readonly params: Params;
}

/** Handles a defined method. Gets the output of the params schema, and returns an input of the result schema. */
export type MethodHandler<Params extends Schema, Result extends Schema, Context> = (
  params: SchemaOutput<Params>,
  context: Context,
) => SchemaInput<Result> | ExtensionResult | Promise<SchemaInput<Result> | ExtensionResult>;

/** Handles a defined notification. */
export type DefinedNotificationHandler<Params extends Schema, Context = undefined> = (
  params: SchemaOutput<Params>,
  method: string,
  context: Context,
) => unknown;

/**
 * Defines a method of your own, for `handle` on one side and `request` on the other.
 * @throws {SdkError} `invalid-argument` for a name that the specification uses, `unusable-schema` for an unusable schema.
 *
 * @example
 * const forecast = defineMethod("acme/forecast", {
 *   params: z.object({ city: z.string() }),
 *   result: z.object({ celsius: z.number() }),
 * });
 */
export function defineMethod<Params extends Schema, Result extends Schema>(
  method: string,
  { params, result }: MethodSchemas<Params, Result>,
): MethodDefinition<Params, Result> {
  const owner = `defineMethod("${method}")`;
  checkName(method, owner);
  if (method.startsWith("notifications/")) {
    throw new SdkError("invalid-argument", `${owner}: names under notifications/ are for notifications`);
  }
  // Compiled now, so that an unusable schema fails where it is defined.
  validatorOf(params);
  validatorOf(result);
  return Object.freeze({ kind: "request", method, params, result });
}

/**
 * Defines a notification of your own, for `onNotification` on one side and `notify` on the other.
 * @throws {SdkError} `invalid-argument` for a name that the specification uses, `unusable-schema` for an unusable schema.
 */
export function defineNotification<Params extends Schema>(
  method: string,
  { params }: { params: Params },
): NotificationDefinition<Params> {
  checkName(method, `defineNotification("${method}")`);
  validatorOf(params);
  return Object.freeze({ kind: "notification", method, params });
}

/** The `method` of a method or notification on the wire. */
export function nameOf(method: string | MethodDefinition | NotificationDefinition): string {
  return typeof method === "string" ? method : method.method;
}

function checkName(method: string, owner: string): void {
  if (method === "" || method === "*" || method.startsWith("rpc.")) {
    throw new SdkError("invalid-argument", `${owner}: expected a name that is not "", "*" or under rpc.`);
  }
  if (!isDefinable(method)) {
    throw new SdkError("invalid-argument", `${owner}: the specification has a method of this name; choose another`);
  }
}
