/** The client's own calls: what goes into their `_meta`, and the rounds that a server may ask for before it answers. */
import { warnDeprecated } from "../protocol/deprecations.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { JsonObject } from "../protocol/json.js";
import type { LoggingLevel } from "../protocol/logging.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { eraOf } from "../protocol/revisions.js";
import type { InputContext } from "./input-handlers.js";
import { runRounds } from "./input-rounds.js";
import type { Link } from "./link.js";
import type { FetchOptions } from "./open-connection.js";

/** Options of one request, with `_meta` keys of the caller's own. */
export interface CallOptions extends FetchOptions {
  readonly meta?: JsonObject;
  /**
   * Modern only: the least severe log messages that the server may send while it serves this request.
   * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
   */
  readonly logLevel?: LoggingLevel;
}

/** Which page of a list to fetch. */
export interface ListOptions extends CallOptions {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** Answers one question of the server. */
export type Answer = (request: InputRequest, context: InputContext) => Promise<JsonObject>;

/** What calls need of the client's requests. */
export type Requests = Pick<Link, "request" | "verdict">;

/** One request. The connection has checked its result against the method's shape, which is what `Result` says. */
export function call<Result>(
  link: Requests,
  method: string,
  params: JsonObject,
  options: CallOptions,
): Promise<Result> {
  const hasMeta = options.meta !== undefined || options.logLevel !== undefined;
  return (
    hasMeta ? callWithMeta(link, method, params, options) : link.request(method, params, options)
  ) as Promise<Result>;
}

async function callWithMeta(
  link: Requests,
  method: string,
  params: JsonObject,
  { meta, logLevel, ...options }: CallOptions,
): Promise<JsonObject> {
  if (logLevel) warnDeprecated("LOGGING");
  const isModern = eraOf(link.verdict.revision) === "modern";
  const given = logLevel && isModern ? { ...meta, [MetaKey.logLevel]: logLevel } : meta;
  return link.request(method, given ? { ...params, _meta: given } : params, options);
}

/** A call whose server may ask before it answers. Each round is a request of its own, under an id of its own. */
export function callInRounds<Result>(
  link: Requests,
  method: string,
  params: JsonObject,
  options: CallOptions,
  rounds: {
    readonly answer: Answer;
    readonly maxRounds: number;
    readonly maxRequests: number;
  },
): Promise<Result> {
  const { maxRounds, maxRequests } = rounds;
  const { signal } = options;
  const context: InputContext = { signal, revision: link.verdict.revision };
  const send = (given: JsonObject, round: number) =>
    call<JsonObject>(link, method, given, round === 0 ? options : withoutId(options));
  const answer = (request: InputRequest) => rounds.answer(request, context);
  return runRounds(method, params, send, { answer, maxRounds, maxRequests, signal }) as Promise<Result>;
}

function withoutId({ id: _used, ...options }: CallOptions): CallOptions {
  return options;
}
