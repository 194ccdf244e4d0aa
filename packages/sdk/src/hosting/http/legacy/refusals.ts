/** The refusals of legacy requests: HTTP statuses, and error messages with the phrases that clients match. */
import { limitReached, shuttingDown } from "../../../errors/limit-reached.js";
import { unsupportedRevision } from "../../../errors/protocol-error.js";
import { ErrorCode } from "../../../protocol/error-codes.js";
import { isLegacyRevision, isModernRevision, type Revision } from "../../../protocol/revisions.js";
import { ABORTED_BY_SHUTDOWN, limitRefusal } from "../error-status.js";
import { HttpRefusal } from "../http-refusal.js";

/**
 * Clients match the phrase "Unsupported protocol version". If the server also speaks a modern revision, the body is the modern
 * error with its list of revisions.
 */
export function unsupportedVersion(given: string, spoken: readonly Revision[]): HttpRefusal {
  const legacy = spoken.filter(isLegacyRevision);
  if (legacy.length === spoken.length) {
    return HttpRefusal.badRequest(`Unsupported protocol version ${given}; sessions here speak ${spoken.join(", ")}`);
  }
  // GET and DELETE do not exist in modern revisions. Listing them would make the client send the same request again.
  const { code, message, data } = unsupportedRevision(given, isModernRevision(given) ? legacy : spoken);
  return new HttpRefusal(400, { code, message, data });
}

/** 404 makes clients open a new session, so it is used only for unknown sessions. */
export function sessionNotFound(): HttpRefusal {
  return new HttpRefusal(404, {
    message: "Session not found: it has ended, or never was; send initialize without Mcp-Session-Id",
  });
}

/** Answers requests in progress. Not 404, which makes clients send the request again: its handler may have finished. */
export function sessionEnded(): HttpRefusal {
  const message = "The session ended while this was being served";
  return new HttpRefusal(500, { code: ErrorCode.internalError, message });
}

export function notAcceptable(): HttpRefusal {
  return new HttpRefusal(406, { message: "Not acceptable: the Accept header must list text/event-stream" });
}

export function streamTaken(): HttpRefusal {
  return new HttpRefusal(409, { message: "Conflict: this session has its stream open already; one at a time" });
}

/** Not 404, since the session still exists. */
export function cannotResume(): HttpRefusal {
  return HttpRefusal.badRequest(
    "Last-Event-ID: no stream can be resumed from there; it is over, unknown here, or too long ago",
  );
}

/** 503 with `Retry-After`: the session may still exist, so the client must not open a new one. */
export function storeFailed(): HttpRefusal {
  return limitRefusal(limitReached("server", "A store of the server is not available"));
}

/** An answer to a question of another process, which does not hear its channel now. The client may send the answer again. */
export function askerUnreachable(): HttpRefusal {
  return limitRefusal(limitReached("server", "The process of the server that waits for this answer cannot be reached"));
}

/** Answers of a session that no process waits for, or too many at once. */
export function tooManyAnswers(): HttpRefusal {
  return limitRefusal(limitReached("session", "Too many answers in this session that no process waits for"));
}

export function tooManySessions(max: number): HttpRefusal {
  return limitRefusal(limitReached("server", `Too many sessions: all ${max} are in use`));
}

/** Answers requests that arrive while the server closes. */
export function closingRefusal(): HttpRefusal {
  return limitRefusal(shuttingDown(), { connection: "close" });
}

/** Answers requests in progress at the end of `shutdownGraceMs`, which are aborted. Does not ask to try again: the handler may have finished. */
export function abortedByShutdown(): HttpRefusal {
  const headers = { connection: "close" };
  return new HttpRefusal(503, { code: ErrorCode.internalError, message: ABORTED_BY_SHUTDOWN, headers });
}
