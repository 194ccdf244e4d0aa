/** What every handler is given about its request, on either side. It ends with the request: nothing it sends goes out later. */
import type { InboundRequest, RequestId, RequestOptions } from "../dispatch/dispatcher.js";
import { unwatched } from "../dispatch/unwatched.js";
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { MetaKey } from "../protocol/meta-keys.js";
import type { Era, Revision } from "../protocol/revisions.js";

const NO_META: JsonObject = Object.freeze({});

export class RequestContext {
  /** The protocol revision this request is served by. */
  readonly revision: Revision;
  readonly era: Era;
  protected readonly inbound: InboundRequest;
  #lastProgress = Number.NEGATIVE_INFINITY;

  constructor(inbound: InboundRequest, revision: Revision, era: Era) {
    this.inbound = inbound;
    this.revision = revision;
    this.era = era;
  }

  get requestId(): RequestId {
    return this.inbound.id;
  }

  get method(): string {
    return this.inbound.method;
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
  progress(progress: number, total?: number, message?: string): Promise<void> {
    if (!Number.isFinite(progress)) {
      const complaint = `progress: expected a finite number, got ${progress}`;
      return unwatched(Promise.reject(new SdkError("invalid-argument", complaint)));
    }
    const token = this.meta[MetaKey.progressToken];
    if (token === undefined || this.inbound.isSettled || progress <= this.#lastProgress) return Promise.resolve();
    this.#lastProgress = progress;
    const params: JsonObject = { progressToken: token, progress };
    if (total !== undefined) params.total = total;
    if (message !== undefined) params.message = message;
    return this.inbound.notify("notifications/progress", params);
  }

  /** Sends a notification that belongs to this request. @throws {SdkError} `context-ended` after the request. */
  notify(method: string, params?: JsonObject): Promise<void> {
    return this.inbound.notify(method, params);
  }

  /**
   * Sends a request of this side's own while serving one. The modern era has no requests in this direction.
   * @throws {SdkError} `method-not-in-revision` in the modern era, `context-ended` after the request.
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    const refusal = this.inbound.isSettled ? undefined : this.refuseRequest(method);
    if (refusal) return unwatched(Promise.reject(refusal));
    return this.inbound.request(method, params, options);
  }
  /** Why a request of this side's own cannot go out now, if it cannot. */
  protected refuseRequest(method: string): SdkError | undefined {
    if (this.era === "legacy") return undefined;
    const complaint = `${method}: protocol revision ${this.revision} has no requests to the client`;
    return new SdkError("method-not-in-revision", complaint);
  }
}
