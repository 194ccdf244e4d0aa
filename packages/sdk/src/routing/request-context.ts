/** The context of a request handler, on either side. After the answer to its request, it sends nothing. */
import type { RequestId, RequestOptions } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Era, Revision } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { markHandled } from "../runtime/maybe-promise.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import type { Caller } from "../transport/caller.js";
import { metaRefusal, readAnswer, sendDefined } from "./defined-message.js";
import { type MethodDefinition, type NotificationDefinition, nameOf } from "./method-definition.js";
import type { OutgoingProgress } from "./progress-reports.js";
import type { RoutedRequest } from "./routed-request.js";

const NO_META: JsonObject = Object.freeze({});

/** Methods declare their `this`, so that the compiler refuses a method that was destructured from its context. */
export class RequestContext {
  /** @internal */
  routed: RoutedRequest;

  constructor(request: RoutedRequest) {
    this.routed = request;
  }

  /** The protocol revision of this request. */
  get revision(): Revision {
    return this.routed.revision;
  }

  get era(): Era {
    return this.routed.era;
  }

  get requestId(): RequestId {
    return this.routed.inbound.id;
  }

  get method(): string {
    return this.routed.inbound.method;
  }

  /** The sender, as its host knows it; `principal` is set if it was authenticated. Undefined in process and over stdio. */
  get caller(): Caller | undefined {
    return this.routed.inbound.caller;
  }

  /** Aborts when the caller cancels or disconnects. */
  get signal(): AbortSignal {
    return this.routed.inbound.signal;
  }

  /** The `_meta` of the request; an empty object if it has none. */
  get meta(): Readonly<JsonObject> {
    const meta = this.routed.inbound.params?._meta;
    return isJsonObject(meta) ? meta : NO_META;
  }

  /**
   * Reports progress to a caller that sent a progress token. Drops values that do not increase, and every report after the
   * request has ended.
   * @throws {SdkError} `invalid-argument` if the value is not a finite number.
   */
  progress(this: RequestContext, progress: number, total?: number, message?: string): Promise<void> {
    if (!Number.isFinite(progress)) {
      const got = typeof progress === "number" ? progress : typeof progress;
      const complaint = `progress: expected a finite number, got ${got}; write progress(1, 2)`;
      return markHandled(Promise.reject(new SdkError("invalid-argument", complaint)));
    }
    const token = this.routed.progressToken;
    if (token === undefined) return Promise.resolve();
    const params: OutgoingProgress = { progressToken: token, progress };
    if (total !== undefined) params.total = total;
    if (message !== undefined) params.message = message;
    return this.routed.progress.report(params);
  }

  /**
   * Sends a notification that belongs to this request. Drops a notification of an extension that the peer did not declare.
   * @throws {SdkError} `context-ended` after the request, `invalid-argument` for params that do not match the definition.
   */
  notify(this: RequestContext, method: string, params?: JsonObject): Promise<void>;
  notify<Params extends Schema>(
    this: RequestContext,
    notification: NotificationDefinition<Params>,
    params: SchemaInput<Params>,
  ): Promise<void>;
  notify(this: RequestContext, method: string | NotificationDefinition, params?: unknown): Promise<void> {
    const name = nameOf(method);
    const request = this.routed;
    const { inbound } = request;
    const refusal = inbound.isSettled ? undefined : request.refuseNotification(name);
    if (refusal) return markHandled(Promise.reject(refusal));
    if (!inbound.isSettled && !request.wantsNotification(name)) return Promise.resolve();
    const badMeta = metaRefusal(name, params);
    if (badMeta) return markHandled(Promise.reject(badMeta));
    // By the overloads, params after a method name are an object.
    if (typeof method === "string") return inbound.notify(method, params as JsonObject | undefined);
    return markHandled(sendDefined(method, params, (_method, checked) => inbound.notify(name, checked)));
  }

  /**
   * Sends a request to the peer while this side serves one. Legacy only: the modern era has no requests in this direction.
   * @throws {SdkError} `method-not-in-revision` in the modern era, `context-ended` after the request.
   */
  request(this: RequestContext, method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  request<Params extends Schema, Result extends Schema>(
    this: RequestContext,
    method: MethodDefinition<Params, Result>,
    params: SchemaInput<Params>,
    options?: RequestOptions,
  ): Promise<SchemaOutput<Result>>;
  request(
    this: RequestContext,
    method: string | MethodDefinition,
    params?: unknown,
    options?: RequestOptions,
  ): Promise<unknown> {
    const name = nameOf(method);
    const request = this.routed;
    const { inbound } = request;
    const refusal = inbound.isSettled ? undefined : (request.refuseRequest(name) ?? metaRefusal(name, params));
    if (refusal) return markHandled(Promise.reject(refusal));
    // By the overloads, params are an object or match the definition's schema. The peer checks them.
    const answer = inbound.request(name, params as JsonObject | undefined, options);
    return typeof method === "string" ? answer : markHandled(answer.then((result) => readAnswer(method, result)));
  }
}
