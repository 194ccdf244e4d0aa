/** Input requests of the modern era: the call ends with questions, and the client calls again with the answers. */

import type { JsonObject } from "../runtime/json.js";
import type { ElicitParams, ElicitResult } from "./elicitation.js";
import { elicitParamsShape, elicitResultShape } from "./elicitation.js";
import type { RequestParams } from "./message-base.js";
import { emptyParamsShape, requestFields } from "./message-base.js";
import type { ListRootsParams, ListRootsResult } from "./roots.js";
import { listRootsResultShape } from "./roots.js";
import type { CreateMessageParams, CreateMessageResult } from "./sampling.js";
import { createMessageParamsShape, createMessageResultShape } from "./sampling.js";
import type { Fields, Shape } from "./shape.js";
import { distinguished, jsonObject, object, oneOf, optional, record, string, tagged } from "./shape.js";

/** One question of the server to the client. */
export type InputRequest =
  | { method: "elicitation/create"; params: ElicitParams }
  | { method: "sampling/createMessage"; params: CreateMessageParams }
  | { method: "roots/list"; params?: ListRootsParams | undefined };

/** The client's answer to one input request. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** The questions by keys, which the server chooses. */
export interface InputRequests {
  [key: string]: InputRequest;
}

/** The answers, by the keys of the questions. */
export interface InputResponses {
  [key: string]: InputResponse;
}

/** The result of a request that needs input before it can be finished. */
export interface InputRequiredResult {
  resultType: "input_required";
  inputRequests?: InputRequests | undefined;
  /** Opaque to the client, which sends it back verbatim. */
  requestState?: string | undefined;
  _meta?: JsonObject | undefined;
}

/** The params of a request that is sent again with the answers. */
export interface InputResponseParams extends RequestParams {
  inputResponses?: InputResponses | undefined;
  requestState?: string | undefined;
}

interface AnyInputRequest {
  method: string;
  params: unknown;
}

/** One question, in the result of a call or in the state of a task. */
export const inputRequestShape: Shape = tagged("method", {
  "elicitation/create": inputRequest(elicitParamsShape),
  "sampling/createMessage": inputRequest(createMessageParamsShape),
  "roots/list": inputRequest(emptyParamsShape),
});

/** The result of a method that needs more input; see `mayRequireInput` in the method table. */
export const inputRequiredResultShape: Shape = object<InputRequiredResult>({
  resultType: oneOf("input_required"),
  inputRequests: optional(record(inputRequestShape)),
  requestState: optional(string),
  _meta: optional(jsonObject),
});

/** Each answer must be one of the three. Only the server can match answers to its input requests. */
const inputResponseShape: Shape = distinguished({
  action: elicitResultShape,
  roots: listRootsResultShape,
  model: createMessageResultShape,
});

export const inputResponseFields: Fields<InputResponseParams> = {
  ...requestFields,
  inputResponses: optional(record(inputResponseShape)),
  requestState: optional(string),
};

function inputRequest(params: Shape): Shape {
  return object<AnyInputRequest>({ method: string, params });
}
