/** Serves the modern era over HTTP: each POST is one request or one notification, without a session. */
import { CANCELLED } from "../../dispatch/cancellation.js";
import type { Dispatcher, Receiver } from "../../dispatch/dispatcher.js";
import type { RequestLimits, RequestLoad } from "../../dispatch/request-limits.js";
import { refusalOf, runNotification } from "../../dispatch/served-request.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { findNotification, isSpecMethod } from "../../protocol/method-table.js";
import { LATEST_MODERN_REVISION, type Revision } from "../../protocol/revisions.js";
import { explain } from "../../protocol/shape.js";
import type { ToolHeader } from "../../protocol/tool-header-annotations.js";
import type { ErrorCallback } from "../../runtime/error-callback.js";
import { timerMs } from "../../runtime/timers.js";
import { TransientMap } from "../../runtime/transient-map.js";
import type { ServerHosting } from "../../server/server-hosting.js";
import type { Caller } from "../../transport/caller.js";
import type { Classified } from "../../wire/classify.js";
import type { JsonRpcNotification } from "../../wire/json-rpc.js";
import { limitRefusal } from "./error-status.js";
import type { HttpRequest, HttpResponse } from "./http-host.js";
import { HttpRefusal } from "./http-refusal.js";
import { type ModernHost, ModernResponse } from "./modern-response.js";
import { findHeaderFault, type MirroringServer } from "./request-headers.js";

export class ModernService implements ModernHost, MirroringServer {
  readonly receiver: Receiver;
  readonly revisions: readonly Revision[];
  readonly report: ErrorCallback;
  readonly keepAliveMs: number;
  readonly limits: RequestLimits;
  readonly #server: ServerHosting;
  readonly #open = new TransientMap<ModernResponse, true>();
  #onIdle: (() => void) | undefined;

  /** `revisions` are all revisions that the endpoint serves, of both eras. */
  constructor(server: ServerHosting, revisions: readonly Revision[], report: ErrorCallback, keepAliveMs: number) {
    this.#server = server;
    this.report = report;
    this.revisions = revisions;
    this.keepAliveMs = keepAliveMs;
    this.limits = server.limits.connection;
    // Modern requests leave no state on a connection, so all of them share one receiver.
    this.receiver = server.accept(NO_CONNECTION, { revisions, era: "modern" });
  }

  /** @throws {HttpRefusal} 400 for a message of another kind, or headers that do not match the body. */
  post(request: HttpRequest, message: Classified, caller: Caller | undefined, response: HttpResponse): void {
    if (message.kind === "notification") {
      this.#notify(request, message.message, caller, response);
      return;
    }
    if (message.kind !== "request")
      throw badRequest(ErrorCode.invalidRequest, `Invalid request: ${complaintAbout(message)}`);
    const fault = findHeaderFault(message.message, request, this);
    if (fault) throw new HttpRefusal(400, fault);
    const served = new ModernResponse(this, message.message, response, caller, loadOf(request));
    this.#open.set(served, true);
    served.serve(request);
  }

  /** Ends subscriptions, waits until every request is answered, and aborts requests that take longer than `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    for (const response of this.#open.keys()) response.endSubscription();
    if (this.#open.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    const timer = setTimeout(() => {
      for (const response of this.#open.keys()) response.shutDown();
    }, timerMs(graceMs));
    await idle;
    clearTimeout(timer);
  }

  toolHeaders(name: string): readonly ToolHeader[] | undefined {
    return this.#server.toolHeaders(name);
  }

  mirroredParam(method: string): string | undefined {
    return this.#server.mirroredParam(method);
  }

  ended(response: ModernResponse): void {
    this.#open.delete(response);
    if (this.#open.size === 0) this.#onIdle?.();
  }

  #notify(
    request: HttpRequest,
    message: JsonRpcNotification,
    caller: Caller | undefined,
    response: HttpResponse,
  ): void {
    const { method, params } = message;
    const spec = findNotification(LATEST_MODERN_REVISION, "client", method);
    // A notification that exists only in the legacy era is accepted and ignored.
    if (!spec && isSpecMethod(method)) {
      response.send(202, {});
      return;
    }
    const fault = spec?.params(params ?? {});
    if (fault) throw badRequest(ErrorCode.invalidParams, explain(fault, "params"));
    const counted = { report: this.report, limits: this.limits, load: loadOf(request) };
    const refused = refusalOf(counted, message, caller);
    if (refused) throw limitRefusal(refused);
    response.send(202, {});
    // Modern clients cancel by closing the response, so a cancellation names no request that is known here.
    if (method !== CANCELLED) runNotification(counted, this.receiver, message, caller);
  }
}

/** The load of a request's connection. Without a connection from the host, each request gets a load of its own. */
function loadOf({ connection }: HttpRequest): RequestLoad {
  return connection ?? { requests: 0, bytes: 0 };
}

function sendsNothing(): Promise<never> {
  const message = "A modern server sends only what belongs to a request";
  return Promise.reject(new SdkError("method-not-in-revision", message));
}

/** The sending half of the shared receiver. It rejects everything, since there is no connection to send over. */
const NO_CONNECTION: Dispatcher = {
  isClosed: false,
  carriesHeaders: false,
  request: sendsNothing,
  notify: sendsNothing,
  requestBatch: sendsNothing,
  close: () => Promise.resolve(),
};

function complaintAbout(message: Classified): string {
  if (message.kind === "invalid") return message.reason;
  return message.kind === "batch" ? "batches exist in 2025-03-26 alone" : "a client must not send responses";
}

function badRequest(code: number, message: string): HttpRefusal {
  return new HttpRefusal(400, { code, message });
}
