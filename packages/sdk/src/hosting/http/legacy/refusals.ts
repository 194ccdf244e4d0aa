/** Why a legacy request is turned away, as HTTP statuses and errors in the words clients look for. */
import { limitReached } from "../../../errors/limit-reached.js";
import { unsupportedRevision } from "../../../errors/protocol-error.js";
import { ErrorCode } from "../../../protocol/error-codes.js";
import { isLegacyRevision, isModernRevision, type Revision } from "../../../protocol/revisions.js";
import { limitRefusal } from "../error-status.js";
import { HttpRefusal } from "../http-refusal.js";

/** The phrase at its start is what clients match on. Where the modern era is served, it is that era's error. */
export function unsupportedVersion(given: string, spoken: readonly Revision[]): HttpRefusal {
  const legacy = spoken.filter(isLegacyRevision);
  if (legacy.length === spoken.length) {
    return HttpRefusal.badRequest(`Unsupported protocol version ${given}; sessions here speak ${spoken.join(", ")}`);
  }
  // A modern revision has no GET and no DELETE: to list it would invite the same request again.
  const { code, message, data } = unsupportedRevision(given, isModernRevision(given) ? legacy : spoken);
  return new HttpRefusal(400, { code, message, data });
}

/** Clients take it as the word to open a new session, so it is for sessions alone. */
export function sessionNotFound(): HttpRefusal {
  return new HttpRefusal(404, {
    message: "Session not found: it has ended, or never was; send initialize without Mcp-Session-Id",
  });
}

/** To what had begun. It is not 404, upon which clients send a request again: its handler may have done its work. */
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

/** A 4xx other than 404: the session lives on. */
export function cannotResume(): HttpRefusal {
  return HttpRefusal.badRequest(
    "Last-Event-ID: no stream can be resumed from there; it is over, unknown here, or too long ago",
  );
}

export function storeFailed(): HttpRefusal {
  return new HttpRefusal(500, { code: ErrorCode.internalError, message: "Internal error" });
}

export function tooManySessions(max: number): HttpRefusal {
  return limitRefusal(limitReached("server", `Too many sessions: all ${max} are in use`));
}

export function shuttingDown(): HttpRefusal {
  const message = "The server is shutting down";
  return new HttpRefusal(503, { code: ErrorCode.internalError, message, headers: { connection: "close" } });
}
