/**
 * The receiving half of a connection that can be ended gently: subscriptions get their result, requests that are being
 * served may finish, new ones are refused. Transport-neutral; how long that may take is the host's business.
 */
import type { InboundRequest, Receiver, RequestId, RequestOptions } from "../dispatch/dispatcher.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { JsonObject } from "../protocol/json.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import type { Caller } from "../transport/caller.js";

export class DrainingReceiver implements Receiver {
  readonly #inner: Receiver;
  readonly #onClosed: () => void;
  readonly #ending = new AbortController();
  #running = 0;
  #whenIdle: (() => void) | undefined;

  constructor(inner: Receiver, onClosed: () => void) {
    this.#inner = inner;
    this.#onClosed = onClosed;
  }

  get acceptsBatches(): boolean {
    return this.#inner.acceptsBatches === true;
  }

  request(inbound: InboundRequest): JsonObject | Promise<JsonObject> {
    const { signal } = this.#ending;
    if (signal.aborted) throw new ProtocolError(ErrorCode.internalError, "The server is shutting down");
    // A subscription never ends by itself, and one that is ended here is answered as one that ended well.
    const isEndless = inbound.method === "subscriptions/listen";
    const result = this.#inner.request(isEndless ? new EndableRequest(inbound, signal) : inbound);
    return isPromiseLike(result) ? this.#finished(result) : result;
  }

  notification(method: string, params: JsonObject | undefined): void | Promise<void> {
    return this.#inner.notification(method, params);
  }

  startOver(params: JsonObject | undefined): boolean {
    return this.#inner.startOver?.(params) === true;
  }

  standsAlone(params: JsonObject | undefined): boolean {
    return this.#inner.standsAlone?.(params) === true;
  }

  closed(): void {
    this.#running = 0;
    this.#settleIdle();
    this.#inner.closed?.();
    this.#onClosed();
  }

  /** Resolves when nothing is being served any more, or the connection is gone. */
  drain(): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    this.#ending.abort();
    this.#settleIdle();
    return drained;
  }

  async #finished(running: PromiseLike<JsonObject>): Promise<JsonObject> {
    this.#running += 1;
    try {
      return await running;
    } finally {
      this.#running -= 1;
      this.#settleIdle();
    }
  }

  #settleIdle(): void {
    if (this.#running <= 0) this.#whenIdle?.();
  }
}

/** A request that the host can end as well, by its signal. */
class EndableRequest implements InboundRequest {
  readonly #inner: InboundRequest;
  readonly signal: AbortSignal;

  constructor(inner: InboundRequest, ending: AbortSignal) {
    this.#inner = inner;
    this.signal = AbortSignal.any([inner.signal, ending]);
  }

  get id(): RequestId {
    return this.#inner.id;
  }

  get method(): string {
    return this.#inner.method;
  }

  get params(): JsonObject | undefined {
    return this.#inner.params;
  }

  get caller(): Caller | undefined {
    return this.#inner.caller;
  }

  get isSettled(): boolean {
    return this.#inner.isSettled;
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#inner.request(method, params, options);
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.#inner.notify(method, params);
  }
}
