/** One inbound request while it is being served: what a handler sees of it, and what ends with it. */
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../protocol/json.js";
import { markHandled } from "../runtime/mark-handled.js";
import { type Abort, createAbort } from "../runtime/request-bound-abort.js";
import type { Caller } from "../transport/caller.js";
import type { JsonRpcAnswer, JsonRpcRequest } from "../wire/json-rpc.js";
import type { InboundRequest, RequestId, RequestOptions } from "./dispatcher.js";
import type { PendingParent, PendingRequest } from "./pending-request.js";

/** The sending that a served request may do while it lasts. */
export interface ServingHost {
  requestFor(
    parent: PendingParent,
    method: string,
    params: JsonObject | undefined,
    options: RequestOptions | undefined,
  ): Promise<JsonObject>;
  notifyFor(parent: PendingParent, method: string, params: JsonObject | undefined): Promise<void>;
}

/** Where the answer goes if not straight to the peer. Exactly one of the two is called per request. */
export interface AnswerSink {
  answer(message: JsonRpcAnswer): void;
  /** The request was cancelled: there will be no answer. */
  skip(): void;
}

export class ServedRequest implements InboundRequest, PendingParent {
  readonly sink: AnswerSink | undefined;
  readonly caller: Caller | undefined;
  readonly #host: ServingHost;
  readonly #message: JsonRpcRequest;
  #isSettled = false;
  #cutOff: SdkError | undefined;
  #controller: Abort | undefined;
  #children: Set<PendingRequest> | undefined;

  constructor(host: ServingHost, message: JsonRpcRequest, sink: AnswerSink | undefined, caller: Caller | undefined) {
    this.#host = host;
    this.#message = message;
    this.sink = sink;
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

  /** Made on first use: most handlers never look at it, and a controller costs more than the rest of the request. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = createAbort();
      if (this.#cutOff !== undefined) this.#controller.abort(this.#cutOff);
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

  adopt(pending: PendingRequest): void {
    this.#children ??= new Set();
    this.#children.add(pending);
  }

  release(pending: PendingRequest): void {
    this.#children?.delete(pending);
  }

  /** Ends it because it is about to be answered; false if it had ended before. */
  settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    if (this.#children !== undefined) {
      this.#abandonChildren((child) => this.#ended(child.method), `${this.method} has been answered`);
    }
    return true;
  }

  /** Ends it because the peer cancelled it or the connection closed; `reason` is what the handler's signal shows. */
  cutOff(reason: SdkError): void {
    this.#isSettled = true;
    this.#cutOff = reason;
    this.#abandonChildren((child) => {
      const message = `${child.method} was aborted: ${this.method}, which it was sent for, was cut off`;
      return new SdkError("request-aborted", message, { cause: reason });
    }, `${this.method} was cancelled`);
    this.#controller?.abort(reason);
  }

  #abandonChildren(errorFor: (child: PendingRequest) => SdkError, reason: string): void {
    for (const child of [...(this.#children ?? [])]) child.abandon(errorFor(child), reason);
  }

  #ended(method: string): SdkError {
    const message = `${method} cannot be sent: ${this.method}, which it belongs to, has ended`;
    return new SdkError("context-ended", message, { cause: this.#cutOff });
  }
}
