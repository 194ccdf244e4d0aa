/** Questions to the client: their kinds, what goes out for each, and how its answer is read. */
import type { RequestOptions } from "../../dispatch/dispatcher.js";
import { invalidParams } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { describeIssues } from "../../json-schema/index.js";
import { rootsComplaint, samplingAnswerComplaint } from "../../protocol/answer-rules.js";
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from "../../protocol/elicitation.js";
import type { InputRequest, InputResponse, InputResponses } from "../../protocol/input-required.js";
import type { Revision } from "../../protocol/revisions.js";
import type { ListRootsResult, Root } from "../../protocol/roots.js";
import type { CreateMessageParams, CreateMessageResult } from "../../protocol/sampling.js";
import { explain, type Shape } from "../../protocol/shape.js";
import { elicitResultShape } from "../../protocol/shapes/elicitation.js";
import { listRootsResultShape } from "../../protocol/shapes/roots.js";
import { createMessageResultShape } from "../../protocol/shapes/sampling.js";
import type { JsonObject } from "../../runtime/json.js";
import type { CompiledForm } from "../../schema/form-schema.js";

/** The name and the time limit of a question. */
export interface QuestionOptions {
  /** Names the question; needed where the order of parallel questions varies. @defaultValue none */
  readonly key?: string | undefined;
  /**
   * Reject if no answer arrives for this long. Legacy only: a modern call has ended meanwhile, and its state expires.
   * @defaultValue the server's questionTimeoutMs, for roots its timeoutMs
   */
  readonly timeoutMs?: number | undefined;
  /** Aborting it rejects the question. A legacy client is told to stop. @defaultValue none */
  readonly signal?: AbortSignal | undefined;
}

/** One question of a handler. */
export interface Question<Answer> {
  readonly request: InputRequest;
  /** The author's name for it. A question without one is numbered by its method. */
  readonly key: string | undefined;
  /** Legacy only: options of the request to the client. */
  readonly requestOptions?: Pick<RequestOptions, "timeoutMs" | "signal"> | undefined;
  /** Checks and converts the answer. @throws for an answer that is not valid. */
  read(answer: JsonObject): Answer | Promise<Answer>;
}

/** One run of a handler that may ask its client. Implemented once per era, in modern-run.ts and legacy-run.ts. */
export interface HandlerRun {
  /** The answers to the last `inputRequired(…)`, by key. */
  readonly inputResponses: InputResponses | undefined;
  /** The state that the last `inputRequired(…)` was given. */
  readonly requestState: string | undefined;
  /** Resolves with the client's answer, in this run of the handler or in a later one. */
  ask<Answer>(question: Question<Answer>): Promise<Answer>;
  /** Runs a side effect exactly once, however often the handler runs for one request. */
  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value>;
}

/** The action of the user on a form, with the content if they accepted. */
export type FormAnswer<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** The action of a user who was asked to open a page. `accept` says that they went there, not that they are done. */
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
      // Some clients send content with a refusal. It is ignored.
      if (result.action !== "accept") return { action: result.action };
      const entered = await form.validate(result.content ?? {});
      if (!entered.ok) throw malformed(describeIssues(entered.issues, "content"));
      // The form's schema yields what the author's type says.
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

/** A question of a returned `inputRequired(…)`: its answer is checked against its shape and passed on. */
export function rawQuestion(key: string, request: InputRequest): Question<InputResponse> {
  return { request, key, read: (answer) => readRaw(request.method, answer) };
}

/** @throws {ProtocolError} -32602 for an answer that does not have the shape of the method's result. */
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
  // The shape was checked just above.
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

function requestOptionsOf({ timeoutMs, signal }: QuestionOptions): Question<unknown>["requestOptions"] {
  return { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) };
}
