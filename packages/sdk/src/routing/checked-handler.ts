/** Checks around a handler that an author registers by method name. defined-handler.ts does the same for definitions. */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { inputRequiredResultShape } from "../protocol/input-required.js";
import { findRequest, type MethodSender } from "../protocol/method-table.js";
import { explain } from "../protocol/shape.js";
import { isJsonObject } from "../runtime/json.js";
import { type CompileSchemaOptions, compileSchema } from "../schema/compile-schema.js";
import type { Schema, SchemaOutput } from "../schema/schema.js";
import type { RequestContext } from "./request-context.js";
import { isExtensionResult } from "./result-type.js";
import type { RequestHandler } from "./router.js";

/** The schema of a handler's params. */
export interface HandlerSchemas<Params extends Schema> {
  params: Params;
}

export type TypedHandler<Params extends Schema, Context> = (
  params: SchemaOutput<Params>,
  context: Context,
) => object | Promise<object>;

/**
 * Wraps a handler in the validation of its params, if the author gave a schema. The wrapper throws -32602 with the path.
 * @throws {SdkError} `invalid-argument` for a schema without a handler.
 */
export function checkParams<Context extends RequestContext>(
  method: string,
  schemas: RequestHandler<Context> | HandlerSchemas<Schema>,
  handler: ((params: never, context: Context) => unknown) | undefined,
  options: CompileSchemaOptions,
): RequestHandler<Context> {
  if (typeof schemas === "function") return schemas;
  if (!handler) throw new SdkError("invalid-argument", `handle("${method}"): expected a handler after the schemas`);
  const compiled = compileSchema(schemas.params, "input", options);
  // The handler's parameter type is the output type of the schema.
  const run = handler as (params: unknown, context: Context) => unknown;
  return async (params, context) => {
    const { _meta, ...own } = params;
    const checked = await compiled.validate(own);
    if (!checked.ok) throw invalidParams(`${method}: ${describeIssues(checked.issues, "params")}`);
    context.routed.requireOpen();
    return run(checked.value, context);
  };
}

/** Wraps a handler of a specification's method in a check of its result, so that no malformed result is sent. */
export function checkResult<Context extends RequestContext>(
  method: string,
  sender: MethodSender,
  handler: RequestHandler<Context>,
): RequestHandler<Context> {
  return async (params, context) => {
    const result = await handler(params, context);
    if (isExtensionResult(result)) return result;
    const spec = findRequest(context.revision, sender, method);
    const fault = spec?.mayRequireInput && needsInput(result) ? inputRequiredResultShape(result) : spec?.result(result);
    if (fault) throw new SdkError("invalid-result", `the handler of ${method} returned: ${explain(fault, "result")}`);
    return result;
  };
}

function needsInput(result: unknown): boolean {
  return isJsonObject(result) && result.resultType === "input_required";
}
