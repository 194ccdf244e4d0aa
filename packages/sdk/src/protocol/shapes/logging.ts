/** Shapes of log levels and log messages. */
import type { LoggingMessageParams, SetLevelParams } from "../logging.js";
import { LOGGING_LEVELS } from "../logging.js";
import type { Shape } from "../shape.js";
import { object, oneOf, optional, present, string } from "../shape.js";
import { notificationFields, requestFields } from "./message-base.js";

export const loggingLevelShape: Shape = oneOf(...LOGGING_LEVELS);

export const setLevelParamsShape: Shape = object<SetLevelParams>({ ...requestFields, level: loggingLevelShape });

export const loggingMessageParamsShape: Shape = object<LoggingMessageParams>({
  ...notificationFields,
  level: loggingLevelShape,
  logger: optional(string),
  data: present,
});
