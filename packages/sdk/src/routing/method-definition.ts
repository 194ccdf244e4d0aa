/**
 * Methods and notifications of an author's own, as values that both sides import: one definition says what is checked
 * and typed at either end. What the wire carries is what a schema takes; who receives it gets what the schema yields.
 */
import { SdkError } from "../errors/sdk-error.js";
import { isDefinable } from "../protocol/method-table.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { ExtensionResult } from "./result-type.js";

/** What the params and the result of a method look like. */
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

/** Serves a defined method: gets what its params schema yields, returns what its result schema takes. */
export type MethodHandler<Params extends Schema, Result extends Schema, Context> = (
  params: SchemaOutput<Params>,
  context: Context,
) => SchemaInput<Result> | ExtensionResult | Promise<SchemaInput<Result> | ExtensionResult>;

/** Hears a defined notification. */
export type DefinedNotificationHandler<Params extends Schema, Context = undefined> = (
  params: SchemaOutput<Params>,
  method: string,
  context: Context,
) => unknown;

/**
 * Defines a method of your own, for `handle` on one side and `request` on the other.
 * @throws {SdkError} `invalid-argument` for a name of the specification's, `unusable-schema` for a schema.
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
  // Made now, so that a schema that cannot be used fails where it is written.
  validatorOf(params);
  validatorOf(result);
  return Object.freeze({ kind: "request", method, params, result });
}

/**
 * Defines a notification of your own, for `onNotification` on one side and `notify` on the other.
 * @throws {SdkError} `invalid-argument` for a name of the specification's, `unusable-schema` for a schema.
 */
export function defineNotification<Params extends Schema>(
  method: string,
  { params }: { params: Params },
): NotificationDefinition<Params> {
  checkName(method, `defineNotification("${method}")`);
  validatorOf(params);
  return Object.freeze({ kind: "notification", method, params });
}

/** The name under which a method or notification travels. */
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
