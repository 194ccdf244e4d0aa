/**
 * What every dispatcher does alike: requests out and in, notifications, cancellation, closing. How a message reaches
 * the peer is left to the two implementations, json-rpc-dispatcher.ts and direct-dispatcher.ts.
 */
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { mirroredName } from "../protocol/http-headers.js";
import type { JsonObject } from "../protocol/json.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../runtime/error-callback.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import type { Caller } from "../transport/caller.js";
import type { SendOptions } from "../transport/transport.js";
import type { JsonRpcAnswer, JsonRpcMessage, JsonRpcNotification, JsonRpcRequest } from "../wire/json-rpc.js";
import { CANCELLED, cancelledNotification, isCancellable } from "./cancellation.js";
import type {
  Accept,
  BatchCall,
  Dispatcher,
  DispatcherOptions,
  Receiver,
  RequestId,
  RequestOptions,
} from "./dispatcher.js";
import { type PendingParent, type PendingRequest, sendFailure } from "./pending-request.js";
import { type PendingHost, PendingRequests, wantsProgress, withProgressToken } from "./pending-requests.js";
import type { RequestLoad } from "./request-limits.js";
import type { AnswerSink, ServedRequest, ServingHost } from "./served-request.js";
import { errorAnswer, type Outcomes, ServedRequests } from "./served-requests.js";

const PROGRESS = "notifications/progress";

export abstract class Exchange implements Dispatcher, ServingHost, Outcomes, PendingHost {
  abstract readonly carriesHeaders: boolean;
  protected readonly report: ErrorCallback;
  protected readonly pending: PendingRequests;
  protected receiver!: Receiver;
  readonly #served: ServedRequests;
  readonly #hasSession: boolean;
  #isClosed = false;
  #closeCause: Error | undefined;
  #closing: Promise<void> | undefined;

  /** `load` counts what is in progress where several of these share a connection. */
  constructor(options: DispatcherOptions, load?: RequestLoad) {
    this.#hasSession = options.hasSession === true;
    this.report = createErrorCallback(options.onError);
    this.pending = new PendingRequests(this.report, this, options.timeoutMs);
    this.#served = new ServedRequests(this, this.report, this, options.limits, load);
  }

  /** Hands a message over; throws or rejects if that fails. */
  protected abstract transmit(message: JsonRpcMessage, options: SendOptions | undefined): void | Promise<void>;
  protected abstract requestTogether(calls: readonly BatchCall[]): Promise<JsonObject>[];
  protected abstract disconnect(): void | Promise<void>;
  /** A request was cancelled, so nothing will be sent for it any more. */
  abstract unanswered(id: RequestId): void;

  /** Makes the receiving half. Apart from the constructor, so that `accept` meets a finished dispatcher. */
  protected attach(accept: Accept): void {
    this.receiver = accept(this);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether a request of the peer's waits for its answer. */
  isServing(id: RequestId): boolean {
    return this.#served.has(id);
  }

  /** Resolves when no request of the peer's waits for its answer. */
  whenIdle(): Promise<void> {
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
    this.#send(requestMessage(pending, params), sendOptions(parent, options))?.catch((cause: unknown) =>
      pending.reject(sendFailure(pending.name, cause)),
    );
    return pending.promise;
  }

  notifyFor(parent: PendingParent | undefined, method: string, params: JsonObject | undefined): Promise<void> {
    if (this.#isClosed) return Promise.reject(closedBefore(method, this.#closeCause));
    const message: JsonRpcNotification =
      params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
    const sent = this.#send(message, sendOptions(parent));
    if (sent === undefined) return Promise.resolve();
    return sent.catch((cause: unknown) => {
      throw sendFailure(method, cause);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** @throws {SdkError} when the connection is closed or the options do not allow the request. */
  protected open(method: string, options: RequestOptions | undefined, parent?: PendingParent): PendingRequest {
    if (this.#isClosed) throw closedBefore(method, this.#closeCause);
    return this.pending.open(method, options, parent);
  }

  protected receiveRequest(message: JsonRpcRequest, sink?: AnswerSink, caller?: Caller): void {
    if (this.receiver.refusesRequests === true) {
      this.report(new SdkError("invalid-message", `The peer must not send requests; ${message.method} was dropped`));
      sink?.skip();
      return;
    }
    if (message.method === "initialize" && !this.#hasSession) this.#startOver(message, caller);
    this.#served.serve(this.receiver, message, sink, caller);
  }

  /**
   * Before the request is served: its id may be that of one in progress, which the new client knows nothing of. An
   * initialize that will be refused ends nothing.
   */
  #startOver(message: JsonRpcRequest, caller: Caller | undefined): void {
    const outlives = (served: ServedRequest) => this.#outlivesHandshake(served);
    if (this.#served.refuses(message, caller, outlives)) return;
    if (this.receiver.startOver?.(message.params) !== true) return;
    this.pending.rejectAll("The client began a new conversation", undefined);
    this.#served.cutOffAll(
      ({ method }) => new SdkError("request-aborted", `The client began a new conversation; ${method} was aborted`),
      outlives,
    );
  }

  /** A batch is answered as a whole, so each request in it ends with the conversation. */
  #outlivesHandshake({ sink, params }: ServedRequest): boolean {
    return sink === undefined && this.receiver.standsAlone?.(params) === true;
  }

  protected receiveNotification(message: JsonRpcNotification, caller?: Caller): void {
    const { method, params } = message;
    if (method === CANCELLED) {
      if (!this.#served.cancel(params)) this.pending.endStream(params);
      return;
    }
    if (method === PROGRESS && this.pending.receiveProgress(params)) return;
    this.#served.serveNotification(this.receiver, message, caller);
  }

  /** The connection is gone, closed by this side or lost. */
  protected end(cause?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A peer that says why it closes the connection knows better than the socket; one of ours is an explanation itself.
    this.#closeCause = cause instanceof SdkError ? cause : (this.pending.lastWords ?? cause);
    this.pending.rejectAll("The connection closed", this.#closeCause);
    this.#served.cutOffAll(({ method }) => closedWhileServing(method, cause));
    runGuarded(
      () => this.receiver.closed?.(),
      (thrown) => this.report(new SdkError("handler-failed", "The receiver's closed() failed", { cause: thrown })),
    );
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

  /** Tells the peer that its answer is no longer waited for. */
  abandoned({ id, method, parent }: PendingRequest, reason: string): void {
    if (!isCancellable(method)) return;
    this.#send(cancelledNotification(id, reason), sendOptions(parent))?.catch((cause: unknown) => {
      // A connection that was closed meanwhile has cancelled everything.
      if (!this.#isClosed) this.report(sendFailure(CANCELLED, cause));
    });
  }

  sendAnswer(message: JsonRpcAnswer, method: string): void {
    this.#send(message, undefined)?.catch((cause: unknown) => this.#answerFailed(message.id, method, cause));
  }

  /** Most likely the answer could not be serialized, so the peer, which waits, gets one that can. */
  #answerFailed(id: RequestId | undefined, method: string, cause: unknown): void {
    // Nobody is there to miss it, and the transport says by itself that the connection is gone.
    if (this.#isClosed || (cause instanceof SdkError && cause.code === "connection-closed")) return;
    const message = `The answer to ${method} could not be sent; the peer was answered -32603`;
    this.report(new SdkError("handler-failed", message, { cause }));
    this.#send(internalError(id), undefined)?.catch((again: unknown) => this.report(sendFailure(method, again)));
  }

  /** A promise only if the outcome is not known yet or is a failure: a message that went out at once costs none. */
  #send(message: JsonRpcMessage, options: SendOptions | undefined): Promise<void> | undefined {
    try {
      const sent = this.transmit(message, options);
      return isPromiseLike(sent) ? Promise.resolve(sent) : undefined;
    } catch (cause) {
      return Promise.reject(cause);
    }
  }
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
