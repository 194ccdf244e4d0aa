/** Log messages of a handler, sent to the client that asked for them while its request lasts. */
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
  /** The least severe level that goes out; undefined sends nothing. Looked at for each message: it may change. */
  readonly minimum: LoggingLevel | undefined;
  /** Whether the server declared that it logs. */
  readonly isDeclared: boolean;
  readonly rate: LogRate;
  send(params: JsonObject): void;
}

const WARNING = LOGGING_LEVELS.indexOf("warning");
const NOT_JSON = "(left out: it cannot be written as JSON)";

/** @throws {SdkError} `capability-not-supported`, from each function, on a server that did not declare logging. */
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
  // Every level has its function.
  return Object.fromEntries(entries) as ContextLog;
}

/** Says once how many messages of a request were left out, before the request ends. */
export function tellDropped({ minimum, rate, send }: LogTarget): void {
  const dropped = rate.takeDropped();
  if (dropped === 0 || !isWanted(WARNING, minimum)) return;
  send({ level: "warning", data: `${dropped} log messages were left out: at most ${rate.maxPerSecond} per second` });
}

function isWanted(severity: number, minimum: LoggingLevel | undefined): boolean {
  return minimum !== undefined && severity >= LOGGING_LEVELS.indexOf(minimum);
}

/** Never throws: the level that a client asks for must not decide whether a handler fails. */
function copyAsJson(data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data, readable) ?? "null");
  } catch {
    return NOT_JSON;
  }
}

/** What JSON would lose: an error's name and message (its stack is not for clients), and large integers. */
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
