/**
 * The router: method → handler, with middleware around every call. It checks each message against the method table: the
 * method must exist in the revision, and the params must have the method's shape. Knows no transports.
 */
import { invalidParams, methodNotFound } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { findNotification, findRequest, isSpecMethod, type MethodSender } from "../protocol/method-table.js";
import type { Revision } from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import type { JsonObject } from "../runtime/json.js";
import { type Middleware, runThrough } from "./middleware.js";
import type { RequestContext } from "./request-context.js";

/** Handles a request by its method name. Gets unchecked params for a method of your own. */
export type RequestHandler<Context> = (params: JsonObject, context: Context) => unknown;
/** `Context` describes the sender. A client passes undefined. */
export type NotificationHandler<Context = undefined> = (
  params: JsonObject,
  method: string,
  context: Context,
) => unknown;

/** The name of the handler for methods without a handler of their own. */
const ANY_METHOD = "*";

export class Router<Context extends RequestContext, NotificationContext = undefined> {
  readonly #sender: MethodSender;
  readonly #requests = new Map<string, RequestHandler<Context>>();
  readonly #notifications = new Map<string, NotificationHandler<NotificationContext>>();
  /** Handlers of definitions whose name the specification uses in some revisions. */
  readonly #defined = new Map<string, RequestHandler<Context>>();
  /** Methods of extensions: see `admit`. */
  readonly #admitted = new Set<string>();
  readonly #middleware: Middleware<Context>[] = [];

  /** `sender` is the side whose requests and notifications this router serves. */
  constructor(sender: MethodSender) {
    this.#sender = sender;
  }

  /** Adds middleware inside the ones added before. */
  use(middleware: Middleware<Context>): void {
    this.#middleware.push(middleware);
  }

  get middleware(): readonly Middleware<Context>[] {
    return this.#middleware;
  }

  /**
   * Sets the handler of a method, replacing the one it had. If the specification has the method in some revisions, a handler of
   * a definition serves the other revisions, and a handler by name those.
   */
  handle(method: string, handler: RequestHandler<Context>, isDefined = false): void {
    (isDefined && isSpecMethod(method) ? this.#defined : this.#requests).set(method, handler);
  }

  /** The handler that serves a method: its own, or the one for any method. */
  handlerOf(method: string): RequestHandler<Context> | undefined {
    return this.#requests.get(method) ?? this.#requests.get(ANY_METHOD);
  }

  has(method: string): boolean {
    return this.#requests.has(method);
  }

  /**
   * Serves a method of an extension in every revision, even if the specification has a method of the same name in some of
   * them. Other methods of the specification exist only in their revisions.
   */
  admit(method: string): void {
    this.#admitted.add(method);
  }

  /** The methods with a handler of their own. */
  methods(): Iterable<string> {
    return this.#requests.keys();
  }

  /** Sets the handler of a notification, replacing the one it had. */
  onNotification(method: string, handler: NotificationHandler<NotificationContext>): void {
    this.#notifications.set(method, handler);
  }

  /**
   * Runs a request's handler inside the middleware. Without middleware a synchronous answer stays synchronous.
   * @throws {ProtocolError} -32601 for a method without a handler, -32602 for malformed params.
   */
  routeRequest(method: string, params: JsonObject, context: Context): unknown {
    if (this.#middleware.length === 0) return this.#serve(method, params, context);
    return this.#serveThrough(method, params, context);
  }

  /**
   * Runs a notification's handler, if it has one, inside the middleware.
   * @throws {SdkError} `invalid-message` for malformed params, or a notification that the revision does not have.
   */
  async routeNotification(
    revision: Revision,
    method: string,
    params: JsonObject,
    context: NotificationContext,
  ): Promise<void> {
    const spec = findNotification(revision, this.#sender, method);
    if (!spec && isSpecMethod(method)) {
      throw new SdkError(
        "invalid-message",
        `${method} was dropped: it does not exist in protocol revision ${revision}`,
      );
    }
    const fault = spec?.params(params);
    if (fault) throw new SdkError("invalid-message", `${method} was dropped: ${explain(fault, "params")}`);
    const handler = this.#notifications.get(method) ?? this.#notifications.get(ANY_METHOD);
    await runThrough(
      this.#middleware,
      { kind: "notification", direction: "inbound", revision, method, params, context: undefined },
      (given) => handler?.(given, method, context),
    );
  }

  async #serveThrough(method: string, params: JsonObject, context: Context): Promise<unknown> {
    const request = context.routed;
    const outgoing = request.sendThrough(this.#middleware);
    const { revision } = context;
    const call = { kind: "request", direction: "inbound", revision, method, params, context } as const;
    try {
      return await runThrough(this.#middleware, call, (given) => this.#serve(method, given, context));
    } finally {
      request.finishReports();
      await outgoing.handedOver();
    }
  }

  #serve(method: string, params: JsonObject, context: Context): unknown {
    const spec = findRequest(context.revision, this.#sender, method);
    const handler = spec ? this.handlerOf(method) : this.#handlerOutsideSpec(method);
    if (!handler) throw methodNotFound(method);
    const fault = spec?.params(params);
    if (fault) throw invalidParams(explain(fault, "params"));
    context.routed.requireOpen();
    return handler(params, context);
  }

  /** The handler of a method that the specification does not have in the revision of the request. */
  #handlerOutsideSpec(method: string): RequestHandler<Context> | undefined {
    // A method of other revisions does not exist in this one, unless an extension has it too.
    if (isSpecMethod(method) && !this.#admitted.has(method)) return undefined;
    return this.#defined.get(method) ?? this.handlerOf(method);
  }
}
