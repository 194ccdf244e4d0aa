/** What every handler is given about its request, on either side. It ends with the request: nothing it sends goes out later. */
import type { InboundRequest, RequestId, RequestOptions } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { MetaKey } from "../protocol/meta-keys.js";
import type { Era, Revision } from "../protocol/revisions.js";
import { markHandled } from "../runtime/mark-handled.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import type { Caller } from "../transport/caller.js";
import { readAnswer, sendDefined } from "./defined-message.js";
import { LayeredRequest } from "./layered-request.js";
import { type MethodDefinition, type NotificationDefinition, nameOf } from "./method-definition.js";
import type { Middleware } from "./middleware.js";
import { metaRefusal } from "./outgoing-meta.js";
import { type ProgressReport, ProgressReports } from "./progress-reports.js";

const NO_META: JsonObject = Object.freeze({});

/** Has all that a context sends pass the middleware. For this folder alone, so it is no method. */
export let sendThrough: <Context extends RequestContext>(
  context: Context,
  middleware: readonly Middleware<Context>[],
) => LayeredRequest<Context>;

/**
 * Guards the place where a handler is called: one that was cancelled before must not begin. For this side's own folders.
 * @throws {SdkError} `request-aborted`
 */
export let requireOpen: (context: RequestContext) => void;

/** Sends what was kept back, before the answer goes out. For this side's own folders, so it is no public method. */
export let finishReports: (context: RequestContext) => void;

/** Its methods declare their `this`, so that the compiler refuses one that was taken off its context. */
export class RequestContext {
  /** The protocol revision this request is served by. */
  readonly revision: Revision;
  readonly era: Era;
  protected inbound: InboundRequest;
  readonly #progressIntervalMs: number | undefined;
  #progress: ProgressReports | undefined;

  static {
    finishReports = (context) => context.finishReports();
    requireOpen = ({ inbound }) => {
      if (inbound.isSettled) throw new SdkError("request-aborted", `${inbound.method} was over before it was served`);
    };
    sendThrough = (context, middleware) => {
      const layered = new LayeredRequest(context.inbound, context.revision, middleware);
      context.inbound = layered;
      return layered;
    };
  }

  constructor(inbound: InboundRequest, revision: Revision, era: Era, progressIntervalMs?: number) {
    this.inbound = inbound;
    this.#progressIntervalMs = progressIntervalMs;
    this.revision = revision;
    this.era = era;
  }

  get requestId(): RequestId {
    return this.inbound.id;
  }

  get method(): string {
    return this.inbound.method;
  }

  /** Who sent the request, as the host established it; undefined in process and over stdio. */
  get caller(): Caller | undefined {
    return this.inbound.caller;
  }

  /** Aborts when the caller cancels or goes away. */
  get signal(): AbortSignal {
    return this.inbound.signal;
  }

  /** The request's `_meta`, empty if it had none. */
  get meta(): Readonly<JsonObject> {
    const meta = this.inbound.params?._meta;
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
    this.#progress ??= new ProgressReports(this.inbound, this.#progressIntervalMs);
    return this.#progress.report(params);
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
    const refusal = this.inbound.isSettled ? undefined : this.refuseNotification(name);
    if (refusal) return markHandled(Promise.reject(refusal));
    if (!this.inbound.isSettled && !this.wantsNotification(name)) return Promise.resolve();
    const badMeta = metaRefusal(name, params);
    if (badMeta) return markHandled(Promise.reject(badMeta));
    // By the overloads, what follows a name is an object.
    if (typeof method === "string") return this.inbound.notify(method, params as JsonObject | undefined);
    return markHandled(sendDefined(method, params, (_method, checked) => this.inbound.notify(name, checked)));
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
    const refusal = this.inbound.isSettled ? undefined : (this.refuseRequest(name) ?? metaRefusal(name, params));
    if (refusal) return markHandled(Promise.reject(refusal));
    // By the overloads it is an object, or what the definition's schema takes: the other side checks that.
    const answer = this.inbound.request(name, params as JsonObject | undefined, options);
    return typeof method === "string" ? answer : markHandled(answer.then((result) => readAnswer(method, result)));
  }

  /** The answer is about to go out. May be called again. */
  protected finishReports(): void {
    this.#progress?.finish();
  }

  /** Why a notification cannot go out in this way, if it cannot. */
  protected refuseNotification(_method: string): SdkError | undefined {
    return undefined;
  }

  /** Whether the other side is to get a notification at all. */
  protected wantsNotification(_method: string): boolean {
    return true;
  }

  /** Why a request of this side's own cannot go out now, if it cannot. */
  protected refuseRequest(method: string): SdkError | undefined {
    if (this.era === "legacy") return undefined;
    const complaint = `${method}: protocol revision ${this.revision} has no requests to the client`;
    return new SdkError("method-not-in-revision", complaint);
  }
}
