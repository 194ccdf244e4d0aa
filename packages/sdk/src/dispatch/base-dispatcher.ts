/**
 * Base class of both dispatchers: outbound and inbound requests, notifications, cancellation, draining, closing. The
 * subclasses in json-rpc-dispatcher.ts and direct-dispatcher.ts send and receive the messages.
 */

import { mapError } from "../errors/error-mapping.js";
import { shuttingDown } from "../errors/limit-reached.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { mirroredName } from "../protocol/http-headers.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../runtime/error-callback.js";
import type { JsonObject } from "../runtime/json.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import type { Caller } from "../transport/caller.js";
import type { SendOptions } from "../transport/transport.js";
import type { JsonRpcAnswer, JsonRpcMessage, JsonRpcNotification, JsonRpcRequest } from "../wire/json-rpc.js";
import { CANCELLED, cancelledNotification, EarlyCancellations, isCancellable } from "./cancellation.js";
import type {
  AcceptConnection,
  BatchCall,
  Dispatcher,
  DispatcherOptions,
  Receiver,
  RequestId,
  RequestOptions,
} from "./dispatcher.js";
import { type PendingParent, type PendingRequest, sendFailure } from "./pending-request.js";
import { type PendingHost, PendingRequests, wantsProgress, withProgressToken } from "./pending-requests.js";
import type { RequestLimits, RequestLoad } from "./request-limits.js";
import {
  errorAnswer,
  type Responder,
  refusalOf,
  runNotification,
  ServedRequest,
  type ServingHost,
} from "./served-request.js";
import { ServedRequests } from "./served-requests.js";

export const PROGRESS = "notifications/progress";

export abstract class BaseDispatcher implements Dispatcher, ServingHost, PendingHost {
  abstract readonly carriesHeaders: boolean;
  readonly report: ErrorCallback;
  readonly limits: RequestLimits | undefined;
  readonly load: RequestLoad;
  protected readonly pending: PendingRequests;
  protected readonly forward: DispatcherOptions["forward"];
  protected receiver!: Receiver;
  readonly #served = new ServedRequests();
  readonly #hasSession: boolean;
  readonly #onClosed: (() => void) | undefined;
  /** Undefined until a request ends, or a client cancels one that has not arrived. Used only for sessions. */
  #early: EarlyCancellations | undefined;
  #isDraining = false;
  #isClosed = false;
  #closeCause: Error | undefined;
  #closing: Promise<void> | undefined;

  /** `load` counts the requests in progress if several dispatchers share one connection. */
  constructor(options: DispatcherOptions, load: RequestLoad = { requests: 0, bytes: 0 }) {
    this.#hasSession = options.hasSession === true;
    this.#onClosed = options.onClosed;
    this.limits = options.limits;
    this.load = load;
    this.report = createErrorCallback(options.onError);
    this.forward = options.forward;
    this.pending = new PendingRequests(this.report, this, options.timeoutMs, options.idPrefix);
  }

  /** Sends a message. Throws or rejects if that fails. */
  protected abstract transmit(message: JsonRpcMessage, options: SendOptions | undefined): void | Promise<void>;
  protected abstract requestTogether(calls: readonly BatchCall[]): Promise<JsonObject>[];
  protected abstract disconnect(): void | Promise<void>;
  /** Called for a cancelled inbound request, which gets no answer. */
  protected abstract unanswered(id: RequestId): void;

  /** Creates the receiver. Not done in the constructor, so that `accept` gets a fully constructed dispatcher. */
  protected attach(accept: AcceptConnection): void {
    this.receiver = accept(this);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Refuses new requests, ends subscriptions with their results, and resolves when every request is answered. */
  drain(): Promise<void> {
    this.#isDraining = true;
    this.#served.endSubscriptions();
    return this.#served.whenEmpty();
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.requestFor(undefined, method, params, options);
  }

  hasIssued(id: RequestId): boolean {
    return this.pending.hasIssued(id);
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.notifyFor(undefined, method, params);
  }

  async requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]> {
    if (this.#isClosed) throw closedBefore("A batch", this.#closeCause);
    if (this.receiver.acceptsBatches !== true) {
      throw new SdkError("method-not-in-revision", "Batches exist in 2025-03-26 alone: send the requests one by one");
    }
    if (calls.some((call) => call.method === "initialize")) {
      throw new SdkError("invalid-argument", "initialize must not be part of a batch: send it alone, before");
    }
    return Promise.allSettled(this.requestTogether(calls));
  }

  requestFor(
    parent: PendingParent | undefined,
    method: string,
    params: JsonObject | undefined,
    options: RequestOptions | undefined,
  ): Promise<JsonObject> {
    let pending: PendingRequest;
    try {
      pending = this.open(method, options, parent);
    } catch (error) {
      return Promise.reject(error);
    }
    pending.subject = mirroredName(method, params);
    this.#send(requestMessage(pending, params), sendOptions(parent, options), parent)?.catch((cause: unknown) =>
      pending.reject(sendFailure(pending.name, cause)),
    );
    return pending.promise;
  }

  notifyFor(parent: PendingParent | undefined, method: string, params: JsonObject | undefined): Promise<void> {
    if (this.#isClosed) return Promise.reject(closedBefore(method, this.#closeCause));
    const message: JsonRpcNotification =
      params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
    const sent = this.#send(message, sendOptions(parent), parent);
    if (sent === undefined) return Promise.resolve();
    return sent.catch((cause: unknown) => {
      throw sendFailure(method, cause);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** @throws {SdkError} if the connection is closed, or an option is invalid. */
  protected open(method: string, options: RequestOptions | undefined, parent?: PendingParent): PendingRequest {
    if (this.#isClosed) throw closedBefore(method, this.#closeCause);
    return this.pending.open(method, options, parent);
  }

  protected receiveRequest(message: JsonRpcRequest, responder?: Responder, caller?: Caller): void {
    responder?.expect();
    if (this.receiver.refusesRequests === true) {
      this.report(new SdkError("invalid-message", `The peer must not send requests; ${message.method} was dropped`));
      responder?.skip();
      return;
    }
    if (this.#early?.take(message.id) && isCancellable(message.method)) {
      responder?.skip();
      return;
    }
    if (message.method === "initialize" && !this.#hasSession) this.#startOver(message, caller);
    const refusal = this.#refusal(message.id);
    if (refusal !== undefined) {
      const { wire: error } = mapError(refusal, message.method);
      this.sendError({ jsonrpc: "2.0", id: message.id, error }, message.method, responder);
      return;
    }
    const served = new ServedRequest(this, message, responder, caller);
    this.#served.add(served);
    served.run(this.receiver);
  }

  #refusal(id: RequestId): ProtocolError | undefined {
    if (this.#served.find(id)) {
      const text = `Invalid request: a request with id ${JSON.stringify(id)} is still being served`;
      return new ProtocolError(ErrorCode.invalidRequest, text);
    }
    return this.#isDraining ? shuttingDown() : undefined;
  }

  settled(served: ServedRequest): void {
    this.#served.remove(served);
    this.#rememberEnded(served);
  }

  /** Only in sessions over HTTP may a cancellation overtake its request. */
  #rememberEnded({ id }: ServedRequest): void {
    if (!this.#hasSession) return;
    this.#early ??= new EarlyCancellations();
    this.#early.ended(id);
  }

  /**
   * Aborts the requests of the previous handshake when another `initialize` arrives. Runs before the id check: the new client
   * may reuse an id that is in progress. An `initialize` that is going to be refused aborts nothing.
   */
  #startOver(message: JsonRpcRequest, caller: Caller | undefined): void {
    const outlives = (served: ServedRequest) => this.#outlivesHandshake(served);
    const holder = this.#served.find(message.id);
    if ((holder !== undefined && outlives(holder)) || refusalOf(this, message, caller)) return;
    if (this.receiver.startOver?.(message.params) !== true) return;
    this.pending.rejectAll("The client began a new conversation", undefined);
    this.#served.abortAll(
      ({ method }) => new SdkError("request-aborted", `The client began a new conversation; ${method} was aborted`),
      outlives,
    );
  }

  /** Whether a request survives another handshake. Requests of a batch do not, since a batch is answered as a whole. */
  #outlivesHandshake({ responder, params }: ServedRequest): boolean {
    return responder === undefined && this.receiver.isStateless?.(params) === true;
  }

  protected receiveNotification(message: JsonRpcNotification, caller?: Caller): void {
    const { method, params } = message;
    if (method === CANCELLED) {
      if (!this.cancel(params)) this.forward?.(message);
      return;
    }
    if (method === PROGRESS) {
      if (this.pending.receiveProgress(params)) return;
      this.forward?.(message);
    }
    const refusal = refusalOf(this, message, caller);
    // A notification gets no answer, so one that exceeds a limit is dropped and reported.
    if (refusal) this.report(new SdkError("handler-failed", `${method} was dropped`, { cause: refusal }));
    else runNotification(this, this.receiver, message, caller);
  }

  /** Cancels the request that the params name. False if there is none. */
  protected cancel(params: JsonObject | undefined): boolean {
    const served = this.#served.cancel(params);
    if (served?.isSettled) this.unanswered(served.id);
    if (served !== undefined) {
      this.#rememberEnded(served);
      return true;
    }
    this.pending.endStream(params);
    if (!this.#hasSession) return false;
    this.#early ??= new EarlyCancellations();
    this.#early.note(params);
    return false;
  }

  /** Settles all requests after the connection was closed by this side, or lost. */
  protected end(cause?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The last error of the peer explains the loss better than a socket error. An `SdkError` is explanation enough.
    this.#closeCause = cause instanceof SdkError ? cause : (this.pending.lastError ?? cause);
    this.pending.rejectAll("The connection closed", this.#closeCause);
    this.#served.abortAll(({ method }) => closedWhileServing(method, cause));
    runGuarded(
      () => this.receiver.closed?.(),
      (thrown) => this.report(new SdkError("handler-failed", "The receiver's closed() failed", { cause: thrown })),
    );
    this.#onClosed?.();
  }

  async #shutDown(): Promise<void> {
    if (this.#isClosed) return;
    this.end();
    try {
      await this.disconnect();
    } catch (cause) {
      this.report(new SdkError("connection-closed", "The transport failed while closing", { cause }));
    }
  }

  /** Sends `notifications/cancelled` for a request that this side has given up. */
  abandoned({ id, method, parent }: PendingRequest, reason: string): void {
    if (!isCancellable(method)) return;
    this.#send(cancelledNotification(id, reason), sendOptions(parent), parent)?.catch((cause: unknown) => {
      // Closing the connection has cancelled the request too.
      if (!this.#isClosed) this.report(sendFailure(CANCELLED, cause));
    });
  }

  sendAnswer({ method, responder }: ServedRequest, message: JsonRpcAnswer): void {
    this.#answer(message, method, responder);
  }

  /** Answers a message that is refused. `what` names the message if the answer cannot be sent. */
  protected sendError(message: JsonRpcAnswer, what: string, responder: Responder | undefined): void {
    this.#answer(message, what, responder);
  }

  #answer(message: JsonRpcAnswer, what: string, responder: Responder | undefined): void {
    this.#sendAnswer(message, responder)?.catch((cause: unknown) => {
      // Not reported: the transport reports the lost connection itself.
      if (this.#isClosed || (cause instanceof SdkError && cause.code === "connection-closed")) return;
      const complaint = `The answer to ${what} could not be sent; the peer was answered -32603`;
      this.report(new SdkError("handler-failed", complaint, { cause }));
      // The usual cause is a result that JSON cannot express, so a simple error is sent instead.
      const fallback = this.#sendAnswer(internalError(message.id), responder);
      fallback?.catch((again: unknown) => this.report(sendFailure(what, again)));
    });
  }

  #sendAnswer(message: JsonRpcAnswer, responder: Responder | undefined): Promise<void> | undefined {
    if (responder === undefined) return this.#send(message, undefined, undefined);
    try {
      return pendingOnly(responder.answer(message));
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  /** Returns undefined for a message that was sent synchronously, so that it costs no promise. */
  #send(
    message: JsonRpcMessage,
    options: SendOptions | undefined,
    parent: PendingParent | undefined,
  ): Promise<void> | undefined {
    try {
      const responder = parent?.responder;
      const isRelated = responder?.send !== undefined && "method" in message;
      return pendingOnly(isRelated ? responder.send?.(message) : this.transmit(message, options));
    } catch (cause) {
      return Promise.reject(cause);
    }
  }
}

function pendingOnly(sent: void | Promise<void>): Promise<void> | undefined {
  return isPromiseLike(sent) ? Promise.resolve(sent) : undefined;
}

export function requestMessage({ id, method, options }: PendingRequest, given: JsonObject | undefined): JsonRpcRequest {
  const params = wantsProgress(options) ? withProgressToken(given, id) : given;
  return params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
}

function sendOptions(parent: PendingParent | undefined, options?: RequestOptions): SendOptions | undefined {
  const headers = options?.headers;
  const connectionHeaders = options?.connectionHeaders;
  if (parent === undefined && headers === undefined && connectionHeaders === undefined) return undefined;
  return {
    ...(parent && { relatedTo: parent.id }),
    ...(headers && { headers }),
    ...(connectionHeaders && { connectionHeaders }),
  };
}

export function internalError(id: RequestId | undefined): JsonRpcAnswer {
  return errorAnswer(id, ErrorCode.internalError, "Internal error");
}

export function closedWhileServing(method: string, cause?: Error): SdkError {
  return new SdkError("connection-closed", `The connection closed while ${method} was being served`, { cause });
}

function closedBefore(what: string, cause: Error | undefined): SdkError {
  const why = cause === undefined ? "" : ` (${cause.message})`;
  return new SdkError("connection-closed", `${what} cannot be sent: the connection is closed${why}`, { cause });
}
