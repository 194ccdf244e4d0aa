/**
 * One connection to a server. It decides the era of each request, holds the state of a legacy handshake, passes requests to
 * the router, and encodes their results. All state per connection is here; `McpServer` holds none.
 */
import type { Dispatcher, InboundRequest } from "../dispatch/dispatcher.js";
import type { Envelope, ServerCodec } from "../era/era-codec.js";
import { legacyServerCodec } from "../era/legacy-codec.js";
import { latestLegacy, negotiateRevision, openSession } from "../era/legacy-handshake.js";
import { modernServerCodec, namesItsRevision } from "../era/modern-codec.js";
import { isDeliberate } from "../errors/error-mapping.js";
import { invalidParams, invalidRequest, ProtocolError, unsupportedRevision } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { mirroredName } from "../protocol/http-headers.js";
import type { InitializeParams } from "../protocol/lifecycle.js";
import { initializeParamsShape } from "../protocol/lifecycle.js";
import type { LoggingLevel } from "../protocol/logging.js";
import type { CacheHint } from "../protocol/message-base.js";
import { findRequest, hasBatches } from "../protocol/method-table.js";
import {
  type Era,
  isLegacyRevision,
  isModernRevision,
  LATEST_MODERN_REVISION,
  type LegacyRevision,
  type Revision,
} from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import type { RateLimits } from "../routing/rate-limits.js";
import type { Router } from "../routing/router.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { jsonBytes, textBytes } from "../runtime/json-size.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import type { ChangeDelivery } from "./changes/change-delivery.js";
import { LegacyWatch } from "./changes/legacy-watch.js";
import type { UrlElicitationLimits } from "./changes/started-elicitations.js";
import type { ConnectionRestrictions } from "./client-features.js";
import type { CustomToolHeaders } from "./custom-tool-headers.js";
import type { ServerExtensions } from "./extensions.js";
import type { AcceptedConnection, AcceptOptions, HandshakeState } from "./handshake-state.js";
import { isInputRequired } from "./input/input-required.js";
import { NotificationContext } from "./notification-context.js";
import { outgoingComplaint } from "./outgoing-result.js";
import { ServerContext } from "./server-context.js";
import type { ServerLifecycle } from "./server-lifecycle.js";
import { CONNECTION_BYTES, RetainedBytes, type ServerLimits } from "./server-limits.js";
import { type ConnectionState, ServerRequest } from "./server-request.js";
import { ToolError, toolFailure } from "./tool-error.js";

/** The log level of a legacy client until it sends `logging/setLevel`. */
const DEFAULT_LOG_LEVEL: LoggingLevel = "info";

/** The parts of a server that its connections share. */
export interface ServerDefinition {
  readonly lifecycle: ServerLifecycle;
  readonly router: Router<ServerContext, NotificationContext>;
  readonly revisions: readonly Revision[];
  readonly legacyRevisions: readonly LegacyRevision[];
  readonly speaksModern: boolean;
  readonly cache: CacheHint;
  readonly declaresLogging: boolean;
  readonly maxLogMessagesPerSecond: number;
  readonly changes: Pick<ChangeDelivery, "subscribe" | "deliver">;
  readonly maxSubscribedResources: number;
  readonly limits: ServerLimits;
  readonly rates: RateLimits;
  readonly urlElicitations: UrlElicitationLimits | undefined;
  readonly progressIntervalMs: number | undefined;
  readonly extensions: ServerExtensions;
  /** Checks the headers of tools behind a custom `tools/call` handler; undefined if all tools are registered. */
  customToolHeaders(): CustomToolHeaders | undefined;
  readonly pageSchemes: readonly string[];
  /** Reports an error that no caller receives. */
  readonly report: ErrorCallback;
  /** The option `exposeToolErrors`. */
  readonly exposesToolErrors: boolean;
  /** The `_meta` members of every modern result. */
  readonly resultStamp: JsonObject | undefined;
}

const NO_RESTRICTIONS: ConnectionRestrictions = {};

/** Methods refused on a connection without change notifications. Otherwise a client would wait for updates that never come. */
const NEEDS_SESSION: ReadonlySet<string> = new Set(["resources/subscribe", "resources/unsubscribe"]);

/** The envelope of notifications without a session: modern notifications do not name their client. */
const WITHOUT_SESSION: Envelope = {
  revision: LATEST_MODERN_REVISION,
  era: "modern",
  clientInfo: undefined,
  clientCapabilities: {},
};

export class ServerConnection implements AcceptedConnection, ConnectionState {
  readonly #server: ServerDefinition;
  #session: Envelope | undefined;
  #logLevel: LoggingLevel = DEFAULT_LOG_LEVEL;
  watch: LegacyWatch;
  readonly restrictions: ConnectionRestrictions;
  readonly #dispatcher: Dispatcher;
  readonly #era: Era | undefined;
  readonly #onHandlerError: AcceptOptions["onHandlerError"];
  #isReady = false;
  handshakeVersion = 0;
  #retained: RetainedBytes | undefined;

  /** @throws {ProtocolError} 429 if a restored handshake takes too many bytes. */
  constructor(
    server: ServerDefinition,
    dispatcher: Dispatcher,
    { era, handshake, principal, restrictions = NO_RESTRICTIONS, onHandlerError }: AcceptOptions = {},
  ) {
    this.#era = era;
    this.#server = server;
    this.#dispatcher = dispatcher;
    this.restrictions = restrictions;
    this.#onHandlerError = onHandlerError;
    this.watch = this.#createWatch();
    if (handshake) this.#resume(handshake, principal);
  }

  get revisions(): readonly Revision[] {
    return this.#server.revisions;
  }

  get declaresLogging(): boolean {
    return this.#server.declaresLogging;
  }

  get maxLogMessagesPerSecond(): number {
    return this.#server.maxLogMessagesPerSecond;
  }

  get progressIntervalMs(): number | undefined {
    return this.#server.progressIntervalMs;
  }

  get pageSchemes(): readonly string[] {
    return this.#server.pageSchemes;
  }

  get extensions(): ServerExtensions {
    return this.#server.extensions;
  }

  get logLevel(): LoggingLevel {
    return this.#logLevel;
  }

  set logLevel(level: LoggingLevel) {
    this.#logLevel = level;
    this.handshakeVersion += 1;
  }

  get retainedBytes(): number {
    return this.#retained?.bytes ?? 0;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  hasSession(envelope: Envelope): boolean {
    return this.#session === envelope;
  }

  get handshake(): HandshakeState | undefined {
    if (!this.#session) return undefined;
    const { logLevel, isReady, watch } = this;
    return { envelope: this.#session, announced: watch.announced, isReady, logLevel, watched: watch.uris };
  }

  get acceptsBatches(): boolean {
    return this.#session !== undefined && hasBatches(this.#session.revision);
  }

  request(inbound: InboundRequest): JsonObject | Promise<JsonObject> {
    const starting = this.#server.lifecycle.start();
    return starting !== undefined ? starting.then(() => this.#request(inbound)) : this.#request(inbound);
  }

  #request(inbound: InboundRequest): JsonObject | Promise<JsonObject> {
    const { method, params } = inbound;
    if (this.#era === undefined ? this.isStateless(params) : this.#era === "modern") return this.#serveModern(inbound);
    if (this.restrictions.noChanges && NEEDS_SESSION.has(method)) throw needsSession(method);
    const speaksLegacy = this.#server.legacyRevisions.length > 0;
    if (method === "initialize") return speaksLegacy ? this.#initialize(inbound) : this.#refuseHandshake(inbound);
    return this.#serve(inbound, speaksLegacy ? legacyServerCodec : modernServerCodec);
  }

  async notification(method: string, params: JsonObject = {}): Promise<void> {
    const starting = this.#server.lifecycle.start();
    if (starting !== undefined) await starting;
    if (method === "notifications/initialized") {
      // Ignored without a preceding `initialize`.
      if (!this.#session) return;
      this.#open();
    }
    this.extensions.checkNotification(method, this.#session);
    const context = new NotificationContext(method, this.#session ?? WITHOUT_SESSION, this, this.#dispatcher);
    await this.#server.router.routeNotification(context.revision, method, params, context);
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#dispatcher.notify(method, params);
  }

  requestClient(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#dispatcher.request(method, params);
  }

  /** @throws {ProtocolError} 429 when the connection watches too many resources, or their URIs take too many bytes. */
  subscribe(uri: string, principal: string | undefined): void {
    if (this.watch.has(uri)) return;
    this.watch.checkRoom();
    this.#retain(textBytes(uri), "the URI", principal);
    this.watch.subscribe(uri);
    this.handshakeVersion += 1;
  }

  unsubscribe(uri: string): void {
    if (!this.watch.unsubscribe(uri)) return;
    this.#retained?.remove(textBytes(uri));
    this.handshakeVersion += 1;
  }

  /**
   * Resets the connection for another `initialize`. Gateways that share one process among their clients forward the handshake
   * of each. An `initialize` that will be refused does not end the session.
   */
  startOver(params: JsonObject = {}): boolean {
    if (!this.#session || this.isStateless(params)) return false;
    if (!canInitialize(params, this.#server.limits)) return false;
    this.closed();
    this.#session = undefined;
    this.#isReady = false;
    this.#logLevel = DEFAULT_LOG_LEVEL;
    this.watch = this.#createWatch();
    return true;
  }

  /** Whether a request is modern, and needs no session: it names its revision and its client itself. */
  isStateless(params: JsonObject | undefined): boolean {
    return this.#server.speaksModern && namesItsRevision(params);
  }

  closed(): void {
    this.watch.stop();
    this.#retained?.clear();
  }

  #createWatch(): LegacyWatch {
    const { changes, maxSubscribedResources, urlElicitations } = this.#server;
    return new LegacyWatch(changes, maxSubscribedResources, urlElicitations);
  }

  #resume({ envelope, announced, isReady, logLevel, watched }: HandshakeState, principal: string | undefined): void {
    try {
      this.#retainEnvelope(envelope, principal);
      for (const uri of watched) this.subscribe(uri, principal);
    } catch (error) {
      this.closed();
      throw error;
    }
    this.#session = envelope;
    this.logLevel = logLevel;
    this.watch.announced = announced;
    if (isReady) this.#open();
  }

  adopt({ isReady, logLevel, watched }: HandshakeState, principal: string | undefined): void {
    this.logLevel = logLevel;
    for (const uri of this.watch.uris) if (!watched.includes(uri)) this.unsubscribe(uri);
    for (const uri of watched) this.subscribe(uri, principal);
    if (isReady && !this.#isReady) this.#open();
  }

  notifyChanges(isOn: boolean): void {
    this.watch.isMuted = !isOn;
  }

  notifyMissed(): void {
    if (this.#isReady) this.watch.deliver({ kind: "missed" }, this.#dispatcher);
  }

  #retainEnvelope({ clientInfo, clientCapabilities }: Envelope, principal: string | undefined): void {
    // A stateless client sends no `clientInfo`, so nothing is retained.
    if (clientInfo === undefined) return;
    const bytes = jsonBytes([clientInfo, clientCapabilities], this.#server.limits.maxBytesPerSession);
    this.#retain(bytes, "clientInfo and capabilities", principal);
  }

  /** @throws {ProtocolError} 429 */
  #retain(bytes: number, what: string, principal: string | undefined): void {
    this.#retained ??= new RetainedBytes(this.#server.limits, principal, CONNECTION_BYTES);
    this.#retained.add(bytes, what);
  }

  /** Ends the handshake. From now on the client accepts requests and notifications of the server. */
  #open(): void {
    this.handshakeVersion += 1;
    this.#isReady = true;
    this.watch.start(this.#dispatcher);
  }

  async #initialize(inbound: InboundRequest): Promise<JsonObject> {
    const params = inbound.params ?? {};
    const fault = initializeParamsShape(params);
    if (fault) throw invalidParams(explain(fault, "params"));
    if (this.#session) throw invalidRequest("Session already initialized");
    // `initializeParamsShape` has passed.
    const opening = params as unknown as InitializeParams;
    // Set before the handler runs, so that a second `initialize` meanwhile is refused.
    const envelope = openSession(opening, negotiateRevision(opening.protocolVersion, this.#server.legacyRevisions));
    this.#retainEnvelope(envelope, inbound.caller?.principal);
    this.#session = envelope;
    try {
      const answer = await this.#serve(inbound, legacyServerCodec);
      // The capabilities that the client was sent. Registrations before `notifications/initialized` do not change them.
      if (this.#session === envelope && isJsonObject(answer.capabilities)) this.watch.announced = answer.capabilities;
      this.handshakeVersion += 1;
      return answer;
    } catch (error) {
      // `startOver` may have begun another handshake. Its session and bytes must stay.
      if (this.#session === envelope) {
        this.#session = undefined;
        this.#retained?.clear();
      }
      throw error;
    }
  }

  /** Names the server's revisions in the error. Old clients cannot upgrade, but may show it to their user. */
  async #refuseHandshake(inbound: InboundRequest): Promise<never> {
    throw unsupportedRevision(inbound.params?.protocolVersion, this.#server.revisions);
  }

  #serveModern(inbound: InboundRequest): JsonObject | Promise<JsonObject> {
    const customToolHeaders = inbound.method === "tools/call" ? this.#server.customToolHeaders() : undefined;
    const headers = customToolHeaders && inbound.caller?.headers;
    if (!headers) return this.#serve(inbound, modernServerCodec);
    // Count before the check, which may read many pages of `tools/list`. These requests are the server's own and not counted.
    const counting = this.#count(inbound);
    const check = () =>
      customToolHeaders.check(inbound, headers, (listing) => this.#serveCounted(listing, modernServerCodec));
    const checking = counting === undefined ? check() : counting.then(check);
    return checking.then(() => this.#serveCounted(inbound, modernServerCodec));
  }

  #serve(inbound: InboundRequest, codec: ServerCodec): JsonObject | Promise<JsonObject> {
    const counting = this.#count(inbound);
    if (counting === undefined) return this.#serveCounted(inbound, codec);
    return counting.then(() => this.#serveCounted(inbound, codec));
  }

  /** Returns a promise if the rate store must be asked. @throws {ProtocolError} 429, or rejects with it */
  #count(inbound: InboundRequest): Promise<void> | undefined {
    const counting = this.#server.rates.count(inbound.method, inbound.caller, this);
    // A handler must not start for a request that was cancelled meanwhile.
    return counting?.then(() => inbound.signal.throwIfAborted());
  }

  /** Synchronous fast path: a handler that returns no promise is answered without allocating one. */
  #serveCounted(inbound: InboundRequest, codec: ServerCodec): JsonObject | Promise<JsonObject> {
    const { method } = inbound;
    const params = inbound.params ?? {};
    const session = method === "ping" ? (this.#session ?? this.#beforeHandshake()) : this.#session;
    const envelope = codec.decodeRequest(params, this.#server.revisions, session);
    const context = new ServerContext(new ServerRequest(inbound, envelope, this));
    try {
      const result = this.#server.router.routeRequest(method, params, context);
      if (isPromiseLike(result) || isExtensionKind(result)) return this.#answerLater(result, context, codec);
      return this.#answer(result, context, codec);
    } catch (error) {
      return this.#answerFailure(error, context, codec);
    }
  }

  async #answerLater(returned: unknown, context: ServerContext, codec: ServerCodec): Promise<JsonObject> {
    try {
      const result = await returned;
      if (isExtensionKind(result)) await this.extensions.checkResult(result, context);
      return this.#answer(result, context, codec);
    } catch (error) {
      return this.#answerFailure(error, context, codec);
    }
  }

  /**
   * Handles every exception of a request, outside of all middleware. Turns the failure of a tool into a result with `isError`.
   * @throws every other error. The dispatcher answers with it.
   */
  #answerFailure(thrown: unknown, context: ServerContext, codec: ServerCodec): JsonObject {
    context.routed.finishReports();
    const { report, exposesToolErrors, resultStamp } = this.#server;
    const { method, revision, signal } = context;
    // The caller has cancelled. The dispatcher ignores errors that follow from the abort.
    if (signal.aborted) throw thrown;
    if (isDeliberate(thrown)) throw this.#withAllowedCode(thrown, context, codec);
    if (!(thrown instanceof ToolError)) this.#onHandlerError?.(thrown, context.routed.inbound);
    if (method !== "tools/call") throw thrown;
    const failure = toolFailure(thrown, context.routed.inbound.params, exposesToolErrors);
    if (failure.report) report(failure.report);
    return codec.encodeResult(failure.result, revision, resultStamp, undefined);
  }

  /** Replaces an error code that the specification reserves, and reports the replacement. */
  #withAllowedCode(error: ProtocolError, { method, revision }: ServerContext, codec: ServerCodec): ProtocolError {
    const code = codec.encodeErrorCode(error.code, error.data, revision);
    if (code === error.code) return error;
    const complaint =
      `${method} failed with the error code ${error.code}, which revision ${revision} does not have with this meaning; ` +
      `the client was answered ${code}. Codes of your own lie outside -32768 to -32000`;
    this.#server.report(new SdkError("invalid-argument", complaint, { cause: error }));
    return new ProtocolError(code, error.message, { data: error.data, cause: error });
  }

  /** Checks and encodes a result. @throws {SdkError} `invalid-result` */
  #answer(result: unknown, context: ServerContext, codec: ServerCodec): JsonObject {
    context.routed.finishReports();
    const { method, revision } = context;
    if (!isJsonObject(result)) {
      const advice = "handlers return a result object, and middleware what next resolves with";
      throw new SdkError("invalid-result", `${method} was answered with no object; ${advice}`);
    }
    const spec = findRequest(revision, "client", method);
    if (isInputRequired(result) && !spec?.mayRequireInput) {
      const advice = "only handlers of tools/call, prompts/get and resources/read may ask the client";
      throw new SdkError("invalid-result", `${method} was answered with input_required; ${advice}`);
    }
    const isCacheable = spec ? spec.cacheable : this.extensions.definitionOf(method)?.isCacheable === true;
    const complaint = outgoingComplaint(result, spec, isCacheable);
    if (complaint !== undefined) {
      const name = mirroredName(method, context.routed.inbound.params);
      const what = name === undefined ? method : `${method} ${JSON.stringify(name)}`;
      throw new SdkError("invalid-result", `${what} was answered with no valid result: ${complaint}`);
    }
    const { resultStamp, cache } = this.#server;
    return codec.encodeResult(result, revision, resultStamp, isCacheable ? cache : undefined);
  }

  /** The envelope of a ping before the handshake. The client is unknown then. */
  #beforeHandshake(): Envelope | undefined {
    const revision = latestLegacy(this.#server.legacyRevisions);
    return revision && { revision, era: "legacy", clientInfo: undefined, clientCapabilities: {} };
  }
}

/** The members of a definition that say which revisions a server speaks. */
export function revisionMembers(
  revisions: readonly Revision[],
): Pick<ServerDefinition, "revisions" | "legacyRevisions" | "speaksModern"> {
  return {
    revisions,
    legacyRevisions: revisions.filter(isLegacyRevision),
    speaksModern: revisions.some(isModernRevision),
  };
}

function needsSession(method: string): ProtocolError {
  const message = `Method not found: ${method} needs a session, and this server keeps none`;
  return new ProtocolError(ErrorCode.methodNotFound, message);
}

/** Whether an `initialize` with these params is valid and within `maxBytesPerSession`. */
export function canInitialize(params: JsonObject, { maxBytesPerSession }: ServerLimits): boolean {
  const { clientInfo, capabilities } = params;
  return (
    !initializeParamsShape(params) && jsonBytes([clientInfo, capabilities], maxBytesPerSession) <= maxBytesPerSession
  );
}

/** Whether a result has a `resultType` that only an extension can define. */
function isExtensionKind(result: unknown): result is JsonObject {
  if (!isJsonObject(result)) return false;
  const { resultType } = result;
  return resultType !== undefined && resultType !== "complete" && resultType !== "input_required";
}
