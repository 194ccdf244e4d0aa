/** Input requests of the modern era: the call ends with questions, and the client calls again with the answers. */

import type { JsonObject } from "../runtime/json.js";
import type { ElicitParams, ElicitResult } from "./elicitation.js";
import type { RequestParams } from "./message-base.js";
import type { ListRootsParams, ListRootsResult } from "./roots.js";
import type { CreateMessageParams, CreateMessageResult } from "./sampling.js";

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
