/** Options of one call, and the step that writes `meta` and `logLevel` into the `_meta` of its params. */
import type { RequestOptions } from "../dispatch/dispatcher.js";
import { warnDeprecated } from "../protocol/deprecations.js";
import type { LoggingLevel } from "../protocol/logging.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { eraOf } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import type { CallStep, ClientCall, SendCall } from "./client-call.js";
import type { Negotiated } from "./negotiation.js";

/** Options of one request. */
export interface ClientRequestOptions extends RequestOptions {
  /** Ask the server even if the client's cache holds a fresh result. The client caches the answer as usual. @defaultValue false */
  readonly fresh?: boolean;
  /**
   * Modern only: send the request again, once and under a new id, if the connection ends in the middle of its response. The
   * server may have served the first request.
   * @defaultValue true for lists, reads, prompts and completions, and for listed tools that are annotated as read-only or
   * idempotent
   */
  readonly reissue?: boolean;
}

/** Options of one call, including additional `_meta` keys. */
export interface CallOptions extends ClientRequestOptions {
  /** Keys to add to the `_meta` of the request. @defaultValue none */
  readonly meta?: JsonObject;
  /**
   * Modern only: the least severe log messages that the server may send while it serves this request.
   * @defaultValue none: the server sends no log messages
   * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
   */
  readonly logLevel?: LoggingLevel;
}

/** Options of a call that fetches one page of a list. */
export interface ListOptions extends CallOptions {
  /** The `nextCursor` of the page before. @defaultValue none: the first page */
  readonly cursor?: string;
}

export function addMeta(connection: Negotiated): CallStep {
  return (call, next) => {
    const { meta, logLevel } = call.options;
    return meta === undefined && logLevel === undefined ? next(call) : sendWithMeta(connection, call, next);
  };
}

async function sendWithMeta(
  { negotiated }: Negotiated,
  { method, params, options }: ClientCall,
  next: SendCall,
): Promise<JsonObject> {
  const { meta, logLevel, ...rest } = options;
  if (logLevel) warnDeprecated("LOGGING");
  const isModern = eraOf(negotiated.revision) === "modern";
  const given = logLevel && isModern ? { ...meta, [MetaKey.logLevel]: logLevel } : meta;
  return next({
    method,
    params: given ? { ...params, _meta: { ...(params._meta as JsonObject | undefined), ...given } } : params,
    options: rest,
  });
}
