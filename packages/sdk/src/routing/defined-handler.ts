/** Checks around the handlers of definitions: their params before the handler, their results after it. */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues, type ValidationResult } from "../json-schema/index.js";
import type { MethodSender } from "../protocol/method-table.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { mapMaybe } from "../runtime/maybe-promise.js";
import type { CompileSchemaOptions } from "../schema/compile-schema.js";
import type { Schema } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import { checkParams, checkResult, type HandlerSchemas } from "./checked-handler.js";
import { resultFields } from "./defined-message.js";
import type { MethodDefinition, NotificationDefinition } from "./method-definition.js";
import type { RequestContext } from "./request-context.js";
import { isExtensionResult } from "./result-type.js";
import type { NotificationHandler, RequestHandler } from "./router.js";

type AnyHandler<Context> = (params: never, context: Context) => unknown;

/** Converts the arguments of `handle` into a method name and a handler with its checks. */
export function toRequestHandler<Context extends RequestContext>(
  method: string | MethodDefinition,
  first: AnyHandler<Context> | HandlerSchemas<Schema>,
  second: AnyHandler<Context> | undefined,
  sender: MethodSender,
  options: CompileSchemaOptions,
): readonly [method: string, handler: RequestHandler<Context>] {
  if (typeof method !== "string") {
    if (typeof first === "function") return [method.method, definedHandler(method, first)];
    throw new SdkError("invalid-argument", `handle("${method.method}"): expected a handler after the definition`);
  }
  // By the overloads, a handler after a method name takes raw params.
  const given = first as RequestHandler<Context> | HandlerSchemas<Schema>;
  return [method, checkResult(method, sender, checkParams(method, given, second, options))];
}

/** Converts the arguments of `onNotification`. A defined notification with wrong params never reaches its handler. */
export function toNotificationHandler<Context = undefined>(
  method: string | NotificationDefinition,
  handler: (params: never, method: string, context: Context) => unknown,
): readonly [method: string, handler: NotificationHandler<Context>] {
  // By the overloads, a handler takes raw params after a method name, and the schema's output after a definition.
  const run = handler as (params: unknown, method: string, context: Context) => unknown;
  if (typeof method === "string") return [method, run];
  const checked: NotificationHandler<Context> = (params, name, context) => {
    const outcome = validatorOf(method.params)(withoutMeta(params));
    const deliver = (result: ValidationResult): unknown => {
      if (result.ok) return run(result.value, name, context);
      throw new SdkError("invalid-message", `${name} was dropped: ${describeIssues(result.issues, "params")}`);
    };
    // Awaits only asynchronous schemas, so that handlers run in the order of arrival.
    return mapMaybe(outcome, deliver);
  };
  return [method.method, checked];
}

function definedHandler<Context extends RequestContext>(
  definition: MethodDefinition,
  handler: AnyHandler<Context>,
): RequestHandler<Context> {
  const { method, params: paramsSchema, result: resultSchema } = definition;
  // The handler's parameter type is the output type of the schema.
  const run = handler as (params: unknown, context: Context) => unknown;
  return async (params, context) => {
    const checked = await validatorOf(paramsSchema)(withoutMeta(params));
    if (!checked.ok) throw invalidParams(`${method}: ${describeIssues(checked.issues, "params")}`);
    context.routed.requireOpen();
    const result = await run(checked.value, context);
    if (isExtensionResult(result)) return result;
    const outcome = await validatorOf(resultSchema)(isJsonObject(result) ? resultFields(definition, result) : result);
    if (outcome.ok) return result;
    const complaint = describeIssues(outcome.issues, "result");
    throw new SdkError("invalid-result", `the handler of ${method} returned: ${complaint}`);
  };
}

function withoutMeta({ _meta, ...own }: JsonObject): JsonObject {
  return own;
}
