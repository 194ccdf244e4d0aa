/** Shapes of progress and cancellation. */
import type { CancelledParams, ProgressParams } from "../notifications.js";
import type { Shape } from "../shape.js";
import { number, object, optional, string, stringOrInteger } from "../shape.js";
import { notificationFields } from "./message-base.js";

export const progressParamsShape: Shape = object<ProgressParams>({
  ...notificationFields,
  progressToken: stringOrInteger,
  progress: number,
  total: optional(number),
  message: optional(string),
});

export const cancelledParamsShape: Shape = object<CancelledParams>({
  ...notificationFields,
  requestId: optional(stringOrInteger),
  reason: optional(string),
});
