/** The kinds of questions: what goes out for each, and how its answer is read. */
import { invalidParams } from "../../errors/protocol-error.js";
import { describeIssues } from "../../json-schema/index.js";
import { rootsComplaint, samplingAnswerComplaint } from "../../protocol/answer-rules.js";
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from "../../protocol/elicitation.js";
import type { InputRequest, InputResponse } from "../../protocol/input-required.js";
import type { JsonObject } from "../../protocol/json.js";
import type { Revision } from "../../protocol/revisions.js";
import type { ListRootsResult, Root } from "../../protocol/roots.js";
import type { CreateMessageParams, CreateMessageResult } from "../../protocol/sampling.js";
import { explain, type Shape } from "../../protocol/shape.js";
import { elicitResultShape } from "../../protocol/shapes/elicitation.js";
import { listRootsResultShape } from "../../protocol/shapes/roots.js";
import { createMessageResultShape } from "../../protocol/shapes/sampling.js";
import type { CompiledForm } from "../../schema/form-schema.js";
import { type Question, type QuestionOptions, waitingOf } from "./asking.js";

/** What a user did with a form; the content is there if they sent it off. */
export type FormAnswer<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** What a user did when asked to open a page. Accepting says that they went there, not that they are done. */
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
    waiting: waitingOf(options),
    async read(answer) {
      const result = checked<ElicitResult>(elicitResultShape, answer);
      // Clients are known to send content along with a refusal; it means nothing.
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
    waiting: waitingOf(options),
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
    waiting: waitingOf(options),
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
    waiting: waitingOf(options),
    read: (answer) => checked<ListRootsResult>(listRootsResultShape, answer, rootsComplaint).roots,
  };
}

const RESULT_SHAPES: { readonly [Method in InputRequest["method"]]: Shape } = {
  "elicitation/create": elicitResultShape,
  "sampling/createMessage": createMessageResultShape,
  "roots/list": listRootsResultShape,
};

/** A question whose answer is handed on as it came, once it has its method's shape. */
export function rawQuestion(key: string, request: InputRequest): Question<InputResponse> {
  return { request, key, read: (answer) => readRaw(request.method, answer) };
}

/** @throws {ProtocolError} -32602 for what is no answer to the method. */
export function readRaw(method: InputRequest["method"], answer: JsonObject): InputResponse {
  return checked<InputResponse>(RESULT_SHAPES[method], answer);
}

/** The answer as its shape says, unless it breaks a rule that shapes cannot express. */
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
