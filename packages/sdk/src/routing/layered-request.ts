/** An inbound request whose handler sends through the middleware: its requests and notifications run through it first. */
import type { InboundRequest, RequestId, RequestOptions } from "../dispatch/dispatcher.js";
import type { Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import { markHandled } from "../runtime/maybe-promise.js";
import type { Caller } from "../transport/caller.js";
import { type Middleware, type MiddlewareCall, requireResult, runThrough } from "./middleware.js";

/** Stands for absent params in a `MiddlewareCall`. Absent params stay absent on the wire, unless middleware replaces them. */
const NO_PARAMS: JsonObject = Object.freeze({});

export class LayeredRequest<Context> implements InboundRequest {
  readonly #inbound: InboundRequest;
  readonly #revision: Revision;
  readonly #middleware: readonly Middleware<Context>[];
  /** Notifications that are still in the middleware. */
  readonly #held = new Set<Promise<unknown>>();

  constructor(inbound: InboundRequest, revision: Revision, middleware: readonly Middleware<Context>[]) {
    this.#inbound = inbound;
    this.#revision = revision;
    this.#middleware = middleware;
  }

  get id(): RequestId {
    return this.#inbound.id;
  }

  get method(): string {
    return this.#inbound.method;
  }

  get params(): JsonObject | undefined {
    return this.#inbound.params;
  }

  get signal(): AbortSignal {
    return this.#inbound.signal;
  }

  get caller(): Caller | undefined {
    return this.#inbound.caller;
  }

  get isSettled(): boolean {
    return this.#inbound.isSettled;
  }

  releaseParams(kept: JsonObject): void {
    this.#inbound.releaseParams?.(kept);
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    if (this.isSettled) return this.#inbound.request(method, params, options);
    return markHandled(this.#request(method, params, options));
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    if (this.isSettled) return this.#inbound.notify(method, params);
    let isOut = false;
    const passing = runThrough(this.#middleware, this.#call("notification", method, params), (given) => {
      isOut = true;
      return this.#inbound.notify(method, present(given));
    });
    const sent = markHandled(passing.then(() => undefined));
    if (!isOut) this.#hold(sent);
    return sent;
  }

  /** Resolves when no notification is in the middleware any more. The answer must not overtake them. */
  async handedOver(): Promise<void> {
    if (this.#held.size > 0) await Promise.allSettled(this.#held);
  }

  async #request(
    method: string,
    params: JsonObject | undefined,
    options: RequestOptions | undefined,
  ): Promise<JsonObject> {
    const result = await runThrough(this.#middleware, this.#call("request", method, params), (given) =>
      this.#inbound.request(method, present(given), options),
    );
    return requireResult(method, result);
  }

  #call(
    kind: MiddlewareCall<Context>["kind"],
    method: string,
    params: JsonObject = NO_PARAMS,
  ): MiddlewareCall<Context> {
    return { kind, direction: "outbound", revision: this.#revision, method, params, context: undefined };
  }

  #hold(sent: Promise<unknown>): void {
    this.#held.add(sent);
    void markHandled(sent.finally(() => this.#held.delete(sent)));
  }
}

function present(params: JsonObject): JsonObject | undefined {
  return params === NO_PARAMS ? undefined : params;
}
