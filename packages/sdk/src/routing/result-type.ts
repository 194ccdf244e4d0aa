/** Kinds of results that an extension adds to methods: what a server returns, and what becomes of it at the client. */
import { SdkError } from "../errors/sdk-error.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { MethodDefinition } from "./method-definition.js";

const EXTENSION_RESULT: unique symbol = Symbol("extension result");

/** A result of an extension's kind, made by the `of` of its definition. */
export interface ExtensionResult {
  readonly resultType: string;
  readonly [EXTENSION_RESULT]: true;
}

/** The call of a client that an extension is to finish, and how it talks to the server meanwhile. */
export interface ExtensionCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  /** Aborts when the result is no longer wanted. */
  readonly signal: AbortSignal | undefined;
  /** Sends a request on the same connection, for as long as the call is wanted. */
  request<Params extends Schema, Result extends Schema>(
    method: MethodDefinition<Params, Result>,
    params: SchemaInput<Params>,
  ): Promise<SchemaOutput<Result>>;
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Has a question of the server answered by the client's handlers. */
  answer(question: InputRequest): Promise<JsonObject>;
}

/** Everything about a kind of result but its name. */
export interface ResultTypeConfig<Result extends Schema> {
  /** The methods that may be answered with it. */
  methods: readonly string[];
  /** What it carries beside `resultType` and `_meta`. */
  result: Result;
  /** Turns it into a finished result of the method, however long that takes. */
  settle(result: SchemaOutput<Result>, call: ExtensionCall): object | Promise<object>;
}

/** A kind of result that both sides know. */
export interface ResultTypeDefinition<Result extends Schema = Schema> extends Readonly<ResultTypeConfig<Result>> {
  readonly resultType: string;
  /** What a server's handler returns instead of a finished result. */
  of(value: SchemaInput<Result>): ExtensionResult;
}

/**
 * Defines a kind of result, such as the handle of a job whose outcome the client fetches later.
 * @throws {SdkError} `invalid-argument` for a kind of the specification's, `unusable-schema` for a schema.
 */
export function defineResultType<Result extends Schema>(
  resultType: string,
  config: ResultTypeConfig<Result>,
): ResultTypeDefinition<Result> {
  const owner = `defineResultType("${resultType}")`;
  if (["", "complete", "input_required"].includes(resultType)) {
    throw new SdkError("invalid-argument", `${owner}: expected a name that the specification does not use`);
  }
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

/** Whether a handler returned a result of some extension's kind. */
export function isExtensionResult(value: unknown): value is ExtensionResult {
  return typeof value === "object" && value !== null && EXTENSION_RESULT in value;
}

function extensionResult<Value extends { resultType: string }>(value: Value): Value & ExtensionResult {
  // Not enumerable, so that no copy and no wire ever carries the mark.
  return Object.defineProperty(value, EXTENSION_RESULT, { value: true }) as Value & ExtensionResult;
}
