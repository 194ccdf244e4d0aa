/** The HTTP status and headers of an answer. Results and most errors of handlers have status 200. */
import { internalError } from "../../dispatch/base-dispatcher.js";
import { type ReachedLimit, reachedLimitIn } from "../../errors/limit-reached.js";
import { type MissingScopes, neededScopesIn, type ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import type { Revision } from "../../protocol/revisions.js";
import type { ErrorCallback } from "../../runtime/error-callback.js";
import type { Caller } from "../../transport/caller.js";
import type { JsonRpcAnswer, JsonRpcError, JsonRpcRequest, RequestId } from "../../wire/json-rpc.js";
import { serializeJson } from "../../wire/json-text.js";
import type { HttpBody, HttpHeaders, HttpResponse } from "./http-host.js";
import { HttpRefusal } from "./http-refusal.js";
import { JSON_HEADERS } from "./media-types.js";
import { findEnvelopeFault } from "./request-headers.js";

const FORBIDDEN = 403;

/** The message of error -32603 for a request that was in progress at the end of `shutdownGraceMs`. */
export const ABORTED_BY_SHUTDOWN = "The server shut down while this was being served; it may or may not have been done";

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
  const refused = refusedStatus(answer);
  if (refused) return refused;
  // An invalid envelope and an invalid argument both have -32602. The specification fixes the status of the first only.
  if (code === ErrorCode.invalidParams) return findEnvelopeFault(params, revisions) ? 400 : 200;
  return statuses.get(code) ?? 200;
}

/**
 * Sends an answer as plain JSON. The scope challenge comes from the application and may be an invalid header. In that case
 * the client is answered 500, and the error is reported.
 */
export function sendAnswer(
  response: HttpResponse,
  status: number,
  answer: JsonRpcAnswer,
  body: HttpBody,
  caller: Caller | undefined,
  report: ErrorCallback,
): void {
  try {
    response.send(status, headersOf(answer, caller), body);
  } catch (cause) {
    report(new SdkError("handler-failed", "The answer could not be sent; the client was answered 500", { cause }));
    response.send(500, JSON_HEADERS, serializeJson(internalError(answer.id)));
  }
}

/** Sends an error answer as plain JSON, and reports it if it refuses the request. */
export function sendErrorAnswer(
  response: HttpResponse,
  answer: JsonRpcError,
  body: HttpBody,
  caller: Caller | undefined,
  report: ErrorCallback,
): void {
  response.refused?.(answer);
  sendAnswer(response, refusedStatus(answer) ?? 200, answer, body, caller, report);
}

/** Sends a refusal. Its body names the request, if its id is known. */
export function sendRefusal(
  response: HttpResponse,
  { status, headers, error }: HttpRefusal,
  id: RequestId | undefined,
): void {
  if (error === undefined) response.send(status, headers);
  else response.send(status, { ...JSON_HEADERS, ...headers }, JSON.stringify({ jsonrpc: "2.0", id, error }));
}

/** The headers of an answer in plain JSON: with `Retry-After` for a limit, with `WWW-Authenticate` for missing scopes. */
export function headersOf(answer: JsonRpcAnswer, caller: Caller | undefined): HttpHeaders {
  if (!("error" in answer)) return JSON_HEADERS;
  const scopes = neededScopesIn(answer.error);
  if (scopes) return challengeHeaders(scopes, caller);
  const reached = reachedLimitIn(answer.error);
  return reached ? limitHeaders(reached) : JSON_HEADERS;
}

/** The status of an answer that a limit or a missing scope refused; undefined for any other answer. */
export function refusedStatus(answer: JsonRpcAnswer): number | undefined {
  if (!("error" in answer)) return undefined;
  if (neededScopesIn(answer.error)) return FORBIDDEN;
  const reached = reachedLimitIn(answer.error);
  return reached && limitStatus(reached);
}

/** The refusal of a message whose caller lacks scopes, before the message is handled. */
export function scopeRefusal({ code, message, data }: ProtocolError, caller: Caller): HttpRefusal {
  // `insufficientScope` sets all members of `data`.
  const { scopes } = data as MissingScopes;
  return new HttpRefusal(FORBIDDEN, { code, message, data, headers: challengeHeaders(scopes, caller) });
}

function challengeHeaders(scopes: readonly string[], caller: Caller | undefined): HttpHeaders {
  const challenge = caller?.scopeChallenge?.(scopes);
  return challenge === undefined ? JSON_HEADERS : { ...JSON_HEADERS, "www-authenticate": challenge };
}

/** The refusal of an HTTP request that exceeds a limit. */
export function limitRefusal({ code, message, data }: ProtocolError, more?: HttpHeaders): HttpRefusal {
  // `limitReached` sets all members of `data`.
  const reached = data as ReachedLimit;
  return new HttpRefusal(limitStatus(reached), { code, message, data, headers: { ...limitHeaders(reached), ...more } });
}

/** 503 for a limit of the whole server, 429 for a limit of one client. */
function limitStatus({ limit }: ReachedLimit): number {
  return limit === "server" ? 503 : 429;
}

function limitHeaders({ retryAfterMs }: ReachedLimit): HttpHeaders {
  if (retryAfterMs === undefined) return JSON_HEADERS;
  return { ...JSON_HEADERS, "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
}
