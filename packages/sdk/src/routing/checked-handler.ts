/** A handler that an author registers for a method by name, with its params and result checked around it. */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { findRequest, type MethodSender } from "../protocol/method-table.js";
import { explain } from "../protocol/shape.js";
import { inputRequiredResultShape } from "../protocol/shapes/input-required.js";
import { isJsonObject } from "../runtime/json.js";
import { type CompileSchemaOptions, compileSchema } from "../schema/compile-schema.js";
import type { Schema, SchemaOutput } from "../schema/schema.js";
import type { RequestContext } from "./request-context.js";
import { isExtensionResult } from "./result-type.js";
import type { RequestHandler } from "./router.js";

/** What a handler's params must look like. */
export interface HandlerSchemas<Params extends Schema> {
  params: Params;
}

export type TypedHandler<Params extends Schema, Context> = (
  params: SchemaOutput<Params>,
  context: Context,
) => object | Promise<object>;

/**
 * The handler alone, or the handler behind the author's schema: a mismatch is -32602 and names the path.
 * @throws {SdkError} `invalid-argument` when there is no handler.
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
  // Its params are what the schema yields, which is what the author's type says.
  const run = handler as (params: unknown, context: Context) => unknown;
  return async (params, context) => {
    const { _meta, ...own } = params;
    const checked = await compiled.validate(own);
    if (!checked.ok) throw invalidParams(`${method}: ${describeIssues(checked.issues, "params")}`);
    context.routed.requireOpen();
    return run(checked.value, context);
  };
}

/** Checks what a handler returns for a method of the specification, so that nothing malformed goes out under its name. */
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
