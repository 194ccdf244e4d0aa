/** Result types that an extension adds to methods: a server returns them, and a client settles them into a finished result. */

import type { ProgressReport } from "../dispatch/dispatcher.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import { validatorOf } from "../schema/schema-validator.js";
import type { ExtensionChange, ListenFilterValue } from "./listen-filter-definition.js";
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
  /** Aborts the request, in place of the signal of the call. @defaultValue the signal of the call */
  readonly signal?: AbortSignal | undefined;
  /** Reject if no answer arrives for this long. `Infinity` never rejects. @defaultValue the timeoutMs of the call */
  readonly timeoutMs?: number | undefined;
}

/** Options of a question that an extension has answered. */
export interface ExtensionAnswerOptions {
  /** Tells the client's handler that the answer is no longer needed. @defaultValue the signal of the call */
  readonly signal?: AbortSignal | undefined;
}

/** Changes that an extension hears of while it finishes a call. */
export interface CallSubscription extends AsyncIterable<ExtensionChange | { readonly kind: string }> {
  /** The part of the filters that the server agreed to announce. */
  readonly honored: { readonly extensions?: readonly ListenFilterValue[] };
  close(): Promise<void>;
}

/** The client's call that an extension finishes, with functions to talk to the server meanwhile. */
export interface ExtensionCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  /**
   * `call`: the caller waits for the finished result. `start`: the caller of `client.startCall` takes a result of an extension's
   * type itself. `resume`: the caller of `client.resumeCall` settles such a result, and an abort ends only the wait.
   */
  readonly mode: "call" | "start" | "resume";
  /** Undefined if they are unknown. */
  readonly serverCapabilities: ServerCapabilities | undefined;
  /** Aborts when the caller no longer wants the result, and when the client is closed. */
  readonly signal: AbortSignal;
  /** Questions of the server that the client answers at once, at most. */
  readonly maxInputRequests: number;
  /** The caller's callback for progress, if the call has one. */
  readonly onProgress: ((progress: ProgressReport) => void) | undefined;
  /** Sends a request on the same connection. Rejects once the call is aborted, except with `ignoresAbort`. */
  request<Params extends Schema, Result extends Schema>(
    method: MethodDefinition<Params, Result>,
    params: SchemaInput<Params>,
    options?: ExtensionRequestOptions,
  ): Promise<SchemaOutput<Result>>;
  request(method: string, params?: JsonObject, options?: ExtensionRequestOptions): Promise<JsonObject>;
  /**
   * Runs the client's handler for a question of the server, and resolves with its answer.
   * @throws {SdkError} `invalid-result` for a malformed question
   */
  answer(question: InputRequest, options?: ExtensionAnswerOptions): Promise<JsonObject>;
  /**
   * Subscribes to changes that listen filters select. Close the subscription when the call ends. Resolves with undefined if eight
   * calls of this client listen already.
   */
  listen(filters: readonly ListenFilterValue[]): Promise<CallSubscription | undefined>;
  /**
   * The `execution.taskSupport` of the tool that is called, as it was last listed. The client lists the tools once if it does not
   * know the tool.
   */
  taskSupport(): Promise<"optional" | "required" | undefined>;
}

/**
 * Runs on the client in place of a call. `send` sends the call and answers the rounds of its server. Other params replace those
 * of the call, under a new request id.
 */
export type AroundCall = (
  call: ExtensionCall,
  send: (params?: JsonObject) => Promise<JsonObject>,
) => JsonObject | Promise<JsonObject>;

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
 *
 * @example
 * const outcome = defineMethod("acme/outcome", {
 *   params: z.object({ jobId: z.string() }),
 *   result: z.object({ content: z.array(z.any()) }),
 * });
 * const job = defineResultType("job", {
 *   methods: ["tools/call"],
 *   result: z.object({ jobId: z.string() }),
 *   settle: ({ jobId }, { request }) => request(outcome, { jobId }),
 * });
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
