/** Log messages that a server sends to its client. */
import type { NotificationParams, RequestParams } from "./message-base.js";
import { notificationFields, requestFields } from "./message-base.js";
import type { Shape } from "./shape.js";
import { object, oneOf, optional, present, string } from "./shape.js";

/** The severities of RFC 5424, least severe first. */
export const LOGGING_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/**
 * How severe a log message is.
 * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
 */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

/**
 * The params of `logging/setLevel`; legacy only.
 * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
 */
export interface SetLevelParams extends RequestParams {
  level: LoggingLevel;
}

/**
 * The params of `notifications/message`.
 * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
 */
export interface LoggingMessageParams extends NotificationParams {
  level: LoggingLevel;
  logger?: string | undefined;
  /** Any JSON value. */
  data: unknown;
}

export const loggingLevelShape: Shape = oneOf(...LOGGING_LEVELS);

export const setLevelParamsShape: Shape = object<SetLevelParams>({ ...requestFields, level: loggingLevelShape });

export const loggingMessageParamsShape: Shape = object<LoggingMessageParams>({
  ...notificationFields,
  level: loggingLevelShape,
  logger: optional(string),
  data: present,
});
