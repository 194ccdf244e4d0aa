/**
 * One modern request over HTTP and its response. The response is a JSON body, unless the handler sends a message before the
 * answer; then it is an event stream. Requests share no state, so equal ids in parallel do not collide.
 */
import { closedWhileServing, internalError } from "../../dispatch/base-dispatcher.js";
import { isCancellable } from "../../dispatch/cancellation.js";
import type { Receiver } from "../../dispatch/dispatcher.js";
import type { PendingParent } from "../../dispatch/pending-request.js";
import type { RequestLimits, RequestLoad } from "../../dispatch/request-limits.js";
import { errorAnswer, ServedRequest, type ServingHost } from "../../dispatch/served-request.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import type { Revision } from "../../protocol/revisions.js";
import type { ErrorCallback } from "../../runtime/error-callback.js";
import type { JsonObject } from "../../runtime/json.js";
import { timerMs } from "../../runtime/timers.js";
import type { Caller } from "../../transport/caller.js";
import type { JsonRpcAnswer, JsonRpcRequest } from "../../wire/json-rpc.js";
import { serializeJson } from "../../wire/json-text.js";
import { messageText } from "../../wire/preserialized-json.js";
import { encodeEvent, SSE_KEEP_ALIVE } from "../../wire/sse-encoder.js";
import { ABORTED_BY_SHUTDOWN, sendAnswer, statusOf } from "./error-status.js";
import type { EventSink, HttpBody, HttpHeaders, HttpRequest, HttpResponse } from "./http-host.js";

/** The state that the modern requests of one endpoint share. */
export interface ModernHost {
  readonly receiver: Receiver;
  readonly revisions: readonly Revision[];
  readonly report: ErrorCallback;
  readonly keepAliveMs: number;
  readonly limits: RequestLimits;
  ended(response: ModernResponse): void;
}

const NO_HEADERS: HttpHeaders = Object.freeze({});

export class ModernResponse implements ServingHost {
  readonly report: ErrorCallback;
  readonly limits: RequestLimits;
  readonly load: RequestLoad;
  readonly #host: ModernHost;
  readonly #message: JsonRpcRequest;
  readonly #response: HttpResponse;
  readonly #served: ServedRequest;
  #stream: EventSink | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #isOver = false;

  /** `load` counts the requests in progress on the connection. */
  constructor(
    host: ModernHost,
    message: JsonRpcRequest,
    response: HttpResponse,
    caller: Caller | undefined,
    load: RequestLoad,
  ) {
    this.#host = host;
    this.report = host.report;
    this.limits = host.limits;
    this.load = load;
    this.#message = message;
    this.#response = response;
    this.#served = new ServedRequest(this, message, undefined, caller);
  }

  serve(request: HttpRequest): void {
    if (request.isDisconnected) {
      this.#end();
      return;
    }
    this.#served.run(this.#host.receiver);
    // Synchronous handlers cannot be interrupted, so the disconnect listener is attached afterwards.
    if (!this.#isOver) request.onDisconnect(() => this.#abort());
  }

  /** Ends a subscription with its result. Has no effect on other requests. */
  endSubscription(): void {
    this.#served.endSubscription();
  }

  /** Aborts the handler at the end of `shutdownGraceMs`, and answers 503. */
  shutDown(): void {
    if (this.#isOver) return;
    this.#served.abort(closedWhileServing(this.#message.method));
    this.#answer(errorAnswer(this.#message.id, ErrorCode.internalError, ABORTED_BY_SHUTDOWN), 503);
  }

  settled(): void {
    // `ModernService` holds the open responses, and `#end` removes this one.
  }

  sendAnswer(_served: ServedRequest, message: JsonRpcAnswer): void {
    if ("error" in message) this.#response.refused?.(message);
    this.#answer(message, statusOf(message, this.#message, this.#host.revisions));
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
    if (this.#stream === undefined)
      sendAnswer(this.#response, status, message, text, this.#served.caller, this.#host.report);
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

  /** The client has closed the response, which cancels the request in the modern era. */
  #abort(): void {
    if (this.#isOver) return;
    const { method } = this.#message;
    // Other requests run to their end, and their answer is dropped.
    if (isCancellable(method)) {
      this.#served.abort(new SdkError("request-aborted", `The peer cancelled ${method}: it closed the response`));
    }
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

  #serialize(message: JsonRpcAnswer): HttpBody {
    try {
      return messageText(message);
    } catch (cause) {
      const complaint = `The answer to ${this.#message.method} could not be sent; the peer was answered -32603`;
      this.#host.report(new SdkError("handler-failed", complaint, { cause }));
      return serializeJson(internalError(message.id));
    }
  }
}
