/** How a modern server asks its client for something: the call ends, and is made again with the answers. */

import type { JsonObject } from "../runtime/json.js";
import type { ElicitParams, ElicitResult } from "./elicitation.js";
import type { RequestParams } from "./message-base.js";
import type { ListRootsParams, ListRootsResult } from "./roots.js";
import type { CreateMessageParams, CreateMessageResult } from "./sampling.js";

/** One thing that the server wants of the client. */
export type InputRequest =
  | { method: "elicitation/create"; params: ElicitParams }
  | { method: "sampling/createMessage"; params: CreateMessageParams }
  | { method: "roots/list"; params?: ListRootsParams | undefined };

/** The client's answer to one input request. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** What the server wants, by keys of its own choosing. */
export interface InputRequests {
  [key: string]: InputRequest;
}

/** The answers, by the keys of the input requests. */
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

/** What the params carry when a request is made again with the answers. */
export interface InputResponseParams extends RequestParams {
  inputResponses?: InputResponses | undefined;
  requestState?: string | undefined;
}
