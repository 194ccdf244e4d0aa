/** Shapes of asking for input and of answering. */
import type { InputRequiredResult, InputResponseParams } from "../input-required.js";
import type { Fields, Shape } from "../shape.js";
import { distinguished, jsonObject, object, oneOf, optional, record, string, tagged } from "../shape.js";
import { elicitParamsShape, elicitResultShape } from "./elicitation.js";
import { emptyParamsShape, requestFields } from "./message-base.js";
import { listRootsResultShape } from "./roots.js";
import { createMessageParamsShape, createMessageResultShape } from "./sampling.js";

interface AnyInputRequest {
  method: string;
  params: unknown;
}

const inputRequestShape: Shape = tagged("method", {
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
