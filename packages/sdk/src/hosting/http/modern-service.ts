/** Serves the modern era: each POST is one request, or one notification, and stands alone. */
import type { Receiver } from "../../dispatch/dispatcher.js";
import { arrivingBytes, progressBytes, type RequestLimits, type RequestLoad } from "../../dispatch/request-limits.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { findNotification, isSpecMethod } from "../../protocol/method-table.js";
import { LATEST_MODERN_REVISION, type Revision } from "../../protocol/revisions.js";
import { explain } from "../../protocol/shape.js";
import type { ToolHeader } from "../../protocol/tool-header-annotations.js";
import { type ErrorCallback, runGuarded } from "../../runtime/error-callback.js";
import { timerMs } from "../../runtime/timers.js";
import { TransientMap } from "../../runtime/transient-map.js";
import type { McpServer } from "../../server/mcp-server.js";
import type { Caller } from "../../transport/caller.js";
import type { Classified } from "../../wire/classify.js";
import type { JsonRpcNotification, JsonRpcRequest } from "../../wire/json-rpc.js";
import { limitRefusal } from "./error-status.js";
import type { HttpRequest, HttpResponse } from "./http-exchange.js";
import { HttpRefusal } from "./http-refusal.js";
import { type ExchangeHost, ModernExchange } from "./modern-exchange.js";
import { NO_CONNECTION } from "./no-connection.js";
import { findHeaderFault, type MirroringServer } from "./request-headers.js";

export class ModernService implements ExchangeHost, MirroringServer {
  readonly receiver: Receiver;
  readonly revisions: readonly Revision[];
  readonly report: ErrorCallback;
  readonly keepAliveMs: number;
  readonly limits: RequestLimits;
  readonly #server: McpServer;
  readonly #open = new TransientMap<ModernExchange, true>();
  #onIdle: (() => void) | undefined;

  /** `revisions` are those that the endpoint serves, in either era. */
  constructor(server: McpServer, revisions: readonly Revision[], report: ErrorCallback, keepAliveMs: number) {
    this.#server = server;
    this.report = report;
    this.revisions = revisions;
    this.keepAliveMs = keepAliveMs;
    this.limits = server.limits.connection;
    // Requests of this era leave nothing behind on a connection, so all of them can have the same.
    this.receiver = server.accept(NO_CONNECTION, { revisions });
  }

  /** @throws {HttpRefusal} 400 for whatever is neither a request nor a notification, and for headers that do not fit. */
  post(request: HttpRequest, message: Classified, caller: Caller | undefined, response: HttpResponse): void {
    if (message.kind === "request") this.#serve(request, message.message, caller, response);
    else if (message.kind === "notification") this.#notify(request, message.message, caller, response);
    else throw badRequest(ErrorCode.invalidRequest, `Invalid request: ${complaintAbout(message)}`);
  }

  /** Waits until nothing is being served any more, and ends what still is when the time is up. */
  async drain(graceMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    const timer = setTimeout(() => {
      for (const exchange of this.#open.keys()) exchange.giveUp();
    }, timerMs(graceMs));
    await idle;
    clearTimeout(timer);
  }

  toolHeaders(name: string): readonly ToolHeader[] | undefined {
    return this.#server.toolHeaders(name);
  }

  ended(exchange: ModernExchange): void {
    this.#open.delete(exchange);
    if (this.#open.size === 0) this.#onIdle?.();
  }

  #serve(request: HttpRequest, message: JsonRpcRequest, caller: Caller | undefined, response: HttpResponse): void {
    const fault = findHeaderFault(message, request, this);
    if (fault) throw new HttpRefusal(400, { code: fault.code, message: fault.message, data: fault.data });
    const exchange = new ModernExchange(this, message, response, request.connection);
    this.#open.set(exchange, true);
    exchange.serve(request, caller);
  }

  #notify(
    request: HttpRequest,
    { method, params }: JsonRpcNotification,
    caller: Caller | undefined,
    response: HttpResponse,
  ): void {
    const spec = findNotification(LATEST_MODERN_REVISION, "client", method);
    // A notification is never an error to its sender: one that this era dropped is accepted and means nothing.
    if (!spec && isSpecMethod(method)) {
      response.send(202, {});
      return;
    }
    const fault = spec?.params(params ?? {});
    if (fault) throw badRequest(ErrorCode.invalidParams, explain(fault, "params"));
    const load: RequestLoad = request.connection ?? { requests: 0, bytes: 0 };
    const refused = this.limits.refusal(load, method, caller?.principal, arrivingBytes(caller, params));
    if (refused) throw limitRefusal(refused);
    response.send(202, {});
    // Closing the response is what cancels here; a message that says so is about nothing.
    if (method === "notifications/cancelled") return;
    runGuarded(
      () => {
        const running = this.receiver.notification(method, params);
        const bytes = progressBytes(caller, params);
        this.limits.track(load, method, caller?.principal, bytes, Promise.resolve(running));
        return running;
      },
      (cause) => this.report(new SdkError("handler-failed", `The handler of ${method} failed`, { cause })),
    );
  }
}

function complaintAbout(message: Classified): string {
  if (message.kind === "invalid") return message.reason;
  return message.kind === "batch" ? "batches exist in 2025-03-26 alone" : "a client must not send responses";
}

function badRequest(code: number, message: string): HttpRefusal {
  return new HttpRefusal(400, { code, message });
}
