/** Shapes of elicitation. The properties of a form are not checked here: a client shows those that it knows. */
import type {
  ElicitationCompleteParams,
  ElicitFormParams,
  ElicitResult,
  ElicitSchema,
  ElicitUrlParams,
} from "../elicitation.js";
import type { Shape } from "../shape.js";
import { array, jsonObject, object, oneOf, oneOrMany, optional, record, scalar, string, tagged } from "../shape.js";
import { notificationFields, requestFields, resultFields } from "./message-base.js";
import { taskRequestShape } from "./tasks.js";

const elicitSchemaShape: Shape = object<ElicitSchema>({
  $schema: optional(string),
  type: oneOf("object"),
  properties: record(jsonObject),
  required: optional(array(string)),
});

const formParamsShape: Shape = object<ElicitFormParams>({
  ...requestFields,
  mode: optional(oneOf("form")),
  message: string,
  requestedSchema: elicitSchemaShape,
  task: optional(taskRequestShape),
});

const urlParamsShape: Shape = object<ElicitUrlParams>({
  ...requestFields,
  mode: oneOf("url"),
  message: string,
  url: string,
  elicitationId: optional(string),
  task: optional(taskRequestShape),
});

export const elicitParamsShape: Shape = tagged("mode", { form: formParamsShape, url: urlParamsShape }, formParamsShape);

export const elicitResultShape: Shape = object<ElicitResult>({
  ...resultFields,
  action: oneOf("accept", "decline", "cancel"),
  content: optional(record(oneOrMany(scalar, string))),
});

export const elicitationCompleteParamsShape: Shape = object<ElicitationCompleteParams>({
  ...notificationFields,
  elicitationId: string,
});
