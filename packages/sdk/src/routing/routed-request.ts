/**
 * One request that this side serves: the state that its context, the router and the connection share. Handlers see the
 * context alone, and internal code reaches this object as `context.routed`.
 */
import type { InboundRequest } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Era, Revision } from "../protocol/revisions.js";
import { LayeredRequest } from "./layered-request.js";
import type { Middleware } from "./middleware.js";
import { ProgressReports } from "./progress-reports.js";

export class RoutedRequest {
  /** Sends what the handler sends, through the middleware if there is any. */
  inbound: InboundRequest;
  /** The protocol revision the request is served by. */
  readonly revision: Revision;
  readonly era: Era;
  readonly #progressIntervalMs: number | undefined;
  #progress: ProgressReports | undefined;

  constructor(inbound: InboundRequest, revision: Revision, era: Era, progressIntervalMs?: number) {
    this.inbound = inbound;
    this.revision = revision;
    this.era = era;
    this.#progressIntervalMs = progressIntervalMs;
  }

  /**
   * Guards the call of a handler: a request that was cancelled before does not reach it.
   * @throws {SdkError} `request-aborted`
   */
  requireOpen(): void {
    const { isSettled, method } = this.inbound;
    if (isSettled) throw new SdkError("request-aborted", `${method} was over before it was served`);
  }

  get progress(): ProgressReports {
    this.#progress ??= new ProgressReports(this.inbound, this.#progressIntervalMs);
    return this.#progress;
  }

  /** Passes everything that the handler sends from now on through the middleware. */
  sendThrough<Context>(middleware: readonly Middleware<Context>[]): LayeredRequest<Context> {
    const layered = new LayeredRequest(this.inbound, this.revision, middleware);
    this.inbound = layered;
    return layered;
  }

  /** Sends reports that were held back, before the answer goes out. May be called again. */
  finishReports(): void {
    this.#progress?.finish();
  }

  /** The error of a notification that a handler of this request must not send. */
  refuseNotification(_method: string): SdkError | undefined {
    return undefined;
  }

  /** False for a notification of an extension that the peer did not declare. */
  wantsNotification(_method: string): boolean {
    return true;
  }

  /** The error of a request that a handler cannot send now. */
  refuseRequest(method: string): SdkError | undefined {
    if (this.era === "legacy") return undefined;
    const complaint = `${method}: protocol revision ${this.revision} has no requests to the client`;
    return new SdkError("method-not-in-revision", complaint);
  }
}
