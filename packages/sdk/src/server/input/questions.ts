/** Questions to the client: for each kind, the request that is sent and the check of its answer. */
import type { RequestOptions } from "../../dispatch/dispatcher.js";
import { invalidParams } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { describeIssues } from "../../json-schema/index.js";
import { rootsComplaint, samplingAnswerComplaint } from "../../protocol/answer-rules.js";
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from "../../protocol/elicitation.js";
import { elicitResultShape } from "../../protocol/elicitation.js";
import type { InputRequest, InputResponse, InputResponses } from "../../protocol/input-required.js";
import type { Revision } from "../../protocol/revisions.js";
import type { ListRootsResult, Root } from "../../protocol/roots.js";
import { listRootsResultShape } from "../../protocol/roots.js";
import type { CreateMessageParams, CreateMessageResult } from "../../protocol/sampling.js";
import { createMessageResultShape } from "../../protocol/sampling.js";
import { explain, type Shape } from "../../protocol/shape.js";
import type { JsonObject } from "../../runtime/json.js";
import type { CompiledForm } from "../../schema/form-schema.js";

/** Options of a question. */
export interface QuestionOptions {
  /** Identifies the question across rounds. Needed if the order of parallel questions varies. @defaultValue none */
  readonly key?: string | undefined;
  /**
   * Reject if no answer arrives for this long. Ignored by modern calls, which end with their questions: their state expires. A question
   * of a task without it waits until the task expires.
   * @defaultValue the server's questionTimeoutMs, for roots its timeoutMs
   */
  readonly timeoutMs?: number | undefined;
  /** Aborting it rejects the question. The server sends a cancellation to a legacy client. @defaultValue none */
  readonly signal?: AbortSignal | undefined;
  /**
   * 2025-11-25 only: run the question as a task of the client, if the client offers that. The server polls for the answer instead of
   * waiting for one response. Ignored inside a task of the server.
   * @defaultValue false
   */
  readonly task?: boolean | undefined;
}

/** One question of a handler. */
export interface Question<Answer> {
  readonly request: InputRequest;
  /** The author's key. Without one, the question is identified by its method and a number. */
  readonly key: string | undefined;
  /** Options of the request to a legacy client. Tasks use them in both eras. */
  readonly requestOptions?: (Pick<RequestOptions, "timeoutMs" | "signal"> & { readonly task?: true }) | undefined;
  /** Checks and converts the answer. @throws for an invalid answer. */
  read(answer: JsonObject): Answer | Promise<Answer>;
}

/** One run of a handler that may ask its client. Implemented per era in modern-run.ts and legacy-run.ts, and for tasks in task-handler-run.ts. */
export interface HandlerRun {
  /** The answers to the last `inputRequired(…)`, by key. */
  readonly inputResponses: InputResponses | undefined;
  /** The `requestState` of the last `inputRequired(…)`. */
  readonly requestState: string | undefined;
  /** Whether a question has ended the run. Absent for runs that wait for the answer. */
  readonly isSuspended?: boolean;
  /** Resolves with the client's answer, in this run of the handler or in a later one. */
  ask<Answer>(question: Question<Answer>): Promise<Answer>;
  /** Runs a side effect once per request, however often the handler runs. */
  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value>;
}

/** The user's action on a form, with the content if they accepted. */
export type FormAnswer<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** The user's action on a page. `accept` means that they agreed to open it, not that they are done there. */
export interface UrlAnswer {
  readonly action: "accept" | "decline" | "cancel";
}

export function formQuestion<Content>(
  params: ElicitFormParams,
  form: CompiledForm,
  options: QuestionOptions,
): Question<FormAnswer<Content>> {
  return {
    request: { method: "elicitation/create", params },
    key: options.key,
    requestOptions: requestOptionsOf(options),
    async read(answer) {
      const result = checked<ElicitResult>(elicitResultShape, answer);
      // Some clients send content with `decline` or `cancel`. It is ignored.
      if (result.action !== "accept") return { action: result.action };
      const entered = await form.validate(result.content ?? {});
      if (!entered.ok) throw malformed(describeIssues(entered.issues, "content"));
      // The form's output has the type that the author's schema declares.
      return { action: "accept", content: entered.value as Content };
    },
  };
}

export function urlQuestion(params: ElicitUrlParams, options: QuestionOptions): Question<UrlAnswer> {
  return {
    request: { method: "elicitation/create", params },
    key: options.key,
    requestOptions: requestOptionsOf(options),
    read: (answer) => ({ action: checked<ElicitResult>(elicitResultShape, answer).action }),
  };
}

export function samplingQuestion(
  params: CreateMessageParams,
  revision: Revision,
  options: QuestionOptions,
): Question<CreateMessageResult> {
  return {
    request: { method: "sampling/createMessage", params },
    key: options.key,
    requestOptions: requestOptionsOf(options),
    read: (answer) =>
      checked<CreateMessageResult>(createMessageResultShape, answer, (given) =>
        samplingAnswerComplaint(params, given, revision),
      ),
  };
}

export function rootsQuestion(options: QuestionOptions): Question<Root[]> {
  return {
    request: { method: "roots/list" },
    key: options.key,
    requestOptions: requestOptionsOf(options),
    read: (answer) => checked<ListRootsResult>(listRootsResultShape, answer, rootsComplaint).roots,
  };
}

const RESULT_SHAPES: { readonly [Method in InputRequest["method"]]: Shape } = {
  "elicitation/create": elicitResultShape,
  "sampling/createMessage": createMessageResultShape,
  "roots/list": listRootsResultShape,
};

/** A question of `inputRequired(…)`. Its answer is checked against its shape only. */
export function rawQuestion(key: string, request: InputRequest): Question<InputResponse> {
  return { request, key, read: (answer) => readRaw(request.method, answer) };
}

/** @throws {ProtocolError} -32602 for an answer without the shape of the method's result. */
export function readRaw(method: InputRequest["method"], answer: JsonObject): InputResponse {
  return checked<InputResponse>(RESULT_SHAPES[method], answer);
}

/** Checks an answer against its shape and against rules that shapes cannot express. */
function checked<Answer>(
  shape: Shape,
  answer: JsonObject,
  complaintAbout?: (answer: Answer) => string | undefined,
): Answer {
  const fault = shape(answer);
  if (fault) throw malformed(explain(fault, "answer"));
  // `shape` has passed.
  const complaint = complaintAbout?.(answer as Answer);
  if (complaint !== undefined) throw malformed(complaint);
  return answer as Answer;
}

function malformed(complaint: string): Error {
  return invalidParams(`The answer to the server's question is not valid: ${complaint}`);
}

export function tooManyQuestions(method: string, maxRequests: number): SdkError {
  return new SdkError(
    "too-large",
    `The handler of ${method} asks more than ${maxRequests} questions at once; raise maxInputRequests if that is right`,
  );
}

function requestOptionsOf({ timeoutMs, signal, task }: QuestionOptions): Question<unknown>["requestOptions"] {
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(signal && { signal }),
    ...(task === true && { task }),
  };
}
