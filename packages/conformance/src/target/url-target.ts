/** A server behind a URL. Modern conversations are independent POSTs; legacy ones carry the id of their session. */
import type { Revision } from "parley-requirements";
import type { StreamEvent } from "../wire/event-stream.js";
import {
  exchangeHttp,
  type HttpExchangeRequest,
  type HttpOutcome,
  isEventStream,
  type Limits,
  mediaType,
  type ReadOptions,
} from "../wire/http-exchange.js";
import { isObject, isResponse, type JsonObject, messagesOf, parseJson } from "../wire/json-rpc.js";
import { type Answer, impossible, NO_ANSWER, NO_END, TOO_LARGE } from "./answer.js";
import { initializeParams, isModern, mirrorHeaders, withMeta, withoutUndefined } from "./envelope.js";
import type { AskOptions, OpenOptions, Peer, Target } from "./target.js";

/** One bounded exchange. The recorder wraps it, and `replay` replaces it. */
export type ExchangeHttp = (call: HttpExchangeRequest, options: ReadOptions) => Promise<HttpOutcome>;

export interface HttpTargetOptions {
  readonly url: string;
  readonly exchange: ExchangeHttp;
  /** Headers of every request, such as Authorization. */
  readonly headers: Readonly<Record<string, string>>;
}

export class UrlTarget implements Target {
  readonly kind = "http";
  readonly name: string;
  readonly #options: HttpTargetOptions;

  constructor(options: HttpTargetOptions) {
    this.name = options.url;
    this.#options = options;
  }

  async open(revision: Revision, { handshake = true, initialize }: OpenOptions = {}): Promise<Peer> {
    const peer = new HttpPeer(revision, this.#options);
    if (!isModern(revision) && handshake) await peer.shakeHands(initialize ?? initializeParams(revision));
    return peer;
  }
}

/** Binds an exchange to a way of sending and its limits. */
export function boundExchange(send: Parameters<typeof exchangeHttp>[0], limits: Limits): ExchangeHttp {
  return (call, options) => exchangeHttp(send, call, limits, options);
}

class HttpPeer implements Peer {
  readonly kind = "http";
  readonly revision: Revision;
  opening: Answer | undefined;
  sessionId: string | undefined;
  isOver = false;
  readonly #options: HttpTargetOptions;
  #lastId = 0;

  constructor(revision: Revision, options: HttpTargetOptions) {
    this.revision = revision;
    this.#options = options;
  }

  async shakeHands(params: JsonObject): Promise<void> {
    const opening = await this.request("initialize", params, { headers: { "MCP-Protocol-Version": undefined } });
    this.opening = opening;
    this.sessionId = opening.http?.headers["mcp-session-id"];
    if (isObject(opening.response?.result)) await this.notify("notifications/initialized");
  }

  request(method: string, params: JsonObject = {}, options: AskOptions = {}): Promise<Answer> {
    this.#lastId += 1;
    const id = "id" in options ? options.id : this.#lastId;
    const message = { jsonrpc: "2.0", id, method, params: withMeta(this.revision, params, options) };
    return this.#post(JSON.stringify(message), message, options);
  }

  notify(method: string, params: JsonObject = {}, options: AskOptions = {}): Promise<Answer> {
    const hasParams = Object.keys(params).length > 0;
    const message = { jsonrpc: "2.0", method, ...(hasParams ? { params } : {}) };
    return this.#post(JSON.stringify(message), message, options);
  }

  respond(response: JsonObject): Promise<Answer> {
    return this.#post(JSON.stringify(response), response, {});
  }

  send(text: string, options: AskOptions = {}): Promise<Answer> {
    const message = parseJson(text);
    return this.#post(text, isObject(message) ? message : undefined, options);
  }

  async http(call: Partial<HttpExchangeRequest>, options: AskOptions = {}): Promise<Answer> {
    const headers = withoutUndefined({
      ...this.#options.headers,
      ...this.#conversationHeaders({}),
      ...call.headers,
      ...options.headers,
    });
    return this.#exchange({ verb: "GET", ...call, headers }, undefined, options);
  }

  hangUp(): Promise<Answer> {
    return Promise.resolve(impossible("HTTP has no input to end"));
  }

  async close(): Promise<void> {
    if (this.sessionId !== undefined && !this.isOver) await this.http({ verb: "DELETE" });
    this.isOver = true;
  }

  #conversationHeaders(message: JsonObject): Record<string, string> {
    if (isModern(this.revision)) return mirrorHeaders(this.revision, message);
    const headers: Record<string, string> = {};
    if (this.revision >= "2025-06-18") headers["MCP-Protocol-Version"] = this.revision;
    if (this.sessionId !== undefined) headers["Mcp-Session-Id"] = this.sessionId;
    return headers;
  }

  #post(body: string, message: JsonObject | undefined, options: AskOptions): Promise<Answer> {
    const headers = withoutUndefined({
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...this.#options.headers,
      ...this.#conversationHeaders(message ?? {}),
      ...options.headers,
    });
    return this.#exchange({ verb: "POST", headers, body }, message, options);
  }

  async #exchange(call: HttpExchangeRequest, message: JsonObject | undefined, options: AskOptions): Promise<Answer> {
    const until = options.until ?? isResponse;
    const isLast = (event: StreamEvent) => messagesOf(parseJson(event.data)).some(until);
    const { stop, timeoutMs } = options;
    const outcome = await this.#options.exchange(call, withoutUndefined({ isLast, stop, timeoutMs }) as ReadOptions);
    return exchangedAnswer(call, message, outcome);
  }
}

/** The answer that the reply to one request holds. */
export function exchangedAnswer(
  call: HttpExchangeRequest,
  request: JsonObject | undefined,
  outcome: HttpOutcome,
): Answer {
  const { status, headers, text, events, ending } = outcome;
  const isStream = isEventStream(headers);
  // The endpoint event of HTTP+SSE holds a URI and no message.
  const told = events.filter(({ event, data }) => event !== "endpoint" && data !== "");
  const texts = isStream ? told.map(({ data }) => data) : [text];
  // A document at another path is no message.
  const isJson = call.path === undefined && (isStream || mediaType(headers) === "application/json");
  const values = isJson ? texts.map((piece) => ({ piece, value: parseJson(piece) })) : [];
  const messages = values.filter(({ value }) => value !== undefined).flatMap(({ value }) => messagesOf(value));
  const garbage = values.filter(({ piece, value }) => value === undefined && piece !== "").map(({ piece }) => piece);
  return {
    request,
    sent: [`${call.verb} ${call.path ?? ""}`.trim(), headerLines(call.headers), "", call.body ?? ""].join("\n").trim(),
    received: status === undefined ? "" : [`HTTP ${status}`, headerLines(headers), "", text].join("\n").trim(),
    messages,
    garbage,
    response: messages.find(isResponse),
    problem: problemOf(outcome),
    http: status === undefined ? undefined : { verb: call.verb, status, headers, body: text, events, ending },
  };
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

export function problemOf({ status, ending, reason }: HttpOutcome): string | undefined {
  if (ending === "timeout") return status === undefined ? NO_ANSWER : NO_END;
  if (ending === "too-large") return TOO_LARGE;
  if (ending === "broken") return `the connection broke: ${reason}`;
  return undefined;
}
