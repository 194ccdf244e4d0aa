/** `context.log`: log messages that a handler sends to its client during a request, at the level that the client asked for. */
import { SdkError } from "../errors/sdk-error.js";
import { LOGGING_LEVELS, type LoggingLevel } from "../protocol/logging.js";
import type { JsonObject } from "../runtime/json.js";
import type { LogRate } from "./log-rate.js";

/**
 * One function per level, least severe first: `log.info(data, logger?)`.
 * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
 */
export type ContextLog = { readonly [Level in LoggingLevel]: (data: unknown, logger?: string) => void };

export interface LogTarget {
  /** The least severe level to send; undefined sends nothing. Read for each message, since a client may change it. */
  readonly minimum: LoggingLevel | undefined;
  /** Whether the server declared the logging capability. */
  readonly isDeclared: boolean;
  readonly rate: LogRate;
  send(params: JsonObject): void;
}

const WARNING = LOGGING_LEVELS.indexOf("warning");
const NOT_JSON = "(left out: it cannot be written as JSON)";

/** Each function throws `capability-not-supported` on a server that did not declare logging. */
export function createContextLog(target: LogTarget): ContextLog {
  const entries = LOGGING_LEVELS.map((level, severity) => [
    level,
    (data: unknown, logger?: string) => {
      if (!target.isDeclared) throw undeclared();
      if (!isWanted(severity, target.minimum) || !target.rate.admit()) return;
      const copy = copyAsJson(data);
      target.send(logger === undefined ? { level, data: copy } : { level, logger, data: copy });
    },
  ]);
  // `LOGGING_LEVELS` lists every level.
  return Object.fromEntries(entries) as ContextLog;
}

/** Sends one warning with the number of messages that the rate limit dropped. Called before the answer is sent. */
export function logDropped({ minimum, rate, send }: LogTarget): void {
  const dropped = rate.takeDropped();
  if (dropped === 0 || !isWanted(WARNING, minimum)) return;
  send({ level: "warning", data: `${dropped} log messages were left out: at most ${rate.maxPerSecond} per second` });
}

function isWanted(severity: number, minimum: LoggingLevel | undefined): boolean {
  return minimum !== undefined && severity >= LOGGING_LEVELS.indexOf(minimum);
}

/** Never throws. Otherwise the log level of a client would decide whether a handler fails. */
function copyAsJson(data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data, readable) ?? "null");
  } catch {
    return NOT_JSON;
  }
}

/** Converts values that JSON cannot express: errors to name and message, without the stack; bigints to strings. */
function readable(_key: string, value: unknown): unknown {
  if (value instanceof Error) return { name: value.name, message: value.message };
  return typeof value === "bigint" ? String(value) : value;
}

function undeclared(): SdkError {
  return new SdkError(
    "capability-not-supported",
    "A server that logs to its clients must say so: new McpServer({ capabilities: { logging: {} } })",
  );
}
