/** The inbound requests of one connection that are being served: runs their handlers and answers, or not if cancelled. */
import { mapError } from "../errors/error-mapping.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { type ErrorCallback, runGuarded } from "../runtime/error-callback.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import { TransientMap } from "../runtime/transient-map.js";
import type { Caller } from "../transport/caller.js";
import type { JsonRpcAnswer, JsonRpcNotification, JsonRpcRequest } from "../wire/json-rpc.js";
import { correlationKey, isRequestId } from "../wire/request-id.js";
import { isCancellable } from "./cancellation.js";
import type { Receiver, RequestId } from "./dispatcher.js";
import { arrivingBytes, progressBytes, type RequestLimits, type RequestLoad } from "./request-limits.js";
import { type AnswerSink, ServedRequest, type ServingHost } from "./served-request.js";

/** What becomes of a request that was served. */
export interface Outcomes {
  /** Sends an answer to the peer; `method` is for the report if that fails. */
  sendAnswer(message: JsonRpcAnswer, method: string): void;
  /** It was cancelled, so no answer will follow. */
  unanswered(id: RequestId): void;
}

export class ServedRequests implements RequestLoad {
  requests = 0;
  bytes = 0;
  readonly #byKey = new TransientMap<RequestId, ServedRequest>();
  readonly #host: ServingHost;
  readonly #report: ErrorCallback;
  readonly #outcomes: Outcomes;
  readonly #limits: RequestLimits | undefined;
  readonly #load: RequestLoad;
  #onEmpty: (() => void)[] | undefined;

  /** `load` counts what is in progress where several of these share a connection. */
  constructor(
    host: ServingHost,
    report: ErrorCallback,
    outcomes: Outcomes,
    limits?: RequestLimits,
    load?: RequestLoad,
  ) {
    this.#host = host;
    this.#report = report;
    this.#outcomes = outcomes;
    this.#limits = limits;
    this.#load = load ?? this;
  }

  /** Whether a request with this id waits for its answer. */
  has(id: RequestId): boolean {
    return this.#byKey.has(correlationKey(id));
  }

  /** Resolves when no request waits for its answer. */
  whenEmpty(): Promise<void> {
    if (this.#byKey.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onEmpty ??= [];
      this.#onEmpty.push(resolve);
    });
  }

  serve(receiver: Receiver, message: JsonRpcRequest, sink: AnswerSink | undefined, caller: Caller | undefined): void {
    const key = correlationKey(message.id);
    const served = new ServedRequest(this.#host, message, sink, caller);
    if (this.#byKey.has(key)) {
      const text = `Invalid request: a request with id ${JSON.stringify(message.id)} is still being served`;
      this.#answer(served, errorAnswer(message.id, ErrorCode.invalidRequest, text));
      return;
    }
    const refusal = this.#refusal(message, caller);
    if (refusal) {
      this.#answer(served, { jsonrpc: "2.0", id: message.id, error: mapError(refusal, message.method).wire });
      return;
    }
    this.#byKey.set(key, served);
    let result: JsonObject | Promise<JsonObject>;
    try {
      result = receiver.request(served);
    } catch (thrown) {
      this.#fail(served, thrown);
      return;
    }
    if (isPromiseLike(result)) this.#follow(served, result);
    else this.#succeed(served, result);
  }

  /** Whether a limit, or the id of a request that stays, keeps a request from being served. */
  refuses(message: JsonRpcRequest, caller: Caller | undefined, stays: (served: ServedRequest) => boolean): boolean {
    const holder = this.#byKey.get(correlationKey(message.id));
    return (holder !== undefined && stays(holder)) || this.#refusal(message, caller) !== undefined;
  }

  /** A notification cannot be refused: one that finds no room is dropped and reported. */
  serveNotification(receiver: Receiver, message: JsonRpcNotification, caller: Caller | undefined): void {
    const { method, params } = message;
    const refusal = this.#refusal(message, caller);
    if (refusal) {
      this.#report(new SdkError("handler-failed", `${method} was dropped`, { cause: refusal }));
      return;
    }
    runGuarded(
      () => {
        const running = receiver.notification(method, params);
        if (isPromiseLike(running)) {
          this.#limits?.track(this.#load, method, caller?.principal, progressBytes(caller, params), running);
        }
        return running;
      },
      (cause) => this.#report(new SdkError("handler-failed", `The handler of ${method} failed`, { cause })),
    );
  }

  /** False for anything that names no request being served: too late, malformed, or about one of this side's own. */
  cancel(params: JsonObject | undefined): boolean {
    const id = params?.requestId;
    const served = isRequestId(id) ? this.#byKey.get(correlationKey(id)) : undefined;
    if (served === undefined) return false;
    if (!isCancellable(served.method)) return true;
    this.#forget(served);
    const reason = typeof params?.reason === "string" ? `: ${params.reason}` : "";
    served.cutOff(new SdkError("request-aborted", `The peer cancelled ${served.method}${reason}`));
    served.sink?.skip();
    this.#outcomes.unanswered(served.id);
    return true;
  }

  /** Ends all of them, but those that stay, without an answer. */
  cutOffAll(reasonFor: (served: ServedRequest) => SdkError, stays: (served: ServedRequest) => boolean = nothing): void {
    const all = this.#byKey.values();
    this.#byKey.clear();
    for (const served of all) {
      if (stays(served)) this.#byKey.set(correlationKey(served.id), served);
      else served.cutOff(reasonFor(served));
    }
    this.#tellIfEmpty();
  }

  #refusal({ method, params }: JsonRpcNotification, caller: Caller | undefined): ProtocolError | undefined {
    return this.#limits?.refusal(this.#load, method, caller?.principal, arrivingBytes(caller, params));
  }

  /** Counts the request in until its handler is done. One continuation does both: each costs a promise. */
  #follow(served: ServedRequest, result: PromiseLike<JsonObject>): void {
    const { method, params, caller } = served;
    const bytes = progressBytes(caller, params);
    this.#limits?.enter(this.#load, method, caller?.principal, bytes);
    Promise.resolve(result).then(
      (value) => {
        this.#limits?.leave(this.#load, method, caller?.principal, bytes);
        this.#succeed(served, value);
      },
      (thrown: unknown) => {
        this.#limits?.leave(this.#load, method, caller?.principal, bytes);
        this.#fail(served, thrown);
      },
    );
  }

  #succeed(served: ServedRequest, result: unknown): void {
    if (!isJsonObject(result)) {
      this.#fail(served, new TypeError(`The handler must return an object, got ${describe(result)}`));
    } else if (this.#settle(served)) {
      this.#answer(served, { jsonrpc: "2.0", id: served.id, result });
    }
  }

  #fail(served: ServedRequest, thrown: unknown): void {
    if (!this.#settle(served)) {
      this.#reportLate(served, thrown);
      return;
    }
    const { wire, report } = mapError(thrown, served.method);
    if (report !== undefined) this.#report(report);
    this.#answer(served, { jsonrpc: "2.0", id: served.id, error: wire });
  }

  #settle(served: ServedRequest): boolean {
    if (!served.settle()) return false;
    // It had not ended before, so the entry is its own and not a successor's.
    this.#forget(served);
    return true;
  }

  #forget({ id }: ServedRequest): void {
    this.#byKey.delete(correlationKey(id));
    if (this.#onEmpty) this.#tellIfEmpty();
  }

  #tellIfEmpty(): void {
    if (this.#byKey.size > 0) return;
    for (const resolve of this.#onEmpty ?? []) resolve();
    this.#onEmpty = undefined;
  }

  #answer(served: ServedRequest, message: JsonRpcAnswer): void {
    if (served.sink === undefined) this.#outcomes.sendAnswer(message, served.method);
    else served.sink.answer(message);
  }

  /** What a handler throws once it was cut off is expected if it is the abort's echo, and a defect otherwise. */
  #reportLate(served: ServedRequest, thrown: unknown): void {
    if (thrown instanceof SdkError || thrown instanceof ProtocolError) return;
    if (thrown instanceof Error && thrown.name === "AbortError") return;
    const message = `The handler of ${served.method} failed after the request had been cut off`;
    this.#report(new SdkError("handler-failed", message, { cause: thrown }));
  }
}

export function errorAnswer(id: RequestId | undefined, code: number, message: string): JsonRpcAnswer {
  const error = { code, message };
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

function nothing(): boolean {
  return false;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
