/** Elicitation: a server asks the user, by a form or by sending them to a page. */
import type { JsonObject } from "../runtime/json.js";
import type { NotificationParams, RequestParams, Result } from "./message-base.js";
import { notificationFields, requestFields, resultFields } from "./message-base.js";
import type { Shape } from "./shape.js";
import { array, jsonObject, object, oneOf, oneOrMany, optional, record, scalar, string, tagged } from "./shape.js";
import type { TaskRequest } from "./tasks.js";
import { taskRequestShape } from "./tasks.js";

/** The JSON Schema of a form: flat, with one primitive or choice per property. */
export interface ElicitSchema {
  $schema?: string | undefined;
  type: "object";
  properties: { [name: string]: JsonObject };
  required?: readonly string[] | undefined;
}

/** Asks the user to fill in a form. */
export interface ElicitFormParams extends RequestParams {
  mode?: "form" | undefined;
  message: string;
  requestedSchema: ElicitSchema;
  task?: TaskRequest | undefined;
}

/** Asks the user to open a page; since 2025-11-25. */
export interface ElicitUrlParams extends RequestParams {
  mode: "url";
  message: string;
  url: string;
  /** Required in 2025-11-25, gone in 2026-07-28. */
  elicitationId?: string | undefined;
  task?: TaskRequest | undefined;
}

/** The params of `elicitation/create`. */
export type ElicitParams = ElicitFormParams | ElicitUrlParams;

/** What a user may enter in one field of a form. */
export type ElicitValue = string | number | boolean | string[];

/** The result of `elicitation/create`. */
export interface ElicitResult extends Result {
  action: "accept" | "decline" | "cancel";
  /** The filled-in form; only with `accept`. */
  content?: { [name: string]: ElicitValue } | undefined;
}

/** The params of `notifications/elicitation/complete` (2025-11-25 alone). */
export interface ElicitationCompleteParams extends NotificationParams {
  elicitationId: string;
}

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
