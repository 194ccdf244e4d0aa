/**
 * The HTTP endpoint of a server, in any host. Checks the request, authenticates its caller, and parses and classifies its body
 * once. Passes the message to modern-service.ts or legacy/, by its era. Every error becomes an HTTP status.
 */
import { namesItsRevision } from "../../era/modern-codec.js";
import { reachedLimitIn } from "../../errors/limit-reached.js";
import { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { type Era, isLegacyRevision, isModernRevision } from "../../protocol/revisions.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../../runtime/error-callback.js";
import { isPromiseLike } from "../../runtime/maybe-promise.js";
import type { McpServer } from "../../server/mcp-server.js";
import type { ServerHold } from "../../server/server-lifecycle.js";
import type { Caller } from "../../transport/caller.js";
import { type Classified, classify } from "../../wire/classify.js";
import type { RequestId } from "../../wire/json-rpc.js";
import { ObservedResponse, type ResponseObservers } from "./access-log.js";
import { Cors } from "./cors.js";
import { limitRefusal, sendRefusal } from "./error-status.js";
import { HostChecks } from "./host-checks.js";
import { HttpCaller } from "./http-caller.js";
import type { HttpRequest, HttpResponse } from "./http-host.js";
import { checkHttpOptions, type HttpLimits, type HttpOptions, httpLimits } from "./http-options.js";
import { HttpRefusal } from "./http-refusal.js";
import { LegacyEndpoint } from "./legacy/legacy-endpoint.js";
import { checkLegacyOptions } from "./legacy/legacy-options.js";
import { closingRefusal } from "./legacy/refusals.js";
import { acceptsAnswers, isEncoded, isJsonType } from "./media-types.js";
import { ModernService } from "./modern-service.js";
import { serveDocument } from "./public-documents.js";
import { ArrivingBodies, messageOf } from "./request-message.js";
import { ScopeCheck } from "./scope-check.js";
import { sendWebResponse, toWebRequest, type WebRoute } from "./web-route.js";

/** Facts about a request that the host knows besides its bytes. */
export interface RequestOrigin {
  /** Returns the caller, if the host has authenticated it. The endpoint then calls no `authenticate`. */
  readonly caller?: (() => Caller | undefined) | undefined;
  /** Serves paths that the endpoint does not have. Without it, they are answered 404. */
  readonly fallback?: (() => void) | undefined;
}

/** State of one request in the endpoint. */
interface RequestState {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** The response without the headers of `cors`, for routes and documents: they decide alone which pages may read them. */
  readonly plain: HttpResponse;
  /** The same response, if the application observes it. */
  readonly observed: ObservedResponse | undefined;
  /** The JSON-RPC id, once the message is classified. */
  id: RequestId | undefined;
}

type RouteHandler = (state: RequestState, caller: HttpCaller) => void | Promise<void>;

/** Serves one classified message. */
type MessageHandler = (state: RequestState, message: Classified, caller: HttpCaller) => void | Promise<void>;

/** The handlers of one path, by HTTP method. */
interface Route {
  readonly handlers: ReadonlyMap<string, RouteHandler>;
  /** The `Allow` header. */
  readonly allow: string;
}

/** Serves an MCP server over HTTP for any host. The host passes each request and response to `handle`. */
export class HttpEndpoint {
  readonly limits: HttpLimits;
  readonly bodies: ArrivingBodies;
  readonly #options: HttpOptions;
  readonly #checks: HostChecks;
  readonly #cors: Cors | undefined;
  readonly #modern: ModernService | undefined;
  readonly #legacy: LegacyEndpoint | undefined;
  readonly #routes = new Map<string, Route>();
  /** The route of all paths that are not in `#routes`. */
  readonly #defaultRoute: Route | undefined;
  readonly #authenticate: HttpOptions["authenticate"];
  readonly #scopes: ScopeCheck;
  readonly #report: ErrorCallback;
  readonly #reportRefusal: ErrorCallback;
  readonly #observers: ResponseObservers | undefined;
  readonly #hold: ServerHold;
  #closing: Promise<void> | undefined;

  /** @throws {SdkError} `invalid-argument` for a limit out of range, or if no era is left to serve. */
  constructor({ hosting: server }: McpServer, options: HttpOptions = {}) {
    const { allowedHosts, allowedOrigins, cors, legacy = {}, path, authorization } = options;
    checkHttpOptions(options);
    if (legacy !== false) checkLegacyOptions(legacy);
    this.limits = httpLimits(options);
    this.bodies = new ArrivingBodies(this.limits.bodyTimeoutMs, server.limits.bytes);
    this.#options = options;
    this.#report = createErrorCallback(server.dispatcherOptions.onError);
    this.#reportRefusal = createErrorCallback(options.onRefusal);
    this.#observers = this.#createObservers(options);
    this.#authenticate = authorization ? (request) => authorization.authenticate(request) : options.authenticate;
    if (authorization && options.authenticate) {
      throw new SdkError("invalid-argument", "authorization takes the place of authenticate; give one of them");
    }
    this.#scopes = new ScopeCheck(server, authorization?.requiredScopes ?? []);
    this.#cors = cors && new Cors(cors);
    this.#checks = new HostChecks(allowedHosts, allowedOrigins, cors?.origins);
    if (server.revisions.some(isModernRevision)) {
      // Answers list these revisions, so they must not include revisions that the endpoint refuses.
      const revisions = legacy === false ? server.revisions.filter(isModernRevision) : server.revisions;
      this.#modern = new ModernService(server, revisions, this.#report, this.limits.keepAliveMs);
    }
    if (legacy !== false && server.revisions.some(isLegacyRevision)) {
      this.#legacy = new LegacyEndpoint(server, legacy, this.limits.keepAliveMs);
    }
    if (this.#modern === undefined && this.#legacy === undefined) {
      const message = "legacy: false leaves nothing to serve, since the server speaks no modern revision";
      throw new SdkError("invalid-argument", message);
    }
    this.#addSseRoutes();
    this.#hold = server.hold();
    if (path === undefined) this.#defaultRoute = this.#mcpRoute();
    else this.#routes.set(path, this.#mcpRoute());
  }

  /** Answers one request. Never throws. */
  handle(request: HttpRequest, host: HttpResponse, origin: RequestOrigin): void {
    const observed = this.#observers && new ObservedResponse(request, host, this.#observers);
    const plain = observed ?? host;
    const response = this.#cors?.expose(request, plain) ?? plain;
    const state: RequestState = { request, response, plain, observed, id: undefined };
    try {
      this.#catchLate(state, this.#serve(state, origin));
    } catch (error) {
      this.#refuse(state, error);
    }
  }

  /** Rejects with the error of the server's `onStart`. */
  get started(): Promise<void> {
    return this.#hold.started;
  }

  /** Ends subscriptions and sessions, waits for requests in progress, and refuses later ones. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const { shutdownGraceMs } = this.limits;
    await Promise.all([this.#modern?.drain(shutdownGraceMs), this.#legacy?.drain(shutdownGraceMs)]);
    await this.#hold.release(shutdownGraceMs);
  }

  #mcpRoute(): Route {
    const legacy = this.#legacy;
    const post: RouteHandler = (state, caller) => {
      if (!acceptsAnswers(state.request.header("accept"))) {
        const message = "Not acceptable: the Accept header must list both application/json and text/event-stream";
        throw new HttpRefusal(406, { message });
      }
      this.#readMessage(state, caller, this.#serveMessage);
    };
    if (legacy === undefined) return routeOf([["POST", post]]);
    return routeOf([
      ["POST", post],
      ["GET", this.#scoped((state, caller) => legacy.get(state.request, caller, asLegacy(state)))],
      ["DELETE", this.#scoped((state, caller) => legacy.delete(state.request, caller, asLegacy(state)))],
    ]);
  }

  /** Adds the two paths of HTTP+SSE if the `sse` option is set. */
  #addSseRoutes(): void {
    const sse = this.#legacy?.sse;
    if (sse === undefined) return;
    const open = this.#scoped((state, caller) => sse.get(state.request, caller, asLegacy(state)));
    const serve: MessageHandler = (state, message, caller) => sse.post(state.request, message, caller, asLegacy(state));
    this.#routes.set(sse.path, routeOf([["GET", open]]));
    this.#routes.set(sse.messagesPath, routeOf([["POST", (state, caller) => this.#readMessage(state, caller, serve)]]));
  }

  /** Checks the scopes of a GET or DELETE. The scopes of a POST depend on its message, see `#readMessage`. */
  #scoped(serve: RouteHandler): RouteHandler {
    return (state, caller) => {
      this.#scopes.check(caller);
      return serve(state, caller);
    };
  }

  /** Undefined if the application observes nothing, so that a response is not wrapped. */
  #createObservers({ onResponse, onRefusal }: HttpOptions): ResponseObservers | undefined {
    if (onResponse === undefined && onRefusal === undefined) return undefined;
    const onFailure = (cause: unknown) =>
      this.#report(new SdkError("handler-failed", "The onResponse callback failed", { cause }));
    return {
      onResponse: onResponse && ((entry) => runGuarded(() => onResponse(entry), onFailure)),
      onRefusal: this.#reportRefusal,
    };
  }

  /** Answers a rejection like an exception. */
  #catchLate(state: RequestState, serving: void | Promise<void>): void {
    if (isPromiseLike(serving)) serving.then(undefined, (error) => this.#refuse(state, error));
  }

  #serve(state: RequestState, origin: RequestOrigin): void | Promise<void> {
    const { request, plain } = state;
    const { authorization, routes } = this.#options;
    this.#checks.checkHost(request);
    const route = this.#routes.get(request.path);
    if (route !== undefined) return this.#serveRoute(route, state, origin);
    if (serveDocument(authorization?.documents, request, plain)) return undefined;
    if (routes === undefined) return this.#serveRoute(this.#defaultRoute, state, origin);
    return this.#serveWebRoutes(routes, state, origin);
  }

  async #serveWebRoutes(routes: readonly WebRoute[], state: RequestState, origin: RequestOrigin): Promise<void> {
    const { request, plain } = state;
    const { address } = request;
    const asked = toWebRequest(request, this.limits.maxBodyBytes);
    for (const route of routes) {
      const answer = await route(asked, { address });
      if (answer !== undefined) return sendWebResponse(answer, request, plain);
    }
    return this.#serveRoute(this.#defaultRoute, state, origin);
  }

  /** @throws {HttpRefusal} 401, 403, 404 or 405. */
  #serveRoute(route: Route | undefined, state: RequestState, origin: RequestOrigin): void | Promise<void> {
    const { request, response } = state;
    this.#checks.checkOrigin(request);
    if (route === undefined) {
      if (origin.fallback === undefined) throw HttpRefusal.notFound(request.method, request.path);
      state.observed?.forget();
      return origin.fallback();
    }
    if (this.#cors?.preflight(request, route.allow, response)) return undefined;
    const serve = route.handlers.get(request.method);
    if (serve === undefined) throw HttpRefusal.methodNotAllowed(route.allow);
    const known = origin.caller?.();
    if (known !== undefined || this.#authenticate === undefined) return serveFor(known, serve, state);
    const caller = this.#authenticate(request);
    if (!isPromiseLike(caller)) return serveFor(authenticated(caller), serve, state);
    return Promise.resolve(caller).then((found) => serveFor(authenticated(found), serve, state));
  }

  /** Parses and classifies the body: its text, or the value that a framework has parsed. */
  #readMessage(state: RequestState, caller: HttpCaller, serve: MessageHandler): void {
    const { request } = state;
    if (!isJsonType(request.header("content-type"))) {
      throw new HttpRefusal(415, { message: "Content-Type must be application/json in UTF-8" });
    }
    // A framework that has parsed the body has decoded it.
    if (request.parsedBody === undefined && isEncoded(request.header("content-encoding"))) {
      throw new HttpRefusal(415, { message: "Content-Encoding must be absent or identity: send the body as it is" });
    }
    const read = (body: unknown, bytes: number) => {
      try {
        caller.messageBytes = bytes;
        const message = classify(messageOf(body, this.limits));
        if (message.kind === "request") state.id = message.message.id;
        if (message.kind === "invalid") state.id = message.id;
        if ("message" in message) state.observed?.describe(message.message.method, message.message.params);
        this.#scopes.checkMessage(message, caller);
        this.#catchLate(state, serve(state, message, caller));
      } catch (error) {
        this.#refuse(state, error);
      }
    };
    if (request.parsedBody !== undefined) read(request.parsedBody, Number(request.header("content-length")) || 0);
    else request.readBody(this.limits.maxBodyBytes, caller.principal, read, (error) => this.#refuse(state, error));
  }

  readonly #serveMessage: MessageHandler = (state, message, caller) => {
    const { request, response, observed } = state;
    const era = this.#eraOf(request, message);
    if (observed) observed.era = era;
    if (era === "legacy") return this.#legacy?.post(request, message, caller, response);
    // The legacy endpoint refuses new requests itself. It still accepts answers and cancellations for running requests.
    if (this.#closing !== undefined) throw closingRefusal();
    this.#modern?.post(request, message, caller, response);
  };

  /** Modern: a message with a modern revision in its header, and a request with a revision in its `_meta`. */
  #eraOf(request: HttpRequest, message: Classified): Era {
    if (this.#legacy === undefined) return "modern";
    if (this.#modern === undefined) return "legacy";
    if (isModernRevision(request.header(HttpHeader.revision))) return "modern";
    return message.kind === "request" && namesItsRevision(message.message.params) ? "modern" : "legacy";
  }

  #refuse(state: RequestState, thrown: unknown): void {
    const refusal = refusalIn(thrown);
    if (refusal === undefined) {
      this.#fail(state, thrown);
      return;
    }
    this.#reportRefusal(refusal);
    try {
      sendRefusal(state.response, refusal, state.id);
    } catch (cause) {
      this.#fail(state, cause);
    }
  }

  /** Answers 500: a hook of the application failed, or returned headers that cannot be sent. */
  #fail(state: RequestState, cause: unknown): void {
    const message = "Serving an HTTP request failed; it was answered 500";
    this.#report(new SdkError("handler-failed", message, { cause }));
    sendRefusal(state.response, INTERNAL_ERROR, state.id);
  }
}

/** The refusal that was thrown. A store of a route or a hook throws the error of a limit. */
function refusalIn(thrown: unknown): HttpRefusal | undefined {
  if (thrown instanceof ProtocolError && reachedLimitIn(thrown)) return limitRefusal(thrown);
  return thrown instanceof HttpRefusal ? thrown : undefined;
}

/** @throws {HttpRefusal} 401 without a caller. @throws {SdkError} `invalid-argument` for a principal that is not a string. */
function authenticated(caller: Caller | undefined): Caller {
  // A callback in JavaScript may return any value, so the type is checked.
  if (typeof caller !== "object" || caller === null) {
    throw HttpRefusal.unauthorized();
  }
  if (caller.principal === undefined || typeof caller.principal === "string") return caller;
  throw new SdkError(
    "invalid-argument",
    `authenticate: expected principal to be a string, got ${typeof caller.principal}`,
  );
}

function serveFor(caller: Caller | undefined, serve: RouteHandler, state: RequestState): void | Promise<void> {
  const { request } = state;
  request.setPrincipal?.(caller?.principal);
  return serve(state, new HttpCaller(request, caller));
}

const INTERNAL_ERROR = new HttpRefusal(500, { code: ErrorCode.internalError, message: "Internal error" });

function routeOf(handlers: readonly [string, RouteHandler][]): Route {
  return { handlers: new Map(handlers), allow: handlers.map(([verb]) => verb).join(", ") };
}

function asLegacy({ response, observed }: RequestState): HttpResponse {
  if (observed) observed.era = "legacy";
  return response;
}
