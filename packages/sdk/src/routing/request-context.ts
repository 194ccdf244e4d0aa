/** The context of a handler, on either side. It ends with its request: after the answer, it sends nothing. */
import type { RequestId, RequestOptions } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import { MetaKey } from "../protocol/meta-keys.js";
import type { Era, Revision } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { markHandled } from "../runtime/mark-handled.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import type { Caller } from "../transport/caller.js";
import { metaRefusal, readAnswer, sendDefined } from "./defined-message.js";
import { type MethodDefinition, type NotificationDefinition, nameOf } from "./method-definition.js";
import type { ProgressReport } from "./progress-reports.js";
import type { RoutedRequest } from "./routed-request.js";

const NO_META: JsonObject = Object.freeze({});

/** Methods declare their `this`, so that the compiler refuses a method that was destructured from its context. */
export class RequestContext {
  /** @internal */
  readonly routed: RoutedRequest;

  constructor(request: RoutedRequest) {
    this.routed = request;
  }

  /** The protocol revision this request is served by. */
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

  /** Who sent the request, as the host established it; undefined in process and over stdio. */
  get caller(): Caller | undefined {
    return this.routed.inbound.caller;
  }

  /** Aborts when the caller cancels or goes away. */
  get signal(): AbortSignal {
    return this.routed.inbound.signal;
  }

  /** The request's `_meta`, empty if it had none. */
  get meta(): Readonly<JsonObject> {
    const meta = this.routed.inbound.params?._meta;
    return isJsonObject(meta) ? meta : NO_META;
  }

  /**
   * Reports progress to a caller that asked for it. Values that do not increase, and anything after the request has
   * ended, are left out.
   * @throws {SdkError} `invalid-argument` if the value is not a finite number.
   */
  progress(this: RequestContext, progress: number, total?: number, message?: string): Promise<void> {
    if (!Number.isFinite(progress)) {
      const got = typeof progress === "number" ? progress : typeof progress;
      const complaint = `progress: expected a finite number, got ${got}; write progress(1, 2)`;
      return markHandled(Promise.reject(new SdkError("invalid-argument", complaint)));
    }
    const token = this.meta[MetaKey.progressToken];
    if (token === undefined) return Promise.resolve();
    const params: ProgressReport = { progressToken: token, progress };
    if (total !== undefined) params.total = total;
    if (message !== undefined) params.message = message;
    return this.routed.progress.report(params);
  }

  /**
   * Sends a notification that belongs to this request. One of an extension that the other side did not declare is left
   * out. @throws {SdkError} `context-ended` after the request, `invalid-argument` for params against the definition.
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
    // By the overloads, what follows a name is an object.
    if (typeof method === "string") return inbound.notify(method, params as JsonObject | undefined);
    return markHandled(sendDefined(method, params, (_method, checked) => inbound.notify(name, checked)));
  }

  /**
   * Sends a request of this side's own while serving one. The modern era has no requests in this direction.
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
    // By the overloads it is an object, or what the definition's schema takes: the other side checks that.
    const answer = inbound.request(name, params as JsonObject | undefined, options);
    return typeof method === "string" ? answer : markHandled(answer.then((result) => readAnswer(method, result)));
  }
}
