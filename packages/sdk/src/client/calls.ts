/** The client's own calls: what goes into their `_meta`, and the rounds that a server may ask for before it answers. */
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
   * @deprecated since 2026-07-28, like logging itself.
   */
  readonly logLevel?: LoggingLevel;
}

/** Which page of a list to fetch. */
export interface ListOptions extends CallOptions {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** Sends the request of one round, perhaps more than once. */
export type SendRound = (
  send: (options: CallOptions) => Promise<JsonObject>,
  options: CallOptions,
) => Promise<JsonObject>;

/** Answers one question of the server. */
export type Answer = (request: InputRequest, context: InputContext) => Promise<JsonObject>;

/** One request. The connection has checked its result against the method's shape, which is what `Result` says. */
export async function call<Result>(
  link: Pick<Link, "request" | "verdict">,
  method: string,
  params: JsonObject,
  { meta, logLevel, ...options }: CallOptions,
): Promise<Result> {
  const isModern = eraOf(link.verdict.revision) === "modern";
  const given = logLevel && isModern ? { ...meta, [MetaKey.logLevel]: logLevel } : meta;
  return (await link.request(method, given ? { ...params, _meta: given } : params, options)) as Result;
}

/** A call whose server may ask before it answers. Each round is a request of its own, under an id of its own. */
export async function callInRounds<Result>(
  link: Pick<Link, "request" | "verdict">,
  method: string,
  params: JsonObject,
  { id, ...rest }: CallOptions,
  rounds: { readonly answer: Answer; readonly maxRounds: number; readonly sendRound?: SendRound | undefined },
): Promise<Result> {
  const first = id === undefined ? rest : { ...rest, id };
  const { sendRound = sendOnce } = rounds;
  const send = (given: JsonObject, round: number) =>
    sendRound((options) => call<JsonObject>(link, method, given, options), round === 0 ? first : rest);
  const context: InputContext = { signal: rest.signal, revision: link.verdict.revision };
  const answer = (request: InputRequest) => rounds.answer(request, context);
  return (await runRounds(method, params, send, {
    answer,
    maxRounds: rounds.maxRounds,
    signal: rest.signal,
  })) as Result;
}

const sendOnce: SendRound = (send, options) => send(options);
