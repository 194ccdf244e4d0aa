/** The error for a request that a limit refuses. */
import { ErrorCode } from "../protocol/error-codes.js";
import { isJsonObject } from "../runtime/json.js";
import type { LimitLevel } from "../runtime/quota.js";
import type { WireError } from "./error-mapping.js";
import { ProtocolError } from "./protocol-error.js";

/** The `data` of such an error. */
export interface ReachedLimit {
  /** The narrowest level that has no room. */
  readonly limit: LimitLevel;
  /** The time after which to try again; absent if waiting does not help. */
  readonly retryAfterMs?: number;
}

const RETRY_AFTER_MS = 1_000;
const LEVELS: ReadonlySet<unknown> = new Set<LimitLevel>(["connection", "session", "address", "principal", "server"]);

/** The error if the limit has room again later. */
export function limitReached(limit: LimitLevel, message: string, retryAfterMs: number = RETRY_AFTER_MS): ProtocolError {
  const data: ReachedLimit = { limit, retryAfterMs };
  return new ProtocolError(ErrorCode.tooManyRequests, `${message}; try again later`, { data });
}

/** The error for a request that a closing server refuses. The server has not served it. */
export function shuttingDown(): ProtocolError {
  return limitReached("server", "The server is shutting down");
}

/** The error if the limit has room only after the peer releases something. */
export function limitHeld(limit: LimitLevel, message: string): ProtocolError {
  const data: ReachedLimit = { limit };
  return new ProtocolError(ErrorCode.tooManyRequests, message, { data });
}

/** Whether an error says that the same call works later, as that of a store that cannot be reached. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ProtocolError && reachedLimitIn(error)?.retryAfterMs !== undefined;
}

/** The limit that an error of an answer tells of, if it does. A peer may have sent any time. */
export function reachedLimitIn({ code, data }: WireError): ReachedLimit | undefined {
  if (code !== ErrorCode.tooManyRequests || !isJsonObject(data) || !LEVELS.has(data.limit)) return undefined;
  const limit = data.limit as LimitLevel;
  const { retryAfterMs } = data;
  return typeof retryAfterMs === "number" && retryAfterMs >= 0 ? { limit, retryAfterMs } : { limit };
}
