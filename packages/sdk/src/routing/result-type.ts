/** Result types that an extension adds to methods: a server returns them, and a client settles them into a finished result. */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { MethodDefinition } from "./method-definition.js";

const EXTENSION_RESULT: unique symbol = Symbol("extension result");

/** A result of an extension's result type, made by the `of` of its definition. */
export interface ExtensionResult {
  readonly resultType: string;
  readonly [EXTENSION_RESULT]: true;
}

/** Options of a request that an extension sends for a call. */
export interface ExtensionRequestOptions {
  /** Send the request even if the call was aborted, for example to cancel work on the server. @defaultValue false */
  readonly ignoresAbort?: boolean | undefined;
}

/** The client's call that an extension finishes, with functions to talk to the server meanwhile. */
export interface ExtensionCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  /** The signal of the call. Aborts when the caller no longer wants the result. */
  readonly signal: AbortSignal | undefined;
  /** Sends a request on the same connection. Rejects once the call is aborted, except with `ignoresAbort`. */
  request<Params extends Schema, Result extends Schema>(
    method: MethodDefinition<Params, Result>,
    params: SchemaInput<Params>,
    options?: ExtensionRequestOptions,
  ): Promise<SchemaOutput<Result>>;
  request(method: string, params?: JsonObject, options?: ExtensionRequestOptions): Promise<JsonObject>;
  /** Runs the client's handler for a question of the server, and resolves with its answer. */
  answer(question: InputRequest): Promise<JsonObject>;
}

/** The configuration of a result type. */
export interface ResultTypeConfig<Result extends Schema> {
  /** The methods that the server may answer with this type. */
  methods: readonly string[];
  /** Schema of the members besides `resultType` and `_meta`. */
  result: Result;
  /** Turns the result into a finished result of the method, on the client. May take long. */
  settle(result: SchemaOutput<Result>, call: ExtensionCall): object | Promise<object>;
}

/** A result type that both sides know. */
export interface ResultTypeDefinition<Result extends Schema = Schema> extends Readonly<ResultTypeConfig<Result>> {
  readonly resultType: string;
  /** Makes a result of this type, for a server's handler to return. */
  of(value: SchemaInput<Result>): ExtensionResult;
}

const OPTIONS: OptionTable<ResultTypeConfig<Schema>> = { methods: "list", result: true, settle: "function" };

/**
 * Defines a result type, such as the handle of a job whose outcome the client fetches later.
 * @throws {SdkError} `invalid-argument` for a name that the specification uses, `unusable-schema` for an unusable schema.
 */
export function defineResultType<Result extends Schema>(
  resultType: string,
  config: ResultTypeConfig<Result>,
): ResultTypeDefinition<Result> {
  const owner = `defineResultType("${resultType}")`;
  if (["", "complete", "input_required"].includes(resultType)) {
    throw new SdkError("invalid-argument", `${owner}: expected a name that the specification does not use`);
  }
  checkOptions(owner, config, OPTIONS);
  if (config.methods.length === 0) {
    throw new SdkError("invalid-argument", `${owner}: expected at least one method that is answered with it`);
  }
  validatorOf(config.result);
  return Object.freeze({
    resultType,
    methods: [...config.methods],
    result: config.result,
    settle: config.settle,
    of: (value: SchemaInput<Result>) => extensionResult({ ...(value as object), resultType }),
  });
}

/** Whether a handler returned a result that `of` made. */
export function isExtensionResult(value: unknown): value is ExtensionResult {
  return typeof value === "object" && value !== null && EXTENSION_RESULT in value;
}

function extensionResult<Value extends { resultType: string }>(value: Value): Value & ExtensionResult {
  // Not enumerable, so that copies and serialized results do not have the mark.
  return Object.defineProperty(value, EXTENSION_RESULT, { value: true }) as Value & ExtensionResult;
}
