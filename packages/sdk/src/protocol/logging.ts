/** Log messages that a server sends to its client. */
import type { NotificationParams, RequestParams } from "./message-base.js";

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

/** How severe a log message is. */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

/** The params of `logging/setLevel`; legacy only. */
export interface SetLevelParams extends RequestParams {
  level: LoggingLevel;
}

/** The params of `notifications/message`. */
export interface LoggingMessageParams extends NotificationParams {
  level: LoggingLevel;
  logger?: string | undefined;
  /** Any JSON value. */
  data: unknown;
}
