/** One inbound request in progress: runs the receiver, sends the answer, and cancels requests that the handler has sent. */
import { mapError } from "../errors/error-mapping.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { type ErrorCallback, runGuarded } from "../runtime/error-callback.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { isPromiseLike, markHandled } from "../runtime/maybe-promise.js";
import { type Abort, createAbort } from "../runtime/request-bound-abort.js";
import type { Caller } from "../transport/caller.js";
import type { JsonRpcAnswer, JsonRpcNotification, JsonRpcRequest } from "../wire/json-rpc.js";
import type { InboundRequest, Receiver, RequestId, RequestOptions } from "./dispatcher.js";
import type { PendingParent, PendingRequest } from "./pending-request.js";
import { arrivingBytes, progressBytes, type RequestLimits, type RequestLoad } from "./request-limits.js";

/** Writes the answers to one inbound message, such as a batch or an HTTP POST. Without it, the transport sends them. */
export interface Responder {
  /** Announces one more request. `answer` or `skip` follows. */
  expect(): void;
  /** All requests of the message have been announced. */
  allReceived(): void;
  /** Sends an answer. Throws or rejects if that fails; an internal error for the same request follows. */
  answer(message: JsonRpcAnswer): void | Promise<void>;
  /** A request was cancelled and gets no answer. */
  skip(): void;
  /** Sends a message that belongs to a request. Without this method, the transport sends it. */
  send?(message: JsonRpcRequest | JsonRpcNotification): void | Promise<void>;
  /** The connection closed before these requests were answered. */
  close?(ids: readonly RequestId[]): void;
}

/** Counts requests and notifications in progress, and reports errors that no call rejects with. */
export interface ServingLimits {
  readonly report: ErrorCallback;
  readonly limits: RequestLimits | undefined;
  readonly load: RequestLoad;
}

/** The owner of a served request: a dispatcher, or a `ModernResponse` of the HTTP endpoint. */
export interface ServingHost extends ServingLimits {
  requestFor(
    parent: PendingParent,
    method: string,
    params: JsonObject | undefined,
    options: RequestOptions | undefined,
  ): Promise<JsonObject>;
  notifyFor(parent: PendingParent, method: string, params: JsonObject | undefined): Promise<void>;
  /** The request is settled. `sendAnswer` follows. */
  settled(served: ServedRequest): void;
  sendAnswer(served: ServedRequest, message: JsonRpcAnswer): void;
}

export class ServedRequest implements InboundRequest, PendingParent {
  readonly responder: Responder | undefined;
  readonly caller: Caller | undefined;
  readonly #host: ServingHost;
  readonly #message: JsonRpcRequest;
  #isSettled = false;
  #abortReason: SdkError | undefined;
  #controller: Abort | undefined;
  #children: Set<PendingRequest> | undefined;
  #isReleased = false;
  /** The bytes of the message that count in the limits. */
  #countedBytes = 0;

  constructor(
    host: ServingHost,
    message: JsonRpcRequest,
    responder: Responder | undefined,
    caller: Caller | undefined,
  ) {
    this.#host = host;
    this.#message = message;
    this.responder = responder;
    this.caller = caller;
  }

  get id(): RequestId {
    return this.#message.id;
  }

  get method(): string {
    return this.#message.method;
  }

  get params(): JsonObject | undefined {
    return this.#message.params;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Created on first use: most handlers never read it, and an `AbortController` costs more than the rest of the request. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = createAbort();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    if (this.#isSettled) return markHandled(Promise.reject(this.#ended(method)));
    return markHandled(this.#host.requestFor(this, method, params, options));
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    if (this.#isSettled) return markHandled(Promise.reject(this.#ended(method)));
    return markHandled(this.#host.notifyFor(this, method, params));
  }

  releaseParams(kept: JsonObject): void {
    const { caller } = this;
    if (caller?.messageBytes === undefined) return;
    // A handler that releases params has got some.
    const params = this.params as JsonObject;
    // Emptied in place: suspended handlers and middleware hold the same objects.
    for (const [name, value] of Object.entries(params)) {
      if (name === "_meta") continue;
      if (isJsonObject(value)) clear(value);
      delete params[name];
    }
    Object.assign(params, kept);
    this.#isReleased = true;
    this.#host.limits?.release(this.#host.load, caller.principal, this.#countedBytes);
    this.#countedBytes = 0;
  }

  adopt(pending: PendingRequest): void {
    this.#children ??= new Set();
    this.#children.add(pending);
  }

  release(pending: PendingRequest): void {
    this.#children?.delete(pending);
  }

  /** Calls the handler and answers. Synchronous fast path: a handler that returns no promise is answered without one. */
  run(receiver: Receiver): void {
    const refusal = refusalOf(this.#host, this.#message, this.caller);
    if (refusal) {
      this.#fail(refusal);
      return;
    }
    let result: JsonObject | Promise<JsonObject>;
    try {
      result = receiver.request(this);
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    if (isPromiseLike(result)) this.#follow(result);
    else this.#succeed(result);
  }

  /** Aborts the signal of a `subscriptions/listen`, whose handler then returns its result. Has no effect on other requests. */
  endSubscription(): void {
    if (this.method !== "subscriptions/listen") return;
    this.#abortReason = new SdkError("request-aborted", "The server is shutting down");
    this.#controller?.abort(this.#abortReason);
  }

  /** Ends the request without an answer: it was cancelled, or its connection closed. `reason` aborts the handler's signal. */
  abort(reason: SdkError): void {
    this.#isSettled = true;
    this.#abortReason = reason;
    this.#abandonChildren((child) => {
      const message = `${child.method} was aborted: ${this.method}, which it was sent for, was cut off`;
      return new SdkError("request-aborted", message, { cause: reason });
    }, `${this.method} was cancelled`);
    this.#controller?.abort(reason);
  }

  /** Counts the request until its handler is done, then answers. One `then` does both, since each costs a promise. */
  #follow(result: PromiseLike<JsonObject>): void {
    const { method, params, caller } = this;
    const { limits, load } = this.#host;
    // A synchronous part of the handler may have released the params.
    this.#countedBytes = this.#isReleased ? 0 : progressBytes(caller, params);
    limits?.enter(load, method, caller?.principal, this.#countedBytes);
    Promise.resolve(result).then(
      (value) => {
        limits?.leave(load, method, caller?.principal, this.#countedBytes);
        this.#succeed(value);
      },
      (thrown: unknown) => {
        limits?.leave(load, method, caller?.principal, this.#countedBytes);
        this.#fail(thrown);
      },
    );
  }

  #succeed(result: unknown): void {
    if (!isJsonObject(result)) {
      this.#fail(new TypeError(`The handler must return an object, got ${describe(result)}`));
    } else if (this.#settle()) {
      this.#host.sendAnswer(this, { jsonrpc: "2.0", id: this.id, result });
    }
  }

  #fail(thrown: unknown): void {
    if (!this.#settle()) {
      this.#reportLate(thrown);
      return;
    }
    const { wire, report } = mapError(thrown, this.method);
    if (report !== undefined) this.#host.report(report);
    this.#host.sendAnswer(this, { jsonrpc: "2.0", id: this.id, error: wire });
  }

  /** Marks the request as settled before its answer. False if it was settled already. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    if (this.#children !== undefined) {
      this.#abandonChildren((child) => this.#ended(child.method), `${this.method} has been answered`);
    }
    this.#host.settled(this);
    return true;
  }

  /** Reports an error that a handler throws after `abort`, unless the abort caused it. */
  #reportLate(thrown: unknown): void {
    if (thrown instanceof SdkError || thrown instanceof ProtocolError) return;
    if (thrown instanceof Error && thrown.name === "AbortError") return;
    const message = `The handler of ${this.method} failed after the request had been cut off`;
    this.#host.report(new SdkError("handler-failed", message, { cause: thrown }));
  }

  #abandonChildren(errorFor: (child: PendingRequest) => SdkError, reason: string): void {
    for (const child of [...(this.#children ?? [])]) child.abandon(errorFor(child), reason);
  }

  #ended(method: string): SdkError {
    const message = `${method} cannot be sent: ${this.method}, which it belongs to, has ended`;
    return new SdkError("context-ended", message, { cause: this.#abortReason });
  }
}

/** The error answer for a message that exceeds a limit; undefined within the limits. */
export function refusalOf(
  { limits, load }: ServingLimits,
  { method, params }: JsonRpcNotification,
  caller: Caller | undefined,
): ProtocolError | undefined {
  return limits?.refusal(load, method, caller?.principal, arrivingBytes(caller, params));
}

/** Passes a notification to the receiver, and counts it while its handler runs. */
export function runNotification(
  { limits, load, report }: ServingLimits,
  receiver: Receiver,
  { method, params }: JsonRpcNotification,
  caller: Caller | undefined,
): void {
  runGuarded(
    () => {
      const running = receiver.notification(method, params);
      if (isPromiseLike(running)) {
        limits?.track(load, method, caller?.principal, progressBytes(caller, params), running);
      }
      return running;
    },
    (cause) => report(new SdkError("handler-failed", `The handler of ${method} failed`, { cause })),
  );
}

export function errorAnswer(id: RequestId | undefined, code: number, message: string): JsonRpcAnswer {
  const error = { code, message };
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

function clear(object: JsonObject): void {
  for (const name of Object.keys(object)) delete object[name];
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
