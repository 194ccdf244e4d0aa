/**
 * One request that this side serves: the state that its context, the router and the connection share. Handlers see only the
 * context. Internal code reaches this object as `context.routed`.
 */
import type { InboundRequest } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import { MetaKey } from "../protocol/meta-keys.js";
import type { Era, Revision } from "../protocol/revisions.js";
import { isJsonObject } from "../runtime/json.js";
import { LayeredRequest } from "./layered-request.js";
import type { Middleware } from "./middleware.js";
import { ProgressReports } from "./progress-reports.js";

export class RoutedRequest {
  /** The request as the handler sees it. `sendThrough` replaces it by one that sends through the middleware. */
  inbound: InboundRequest;
  /** The protocol revision of the request. */
  readonly revision: Revision;
  readonly era: Era;
  /** Whether middleware sees the result of the request, and may change it. */
  hasMiddleware = false;
  readonly #progressIntervalMs: number | undefined;
  #progress: ProgressReports | undefined;

  constructor(inbound: InboundRequest, revision: Revision, era: Era, progressIntervalMs?: number) {
    this.inbound = inbound;
    this.revision = revision;
    this.era = era;
    this.#progressIntervalMs = progressIntervalMs;
  }

  /**
   * Guards the call of a handler. A request that was cancelled meanwhile must not reach it.
   * @throws {SdkError} `request-aborted`
   */
  requireOpen(): void {
    const { isSettled, method } = this.inbound;
    if (isSettled) throw new SdkError("request-aborted", `${method} was over before it was served`);
  }

  /** The token of progress reports; undefined if nobody wants them. */
  get progressToken(): unknown {
    const meta = this.inbound.params?._meta;
    return isJsonObject(meta) ? meta[MetaKey.progressToken] : undefined;
  }

  get progress(): ProgressReports {
    this.#progress ??= new ProgressReports(this.inbound, this.#progressIntervalMs);
    return this.#progress;
  }

  /** Sends all later requests and notifications of the handler through the middleware. */
  sendThrough<Context>(middleware: readonly Middleware<Context>[]): LayeredRequest<Context> {
    const layered = new LayeredRequest(this.inbound, this.revision, middleware);
    this.inbound = layered;
    this.hasMiddleware = true;
    return layered;
  }

  /** Sends the progress report that the interval held back. Called before the answer is sent. Idempotent. */
  finishReports(): void {
    this.#progress?.finish();
  }

  /** The error for a notification that the handler must not send; undefined if it may. */
  refuseNotification(_method: string): SdkError | undefined {
    return undefined;
  }

  /** False for a notification of an extension that the peer did not declare. */
  wantsNotification(_method: string): boolean {
    return true;
  }

  /** The error for a request that the handler cannot send now; undefined if it can. */
  refuseRequest(method: string): SdkError | undefined {
    if (this.era === "legacy") return undefined;
    const complaint = `${method}: protocol revision ${this.revision} has no requests to the client`;
    return new SdkError("method-not-in-revision", complaint);
  }
}
