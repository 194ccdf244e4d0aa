/**
 * One HTTP request in, one response out, whichever host received it: who may ask, what counts as a message, and which
 * era serves it (modern-service.ts or legacy/). Never throws: whatever goes wrong becomes a status.
 */

import { namesItsRevision } from "../../era/modern-codec.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { type Era, isLegacyRevision, isModernRevision } from "../../protocol/revisions.js";
import { createErrorCallback, type ErrorCallback, runGuarded } from "../../runtime/error-callback.js";
import { isPromiseLike } from "../../runtime/maybe-promise.js";
import type { McpServer } from "../../server/mcp-server.js";
import type { Caller } from "../../transport/caller.js";
import { type Classified, classify } from "../../wire/classify.js";
import type { RequestId } from "../../wire/json-rpc.js";
import { Cors } from "./cors.js";
import { WatchedResponse } from "./exchange-report.js";
import { HostChecks } from "./host-checks.js";
import { HttpCaller } from "./http-caller.js";
import type { HttpRequest, HttpResponse } from "./http-exchange.js";
import { checkAccess, type HttpLimits, type HttpOptions, httpLimits } from "./http-options.js";
import { HttpRefusal, notServed } from "./http-refusal.js";
import { LegacyEndpoint } from "./legacy/legacy-endpoint.js";
import { shuttingDown } from "./legacy/refusals.js";
import { acceptsAnswers, isJsonType, JSON_HEADERS } from "./media-types.js";
import { ModernService } from "./modern-service.js";
import { serveDocument } from "./public-documents.js";
import { RefusalReport } from "./refusal-report.js";
import { ArrivingBodies, messageOf } from "./request-message.js";
import { ScopeCheck } from "./scope-check.js";
import { sendWebResponse, toWebRequest, type WebRoute } from "./web-route.js";

/** What a host knows of a request besides the request. */
export interface Arrival {
  /** Who sent it, where that has been established already; then nobody is asked to authenticate it. */
  readonly caller?: (() => Caller | undefined) | undefined;
  /** Serves the paths that are not this endpoint's; 404 without it. */
  readonly elsewhere?: (() => void) | undefined;
}

/** One request on its way through the endpoint. */
interface Handling {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly watched: WatchedResponse | undefined;
  /** The JSON-RPC id, once it has been read. */
  id: RequestId | undefined;
}

type Serve = (handling: Handling, caller: HttpCaller) => void | Promise<void>;

/** Does with the message in a body what is to be done with it. */
type Take = (handling: Handling, value: unknown, message: Classified, caller: HttpCaller) => void | Promise<void>;

/** What is served under one path. */
interface Place {
  readonly verbs: ReadonlyMap<string, Serve>;
  /** Their names, as the `Allow` header lists them. */
  readonly allow: string;
}

export class HttpEndpoint {
  readonly limits: HttpLimits;
  readonly bodies: ArrivingBodies;
  readonly #server: McpServer;
  readonly #options: HttpOptions;
  readonly #checks: HostChecks;
  readonly #cors: Cors | undefined;
  readonly #modern: ModernService | undefined;
  readonly #legacy: LegacyEndpoint | undefined;
  readonly #places = new Map<string, Place>();
  /** What is served under every other path. */
  readonly #anyPlace: Place | undefined;
  readonly #authenticate: HttpOptions["authenticate"];
  readonly #scopes: ScopeCheck;
  readonly #report: ErrorCallback;
  readonly #reportRefusal: ErrorCallback;
  #closing: Promise<void> | undefined;

  /** @throws {SdkError} `invalid-argument` for a limit out of range, or if no era is left to serve. */
  constructor(server: McpServer, options: HttpOptions) {
    const { allowedHosts, allowedOrigins, cors, legacy = {}, path, authorization } = options;
    checkAccess(options);
    this.limits = httpLimits(options);
    this.bodies = new ArrivingBodies(this.limits.bodyTimeoutMs, server.limits.bytes);
    this.#server = server;
    this.#options = options;
    this.#report = createErrorCallback(server.dispatcherOptions.onError);
    this.#reportRefusal = createErrorCallback(options.onRefusal);
    this.#authenticate = authorization ? (request) => authorization.authenticate(request) : options.authenticate;
    if (authorization && options.authenticate) {
      throw new SdkError("invalid-argument", "authorization takes the place of authenticate; give one of them");
    }
    this.#scopes = new ScopeCheck(server, authorization?.requiredScopes ?? []);
    this.#checks = new HostChecks(allowedHosts, allowedOrigins, cors?.origins);
    this.#cors = cors && new Cors(cors);
    if (server.revisions.some(isModernRevision)) {
      // What a client is told to speak must not be what the endpoint refuses.
      const revisions = legacy === false ? server.revisions.filter(isModernRevision) : server.revisions;
      this.#modern = new ModernService(server, revisions, this.#report, this.limits.keepAliveMs);
    }
    if (legacy !== false && server.revisions.some(isLegacyRevision)) {
      this.#legacy = new LegacyEndpoint(server, { keepAliveMs: this.limits.keepAliveMs, ...legacy });
    }
    if (this.#modern === undefined && this.#legacy === undefined) {
      const message = "legacy: false leaves nothing to serve, since the server speaks no modern revision";
      throw new SdkError("invalid-argument", message);
    }
    this.#serveSse();
    if (path === undefined) this.#anyPlace = this.#endpoint();
    else this.#places.set(path, this.#endpoint());
  }

  handle(request: HttpRequest, response: HttpResponse, arrival: Arrival): void {
    const reporting = this.#options.onRefusal ? new RefusalReport(response, this.#reportRefusal) : response;
    const watched = this.#watch(request, reporting);
    const target = this.#cors?.expose(request, watched ?? reporting) ?? watched ?? reporting;
    const handling: Handling = { request, response: target, watched, id: undefined };
    try {
      this.#follow(handling, this.#serve(handling, arrival));
    } catch (error) {
      this.#refuse(handling, error);
    }
  }

  /** Ends subscriptions and sessions, waits for what is being served, and turns away what comes from now on. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const { shutdownGraceMs } = this.limits;
    this.#server.endSubscriptions();
    await Promise.all([this.#modern?.drain(shutdownGraceMs), this.#legacy?.drain(shutdownGraceMs)]);
  }

  #endpoint(): Place {
    const legacy = this.#legacy;
    const verbs: [string, Serve][] = [["POST", (handling, caller) => this.#post(handling, caller)]];
    if (legacy !== undefined) {
      verbs.push(["GET", this.#scoped((handling, caller) => legacy.get(handling.request, caller, asLegacy(handling)))]);
      verbs.push([
        "DELETE",
        this.#scoped((handling, caller) => legacy.delete(handling.request, caller, asLegacy(handling))),
      ]);
    }
    return placeOf(verbs);
  }

  /** The two paths of HTTP+SSE, if it was asked for. */
  #serveSse(): void {
    const sse = this.#legacy?.sse;
    if (sse === undefined) return;
    const open = this.#scoped((handling, caller) => sse.get(handling.request, caller, asLegacy(handling)));
    const take: Take = (handling, value, _message, caller) =>
      sse.post(handling.request, value, caller, asLegacy(handling));
    const post: Serve = (handling, caller) => this.#withBody(handling, caller, take);
    this.#places.set(sse.path, placeOf([["GET", open]]));
    this.#places.set(sse.messagesPath, placeOf([["POST", post]]));
  }

  /** Requests with a body are checked once their message is known. */
  #scoped(serve: Serve): Serve {
    return (handling, caller) => {
      this.#scopes.check(caller);
      return serve(handling, caller);
    };
  }

  #watch(request: HttpRequest, response: HttpResponse): WatchedResponse | undefined {
    const { onExchange } = this.#options;
    if (onExchange === undefined) return undefined;
    return new WatchedResponse(request, response, (report) =>
      runGuarded(
        () => onExchange(report),
        (cause) => this.#report(new SdkError("handler-failed", "The onExchange callback failed", { cause })),
      ),
    );
  }

  /** What fails later is answered as what fails at once. */
  #follow(handling: Handling, going: void | Promise<void>): void {
    if (isPromiseLike(going)) going.then(undefined, (error) => this.#refuse(handling, error));
  }

  #serve(handling: Handling, arrival: Arrival): void | Promise<void> {
    const { request, response } = handling;
    const { authorization, routes } = this.#options;
    this.#checks.checkHost(request);
    const place = this.#places.get(request.path);
    if (place !== undefined) return this.#serveAt(place, handling, arrival);
    if (serveDocument(authorization?.documents, request, response)) return undefined;
    if (routes === undefined) return this.#serveAt(this.#anyPlace, handling, arrival);
    return this.#serveRoutes(routes, handling, arrival);
  }

  async #serveRoutes(routes: readonly WebRoute[], handling: Handling, arrival: Arrival): Promise<void> {
    const { request, response } = handling;
    const { address } = request;
    const asked = toWebRequest(request, this.limits.maxBodyBytes);
    for (const route of routes) {
      const answer = await route(asked, { address });
      if (answer !== undefined) return sendWebResponse(answer, response);
    }
    return this.#serveAt(this.#anyPlace, handling, arrival);
  }

  #serveAt(place: Place | undefined, handling: Handling, arrival: Arrival): void | Promise<void> {
    const serve = this.#route(place, handling, arrival);
    if (serve === undefined) return undefined;
    const authenticate = this.#authenticate;
    const established = arrival.caller?.();
    if (established !== undefined || authenticate === undefined) return serveFor(established, serve, handling);
    const known = authenticate(handling.request);
    if (!isPromiseLike(known)) return serveFor(authenticated(known), serve, handling);
    return Promise.resolve(known).then((caller) => serveFor(authenticated(caller), serve, handling));
  }

  /** What serves the request, if it has not been answered here. @throws {HttpRefusal} for what nothing serves. */
  #route(place: Place | undefined, handling: Handling, arrival: Arrival): Serve | undefined {
    const { request, response } = handling;
    this.#checks.checkOrigin(request);
    if (place === undefined) {
      if (arrival.elsewhere === undefined) throw notServed(request.method, request.path);
      handling.watched?.forget();
      arrival.elsewhere();
      return undefined;
    }
    const { verbs, allow } = place;
    if (this.#cors?.preflight(request, allow, response)) return undefined;
    const serve = verbs.get(request.method);
    if (serve === undefined) throw new HttpRefusal(405, undefined, { allow });
    return serve;
  }

  #post(handling: Handling, caller: HttpCaller): void {
    if (!acceptsAnswers(handling.request.header("accept"))) {
      throw refusal(406, "Not acceptable: the Accept header must list both application/json and text/event-stream");
    }
    this.#withBody(handling, caller, this.#takeMessage);
  }

  readonly #takeMessage: Take = (handling, value, message, caller) => {
    const { request, response, watched } = handling;
    const era = this.#eraOf(request, message);
    if (watched) watched.era = era;
    if (era === "modern") return this.#postModern(handling, message, caller);
    if (message.kind === "invalid") throw refusal(400, `Invalid request: ${message.reason}`);
    return this.#legacy?.post(request, value, caller, response);
  };

  #postModern({ request, response }: Handling, message: Classified, caller: Caller): void {
    // Legacy clients are told by their own endpoint, which still takes in what running requests wait for.
    if (this.#closing !== undefined) throw shuttingDown();
    this.#modern?.post(request, message, caller, response);
  }

  /** Goes on with what is in the body: what a framework made of it, if one did; what its text says otherwise. */
  #withBody(handling: Handling, caller: HttpCaller, take: Take): void {
    const { request } = handling;
    if (!isJsonType(request.header("content-type"))) {
      throw refusal(415, "Content-Type must be application/json in UTF-8");
    }
    const read = (body: unknown) => {
      try {
        caller.messageBytes = bodyBytes(body, request);
        const value = messageOf(body, this.limits);
        const message = this.#classify(handling, value);
        this.#scopes.checkMessage(message, caller);
        this.#follow(handling, take(handling, value, message, caller));
      } catch (error) {
        this.#refuse(handling, error);
      }
    };
    if (request.parsedBody !== undefined) read(request.parsedBody);
    else request.readBody(this.limits.maxBodyBytes, caller.principal, read, (error) => this.#refuse(handling, error));
  }

  #classify(handling: Handling, value: unknown): Classified {
    const message = classify(value);
    if (message.kind === "request") handling.id = message.message.id;
    if (message.kind === "invalid") handling.id = message.id;
    if ("message" in message) handling.watched?.describe(message.message.method, message.message.params);
    return message;
  }

  /** A request that names its revision is modern, and so is whatever comes with a modern revision in its header. */
  #eraOf(request: HttpRequest, message: Classified): Era {
    if (this.#legacy === undefined) return "modern";
    if (this.#modern === undefined) return "legacy";
    if (isModernRevision(request.header(HttpHeader.revision))) return "modern";
    return message.kind === "request" && namesItsRevision(message.message.params) ? "modern" : "legacy";
  }

  #refuse(handling: Handling, thrown: unknown): void {
    if (thrown instanceof HttpRefusal) {
      this.#reportRefusal(thrown);
      try {
        sendRefusal(handling, thrown);
      } catch (cause) {
        this.#fail(handling, cause);
      }
    } else this.#fail(handling, thrown);
  }

  /** A hook of the application failed, or named headers that cannot be sent. */
  #fail(handling: Handling, cause: unknown): void {
    const message = "Serving an HTTP request failed; it was answered 500";
    this.#report(new SdkError("handler-failed", message, { cause }));
    sendRefusal(handling, INTERNAL_ERROR);
  }
}

/** @throws {HttpRefusal} 401 if nobody was found. @throws {SdkError} `invalid-argument` for a principal that is no string. */
function authenticated(caller: Caller | undefined): Caller {
  // JavaScript may return anything: whatever is no caller is refused.
  if (typeof caller !== "object" || caller === null) {
    throw new HttpRefusal(401, undefined, { "www-authenticate": "Bearer" });
  }
  if (caller.principal === undefined || typeof caller.principal === "string") return caller;
  throw new SdkError(
    "invalid-argument",
    `authenticate: expected principal to be a string, got ${typeof caller.principal}`,
  );
}

function serveFor(caller: Caller | undefined, serve: Serve, handling: Handling): void | Promise<void> {
  const { request } = handling;
  request.belongsTo?.(caller?.principal);
  return serve(handling, new HttpCaller(request, caller));
}

const INTERNAL_ERROR = new HttpRefusal(500, { code: ErrorCode.internalError, message: "Internal error" });

function sendRefusal({ response, id }: Handling, { status, headers, error }: HttpRefusal): void {
  if (error === undefined) response.send(status, headers);
  else response.send(status, { ...JSON_HEADERS, ...headers }, JSON.stringify({ jsonrpc: "2.0", id, error }));
}

/** What a framework has parsed is as long as its head said. */
function bodyBytes(body: unknown, request: HttpRequest): number {
  if (typeof body === "string") return body.length;
  return Number(request.header("content-length")) || 0;
}

function placeOf(verbs: readonly [string, Serve][]): Place {
  return { verbs: new Map(verbs), allow: verbs.map(([verb]) => verb).join(", ") };
}

function asLegacy({ response, watched }: Handling): HttpResponse {
  if (watched) watched.era = "legacy";
  return response;
}

function refusal(status: number, message: string, headers: Record<string, string> = {}): HttpRefusal {
  return new HttpRefusal(status, { code: ErrorCode.invalidRequest, message }, headers);
}
