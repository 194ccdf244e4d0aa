/**
 * One modern request and its response: a JSON body, or an event stream from the moment something is sent before the
 * answer. Nothing of it is shared with other requests, so equal ids in parallel are no concern.
 */
import type { Receiver } from "../../dispatch/dispatcher.js";
import { closedWhileServing, internalError } from "../../dispatch/exchange.js";
import type { PendingParent } from "../../dispatch/pending-request.js";
import type { RequestLimits, RequestLoad } from "../../dispatch/request-limits.js";
import type { ServingHost } from "../../dispatch/served-request.js";
import { errorAnswer, type Outcomes, ServedRequests } from "../../dispatch/served-requests.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import type { JsonObject } from "../../protocol/json.js";
import type { Revision } from "../../protocol/revisions.js";
import type { ErrorCallback } from "../../runtime/error-callback.js";
import { timerMs } from "../../runtime/timers.js";
import type { Caller } from "../../transport/caller.js";
import type { JsonRpcAnswer, JsonRpcRequest } from "../../wire/json-rpc.js";
import { serializeJson } from "../../wire/json-text.js";
import { messageText } from "../../wire/lasting-json.js";
import { encodeEvent, SSE_KEEP_ALIVE } from "../../wire/sse-encoder.js";
import { headersOf, statusOf } from "./error-status.js";
import type { Body, EventSink, Headers, HttpRequest, HttpResponse } from "./http-exchange.js";

/** What the exchanges of one endpoint have in common. */
export interface ExchangeHost {
  readonly receiver: Receiver;
  readonly revisions: readonly Revision[];
  readonly report: ErrorCallback;
  readonly keepAliveMs: number;
  readonly limits: RequestLimits;
  ended(exchange: ModernExchange): void;
}

const NO_HEADERS: Headers = Object.freeze({});

export class ModernExchange implements Outcomes, ServingHost {
  readonly #host: ExchangeHost;
  readonly #message: JsonRpcRequest;
  readonly #response: HttpResponse;
  readonly #served: ServedRequests;
  #caller: Caller | undefined;
  #stream: EventSink | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #isOver = false;

  constructor(host: ExchangeHost, message: JsonRpcRequest, response: HttpResponse, load: RequestLoad | undefined) {
    this.#host = host;
    this.#message = message;
    this.#response = response;
    this.#served = new ServedRequests(this, host.report, this, host.limits, load);
  }

  serve(request: HttpRequest, caller: Caller | undefined): void {
    if (request.isGone) {
      this.#end();
      return;
    }
    this.#caller = caller;
    this.#served.serve(this.#host.receiver, this.#message, undefined, caller);
    // Nobody goes away while a handler runs that waits for nothing.
    if (!this.#isOver) request.onDisconnect(() => this.#abort());
  }

  /** Ends it for the sake of a shutdown: the handler is aborted and the client told so. */
  giveUp(): void {
    if (this.#isOver) return;
    const { id } = this.#message;
    this.#served.cutOffAll(({ method }) => closedWhileServing(method));
    this.#answer(errorAnswer(id, ErrorCode.internalError, "The server is shutting down"), 503);
  }

  sendAnswer(message: JsonRpcAnswer): void {
    if ("error" in message) this.#response.refused?.(message);
    this.#answer(message, statusOf(message, this.#message, this.#host.revisions));
  }

  /** Ends it without an answer. */
  unanswered(): void {
    this.#end();
  }

  notifyFor(_parent: PendingParent, method: string, params: JsonObject | undefined): Promise<void> {
    try {
      const message = params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
      const text = encodeEvent({ data: serializeJson(message) });
      this.#stream ??= this.#open();
      if (this.#stream.write(text)) return this.#stream.drained?.() ?? Promise.resolve();
      this.#abort();
      const reason = `${method} cannot be sent: the client is gone, or reads too slowly`;
      return Promise.reject(new SdkError("connection-closed", reason));
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  requestFor(_parent: PendingParent, method: string): Promise<never> {
    const reason = `${method} cannot be sent: a modern server sends no requests`;
    return Promise.reject(new SdkError("method-not-in-revision", reason));
  }

  #answer(message: JsonRpcAnswer, status: number): void {
    const text = this.#serialize(message);
    if (this.#stream === undefined) this.#response.send(status, headersOf(message, this.#caller), text);
    else this.#stream.write(encodeEvent({ data: String(text) }));
    this.#end();
  }

  #open(): EventSink {
    const stream = this.#response.stream(NO_HEADERS);
    const { keepAliveMs } = this.#host;
    if (Number.isFinite(keepAliveMs)) {
      this.#keepAlive = setInterval(() => {
        if (!stream.write(SSE_KEEP_ALIVE)) this.#abort();
      }, timerMs(keepAliveMs));
    }
    return stream;
  }

  /** The client is gone, which in this era means that it wants no answer. */
  #abort(): void {
    if (this.#isOver) return;
    const { id } = this.#message;
    this.#served.cancel({ requestId: id, reason: "it closed the response" });
    // What cannot be cancelled goes on, to nobody.
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    if (this.#stream) {
      clearInterval(this.#keepAlive);
      this.#stream.end();
    }
    this.#host.ended(this);
  }

  #serialize(message: JsonRpcAnswer): Body {
    try {
      return messageText(message);
    } catch (cause) {
      const complaint = `The answer to ${this.#message.method} could not be sent; the peer was answered -32603`;
      this.#host.report(new SdkError("handler-failed", complaint, { cause }));
      return serializeJson(internalError(message.id));
    }
  }
}
