/** The HTTP status and headers of an answer. Errors that handlers mean for their caller travel with 200, as results do. */
import { type ReachedLimit, reachedLimitIn } from "../../errors/limit-reached.js";
import type { ProtocolError } from "../../errors/protocol-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import type { Revision } from "../../protocol/revisions.js";
import type { JsonRpcAnswer, JsonRpcRequest } from "../../wire/json-rpc.js";
import type { Headers } from "./http-exchange.js";
import { HttpRefusal } from "./http-refusal.js";
import { JSON_HEADERS } from "./media-types.js";
import { findEnvelopeFault } from "./request-headers.js";

const statuses: ReadonlyMap<number, number> = new Map([
  [ErrorCode.parseError, 400],
  [ErrorCode.invalidRequest, 400],
  [ErrorCode.methodNotFound, 404],
  [ErrorCode.headerMismatch, 400],
  [ErrorCode.missingClientCapability, 400],
  [ErrorCode.unsupportedRevision, 400],
]);

export function statusOf(answer: JsonRpcAnswer, { params }: JsonRpcRequest, revisions: readonly Revision[]): number {
  if (!("error" in answer)) return 200;
  const { code } = answer.error;
  const reached = reachedLimitIn(answer.error);
  if (reached) return limitStatus(reached);
  // -32602 is what a malformed envelope and a malformed argument have in common; the specification fixes the first alone.
  if (code === ErrorCode.invalidParams) return findEnvelopeFault(params, revisions) ? 400 : 200;
  return statuses.get(code) ?? 200;
}

/** The headers of an answer in plain JSON: one that a limit refused says when to try again. */
export function headersOf(answer: JsonRpcAnswer): Headers {
  const reached = "error" in answer ? reachedLimitIn(answer.error) : undefined;
  return reached ? limitHeaders(reached) : JSON_HEADERS;
}

/** The status of an answer that a limit refused; undefined for every other. */
export function refusedStatus(answer: JsonRpcAnswer): number | undefined {
  const reached = "error" in answer ? reachedLimitIn(answer.error) : undefined;
  return reached && limitStatus(reached);
}

/** A refusal for what a limit refuses before it is a request. */
export function limitRefusal({ code, message, data }: ProtocolError): HttpRefusal {
  // Its makers fill in all of it.
  const reached = data as ReachedLimit;
  return new HttpRefusal(limitStatus(reached), { code, message, data }, limitHeaders(reached));
}

/** One client does too much, or all of them together do. */
function limitStatus({ limit }: ReachedLimit): number {
  return limit === "server" ? 503 : 429;
}

function limitHeaders({ retryAfterMs }: ReachedLimit): Headers {
  if (retryAfterMs === undefined) return JSON_HEADERS;
  return { ...JSON_HEADERS, "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
}
