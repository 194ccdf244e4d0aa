/** Method → handler, with middleware around every call. Knows neither transports nor what a method means. */
import { methodNotFound } from "../errors/protocol-error.js";
import type { JsonObject } from "../protocol/json.js";
import { type Middleware, runThrough } from "./middleware.js";

export type RequestHandler<Context> = (params: JsonObject, context: Context) => unknown;
export type NotificationHandler = (params: JsonObject, method: string) => unknown;

/** Registers a handler for whatever has none of its own. */
const ANY_METHOD = "*";

export class Router<Context> {
  readonly #requests = new Map<string, RequestHandler<Context>>();
  readonly #notifications = new Map<string, NotificationHandler>();
  readonly #middleware: Middleware<Context>[] = [];

  /** Adds a layer inside the ones added before. */
  use(middleware: Middleware<Context>): void {
    this.#middleware.push(middleware);
  }

  get middleware(): readonly Middleware<Context>[] {
    return this.#middleware;
  }

  /** Sets the handler of a method, replacing the one it had. */
  handle(method: string, handler: RequestHandler<Context>): void {
    this.#requests.set(method, handler);
  }

  has(method: string): boolean {
    return this.#requests.has(method);
  }

  /** The methods with a handler of their own. */
  methods(): Iterable<string> {
    return this.#requests.keys();
  }

  /** Sets the handler of a notification, replacing the one it had. */
  onNotification(method: string, handler: NotificationHandler): void {
    this.#notifications.set(method, handler);
  }

  /** @throws {ProtocolError} -32601 when nobody handles the method. */
  find(method: string): RequestHandler<Context> {
    const handler = this.#requests.get(method) ?? this.#requests.get(ANY_METHOD);
    if (!handler) throw methodNotFound(method);
    return handler;
  }

  /** Runs a request's handler inside the middleware. Without middleware a synchronous answer stays synchronous. */
  routeRequest(handler: RequestHandler<Context>, method: string, params: JsonObject, context: Context): unknown {
    if (this.#middleware.length === 0) return handler(params, context);
    return runThrough(this.#middleware, { kind: "request", direction: "inbound", method, params, context }, (given) =>
      handler(given, context),
    );
  }

  /** Runs a notification's handler, if there is one, inside the middleware. */
  async routeNotification(method: string, params: JsonObject): Promise<void> {
    const handler = this.#notifications.get(method) ?? this.#notifications.get(ANY_METHOD);
    await runThrough(
      this.#middleware,
      { kind: "notification", direction: "inbound", method, params, context: undefined },
      (given) => handler?.(given, method),
    );
  }
}
