/**
 * A server of HTTP+SSE, the transport of 2024-11-05: a GET opens the stream, whose `endpoint` event says where to post messages.
 * Answers are events of the stream. An answer's `http` is the POST of its message, with the events that came meanwhile.
 */
import type { Revision } from "parley-requirements";
import type { StreamEvent } from "../wire/event-stream.js";
import type { HttpExchangeRequest, HttpOutcome, Limits } from "../wire/http-exchange.js";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";
import { type Answer, impossible } from "./answer.js";
import { initializeParams, withMeta, withoutUndefined } from "./envelope.js";
import { answerFrom, isAnswerTo, PendingAsks } from "./pending-asks.js";
import type { AskOptions, OpenOptions, Peer, Target } from "./target.js";
import { exchangedAnswer, type HttpTargetOptions, problemOf } from "./url-target.js";

/** How long one stream is read. A run ends earlier. */
const MAX_STREAM_MS = 60 * 60 * 1000;

export class SseTarget implements Target {
  readonly kind = "sse";
  readonly name: string;
  readonly #options: HttpTargetOptions;
  readonly #limits: Limits;

  constructor(options: HttpTargetOptions, limits: Limits) {
    this.name = options.url;
    this.#options = options;
    this.#limits = limits;
  }

  async open(revision: Revision, { handshake = true, initialize }: OpenOptions = {}): Promise<Peer> {
    const peer = new SsePeer(revision, this.#options, this.#limits);
    await peer.connect();
    if (handshake) await peer.shakeHands(initialize ?? initializeParams(revision));
    return peer;
  }
}

/** Whether a GET opens a stream with an `endpoint` event. */
export async function servesSse({ exchange, headers }: HttpTargetOptions): Promise<boolean> {
  const call = { verb: "GET", headers: { Accept: "text/event-stream", ...headers } };
  const { events } = await exchange(call, { isLast: ({ event }) => event === "endpoint" });
  return events.some(({ event }) => event === "endpoint");
}

class SsePeer implements Peer {
  readonly kind = "sse";
  readonly revision: Revision;
  readonly sessionId = undefined;
  opening: Answer | undefined;
  isOver = false;
  readonly #options: HttpTargetOptions;
  readonly #limits: Limits;
  readonly #asks: PendingAsks<StreamEvent>;
  readonly #stop = new AbortController();
  /** Path and query of the messages' endpoint. */
  #endpoint: string | undefined;
  #end = "the stream has ended";
  #lastId = 0;

  constructor(revision: Revision, options: HttpTargetOptions, limits: Limits) {
    this.revision = revision;
    this.#options = options;
    this.#limits = limits;
    this.#asks = new PendingAsks(limits, ({ data }) => data);
  }

  /** Opens the stream and waits for its endpoint, its end, or the time limit. */
  async connect(): Promise<void> {
    const call = { verb: "GET", headers: { Accept: "text/event-stream", ...this.#options.headers } };
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#limits.timeoutMs);
      const settle = () => {
        clearTimeout(timer);
        resolve();
      };
      const onEvent = (event: StreamEvent) => {
        if (event.event === "endpoint") {
          this.#endpoint ??= pathOf(event.data, this.#options.url);
          settle();
        } else if (event.event === "message" || parseJson(event.data) !== undefined) this.#asks.receive(event);
      };
      const stream = this.#options.exchange(call, { onEvent, stop: this.#stop.signal, timeoutMs: MAX_STREAM_MS });
      void stream.then((outcome) => {
        this.#finish(outcome);
        settle();
      });
    });
    if (this.#endpoint === undefined) await this.close();
  }

  async shakeHands(params: JsonObject): Promise<void> {
    this.opening = await this.request("initialize", params);
    if (isObject(this.opening.response?.result)) await this.notify("notifications/initialized");
  }

  request(method: string, params: JsonObject = {}, options: AskOptions = {}): Promise<Answer> {
    this.#lastId += 1;
    const id = "id" in options ? options.id : this.#lastId;
    const message = { jsonrpc: "2.0", id, method, params: withMeta(this.revision, params, options) };
    return this.#ask(JSON.stringify(message), message, options);
  }

  async notify(method: string, params: JsonObject = {}, options: AskOptions = {}): Promise<Answer> {
    const hasParams = Object.keys(params).length > 0;
    const message = { jsonrpc: "2.0", method, ...(hasParams ? { params } : {}) };
    return this.respond(message, options);
  }

  async respond(message: JsonObject, options: AskOptions = {}): Promise<Answer> {
    const body = JSON.stringify(message);
    if (this.isOver) return { ...impossible(this.#end), request: message, sent: body };
    const call = this.#postOf(body, options);
    return exchangedAnswer(call, message, await this.#options.exchange(call, {}));
  }

  send(text: string, options: AskOptions = {}): Promise<Answer> {
    const message = parseJson(text);
    return this.#ask(text, isObject(message) ? message : undefined, options);
  }

  async http(call: Partial<HttpExchangeRequest>, options: AskOptions = {}): Promise<Answer> {
    const { until = () => true, stop, timeoutMs } = options;
    const headers = withoutUndefined({ ...this.#options.headers, ...call.headers, ...options.headers });
    const whole = { verb: "GET", ...(call.verb === "POST" ? this.#place() : {}), ...call, headers };
    const isLast = ({ data }: StreamEvent) => until(parseJson(data));
    return exchangedAnswer(
      whole,
      undefined,
      await this.#options.exchange(whole, withoutUndefined({ isLast, stop, timeoutMs })),
    );
  }

  hangUp(): Promise<Answer> {
    return Promise.resolve(impossible("HTTP has no input to end"));
  }

  async close(): Promise<void> {
    this.isOver = true;
    this.#stop.abort();
  }

  async #ask(text: string, message: JsonObject | undefined, options: AskOptions): Promise<Answer> {
    if (this.isOver) return { ...impossible(this.#end), request: message, sent: text };
    const id = "id" in options ? options.id : message?.id;
    const { heard, settle } = this.#asks.wait(options.until ?? isAnswerTo(id), options);
    const call = this.#postOf(text, options);
    const outcome = await this.#options.exchange(call, {});
    // A message that was refused has no answer on the stream.
    if ((outcome.status ?? 500) >= 400) settle(problemOf(outcome));
    const { pieces, problem } = await heard;
    const posted = exchangedAnswer(call, message, outcome);
    const refusals = (outcome.status ?? 0) >= 400 && parseJson(outcome.text) !== undefined ? [outcome.text] : [];
    const texts = [...pieces.map(({ data }) => data), ...refusals];
    return {
      ...answerFrom(posted.sent, message, texts, problem),
      received: [posted.received, ...pieces.map(({ event, data }) => `event: ${event}\ndata: ${data}`)].join("\n"),
      http: posted.http && { ...posted.http, events: pieces },
    };
  }

  #place(): { path?: string } {
    return this.#endpoint === undefined ? {} : { path: this.#endpoint };
  }

  #postOf(body: string, options: AskOptions): HttpExchangeRequest {
    const headers = { "Content-Type": "application/json", ...this.#options.headers, ...options.headers };
    return { verb: "POST", headers: withoutUndefined(headers), body, ...this.#place() };
  }

  #finish(outcome: HttpOutcome): void {
    this.isOver = true;
    this.#end = problemOf(outcome) ?? `the stream has ended after HTTP ${outcome.status}`;
    this.#asks.finish(this.#end);
  }
}

/** Where to post, at the origin of the target: no other host is ever posted to. */
function pathOf(endpoint: string, url: string): string | undefined {
  if (!URL.canParse(endpoint, url)) return undefined;
  const { pathname, search } = new URL(endpoint, url);
  return pathname + search;
}
