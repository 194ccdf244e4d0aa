/**
 * Repeats a poll that does not reach the server. A task outlives the process that runs it, so a client follows it across a restart of
 * the server.
 */

import { reachedLimitIn } from "../../errors/limit-reached.js";
import { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { type Backoff, backoffMs } from "../../runtime/backoff.js";
import { waitMs } from "../../runtime/timers.js";
import { HttpError } from "../../transport/http/http-error.js";

const DELAYS: Backoff = { initialDelayMs: 500, maxDelayMs: 15_000 };
/** Two minutes of delays. */
const MAX_RETRIES = 12;
/** Statuses of a server that restarts, and of a proxy in front of it. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Sends a poll until the server answers it. Rejects with the last error, or with the reason of the signal. */
export async function repeatPoll<Answer>(poll: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await poll();
    } catch (error) {
      const leastMs = attempt < MAX_RETRIES ? temporaryFor(error) : undefined;
      if (leastMs === undefined) throw error;
      await waitMs(Math.max(Math.min(leastMs, DELAYS.maxDelayMs), backoffMs(attempt, DELAYS)), signal);
      signal.throwIfAborted();
    }
  }
}

/** Milliseconds that the server asks to wait, or 0. Undefined for an error that another poll would repeat. */
function temporaryFor(error: unknown): number | undefined {
  if (error instanceof ProtocolError) return error.isReceived ? reachedLimitIn(error)?.retryAfterMs : undefined;
  if (error instanceof HttpError) return TEMPORARY.has(error.status) ? (error.retryAfterMs ?? 0) : undefined;
  // Without a cause it was the client itself that closed the connection.
  const isUnreachable = error instanceof SdkError && error.code === "connection-closed" && error.cause !== undefined;
  return isUnreachable ? 0 : undefined;
}
