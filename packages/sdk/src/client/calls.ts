/** The client's own calls: what goes into their `_meta`, and the rounds that a server may ask for before it answers. */
import type { InputRequest } from "../protocol/input-required.js";
import type { JsonObject } from "../protocol/json.js";
import type { LoggingLevel } from "../protocol/logging.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { eraOf } from "../protocol/revisions.js";
import type { InputContext } from "./input-handlers.js";
import { runRounds } from "./input-rounds.js";
import type { FetchOptions, OpenConnection } from "./open-connection.js";

/** Options of one request, with `_meta` keys of the caller's own. */
export interface CallOptions extends FetchOptions {
  readonly meta?: JsonObject;
  /**
   * Modern only: the least severe log messages that the server may send while it serves this request.
   * @deprecated since 2026-07-28, like logging itself.
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

/** One request. The open connection has checked its result against the method's shape, which is what `Result` says. */
export async function call<Result>(
  connection: OpenConnection,
  method: string,
  params: JsonObject,
  { meta, logLevel, ...options }: CallOptions,
): Promise<Result> {
  const isModern = eraOf(connection.verdict.revision) === "modern";
  const given = logLevel && isModern ? { ...meta, [MetaKey.logLevel]: logLevel } : meta;
  return (await connection.request(method, given ? { ...params, _meta: given } : params, options)) as Result;
}

/** A call whose server may ask before it answers. Each round is a request of its own, under an id of its own. */
export async function callInRounds<Result>(
  connection: OpenConnection,
  method: string,
  params: JsonObject,
  { id, ...rest }: CallOptions,
  rounds: { readonly answer: Answer; readonly maxRounds: number },
): Promise<Result> {
  const first = id === undefined ? rest : { ...rest, id };
  const send = (given: JsonObject, round: number) =>
    call<JsonObject>(connection, method, given, round === 0 ? first : rest);
  const context: InputContext = { signal: rest.signal, revision: connection.verdict.revision };
  const answer = (request: InputRequest) => rounds.answer(request, context);
  return (await runRounds(method, params, send, {
    answer,
    maxRounds: rounds.maxRounds,
    signal: rest.signal,
  })) as Result;
}
