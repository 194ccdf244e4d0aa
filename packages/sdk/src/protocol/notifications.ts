/** The params of notifications that belong to no single feature. */
import type { NotificationParams, ProgressToken } from "./message-base.js";
import { notificationFields } from "./message-base.js";
import type { Shape } from "./shape.js";
import { number, object, optional, string, stringOrInteger } from "./shape.js";

/** The params of `notifications/progress`. */
export interface ProgressParams extends NotificationParams {
  progressToken: ProgressToken;
  /** Grows with every notification of one request. */
  progress: number;
  total?: number | undefined;
  /** Since 2025-03-26. */
  message?: string | undefined;
}

/** The params of `notifications/cancelled`. */
export interface CancelledParams extends NotificationParams {
  /** Absent in 2025-11-25 alone, where a task is cancelled by `tasks/cancel` instead. */
  requestId?: string | number | undefined;
  reason?: string | undefined;
}

/** The params of `notifications/resources/updated`. */
export interface ResourceUpdatedParams extends NotificationParams {
  /** The changed resource, which may be beneath the URI that was subscribed to. */
  uri: string;
}

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
