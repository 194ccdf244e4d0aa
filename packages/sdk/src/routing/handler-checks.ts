/**
 * Checks around the handlers that an author registers by method name or by definition: params before the handler, the result
 * after it.
 */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues, type ValidationResult } from "../json-schema/index.js";
import { inputRequiredResultShape } from "../protocol/input-required.js";
import { findRequest, type MethodSender } from "../protocol/method-table.js";
import { explain } from "../protocol/shape.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { mapMaybe } from "../runtime/maybe-promise.js";
import { type CompileSchemaOptions, compileSchema } from "../schema/compile-schema.js";
import type { Schema, SchemaOutput } from "../schema/schema.js";
import { type Validate, validatorOf } from "../schema/schema-validator.js";
import { resultFields } from "./defined-message.js";
import type { MethodDefinition, NotificationDefinition } from "./method-definition.js";
import type { RequestContext } from "./request-context.js";
import { isExtensionResult } from "./result-type.js";
import type { NotificationHandler, RequestHandler } from "./router.js";

/** The schema of a handler's params. */
export interface HandlerSchemas<Params extends Schema> {
  params: Params;
}

/** Handles a request whose params were checked against a schema. */
export type TypedHandler<Params extends Schema, Context> = (
  params: SchemaOutput<Params>,
  context: Context,
) => object | Promise<object>;

type AnyHandler<Context> = (params: never, context: Context) => unknown;

/** What is wrong with a handler's result; undefined if nothing is. */
type FindFault<Context> = (result: unknown, context: Context) => string | undefined | Promise<string | undefined>;

/**
 * Converts the arguments of `handle` into a method name and a handler with its checks.
 * @throws {SdkError} `invalid-argument` for a definition or a schema without a handler.
 */
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
  return [method, checkResult(method, namedHandler(method, first, second, options), specFault(method, sender))];
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

/** A handler by method name takes raw params without a schema, and the schema's output with one. */
function namedHandler<Context extends RequestContext>(
  method: string,
  first: AnyHandler<Context> | HandlerSchemas<Schema>,
  second: AnyHandler<Context> | undefined,
  options: CompileSchemaOptions,
): RequestHandler<Context> {
  // By the overloads, a handler after a method name takes raw params.
  if (typeof first === "function") return first as RequestHandler<Context>;
  if (!second) throw new SdkError("invalid-argument", `handle("${method}"): expected a handler after the schemas`);
  return checkParams(method, compileSchema(first.params, "input", options).validate, second);
}

function definedHandler<Context extends RequestContext>(
  definition: MethodDefinition,
  handler: AnyHandler<Context>,
): RequestHandler<Context> {
  const { method, params, result } = definition;
  // The validators are made by the first call.
  const checked = checkParams(method, (value) => validatorOf(params)(value), handler);
  return checkResult(method, checked, async (returned) => {
    const outcome = await validatorOf(result)(isJsonObject(returned) ? resultFields(definition, returned) : returned);
    return outcome.ok ? undefined : describeIssues(outcome.issues, "result");
  });
}

/** Validates the params without `_meta`. Throws -32602 with the path. */
function checkParams<Context extends RequestContext>(
  method: string,
  validate: Validate,
  handler: AnyHandler<Context>,
): RequestHandler<Context> {
  // The handler's parameter type is the output type of the schema.
  const run = handler as (params: unknown, context: Context) => unknown;
  return async (params, context) => {
    const checked = await validate(withoutMeta(params));
    if (!checked.ok) throw invalidParams(`${method}: ${describeIssues(checked.issues, "params")}`);
    context.routed.requireOpen();
    return run(checked.value, context);
  };
}

/** Checks the result, so that no malformed result is sent. The result type of an extension has its own checks. */
function checkResult<Context extends RequestContext>(
  method: string,
  handler: RequestHandler<Context>,
  findFault: FindFault<Context>,
): RequestHandler<Context> {
  return async (params, context) => {
    const result = await handler(params, context);
    if (isExtensionResult(result)) return result;
    const fault = await findFault(result, context);
    if (fault !== undefined) throw new SdkError("invalid-result", `the handler of ${method} returned: ${fault}`);
    return result;
  };
}

/** Compares a result with the specification's shape. Methods that the specification does not have may return anything. */
function specFault(method: string, sender: MethodSender): FindFault<RequestContext> {
  return (result, { revision }) => {
    const spec = findRequest(revision, sender, method);
    const fault = spec?.mayRequireInput && needsInput(result) ? inputRequiredResultShape(result) : spec?.result(result);
    return fault && explain(fault, "result");
  };
}

function needsInput(result: unknown): boolean {
  return isJsonObject(result) && result.resultType === "input_required";
}

function withoutMeta({ _meta, ...own }: JsonObject): JsonObject {
  return own;
}
