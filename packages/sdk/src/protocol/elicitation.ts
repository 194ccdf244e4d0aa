/** Elicitation: a server asks the user, by a form or by sending them to a page. */
import type { JsonObject } from "../runtime/json.js";
import type { NotificationParams, RequestParams, Result } from "./message-base.js";
import type { TaskRequest } from "./tasks.js";

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
