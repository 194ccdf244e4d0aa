/** What a client author touches: one connection to one server, in whichever era the two share. */
import { checkDuration } from "../dispatch/deadline.js";
import type { BatchCall } from "../dispatch/dispatcher.js";
import { RequestLimits } from "../dispatch/request-limits.js";
import type { ClientIdentity } from "../era/era-codec.js";
import { checkLimit, SdkError } from "../errors/sdk-error.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { JsonObject } from "../protocol/json.js";
import { hasCapability } from "../protocol/method-table.js";
import type { Prompt } from "../protocol/prompts.js";
import type { Resource } from "../protocol/resources.js";
import { type Era, eraOf, isModernRevision, REVISIONS, type Revision } from "../protocol/revisions.js";
import type { Tool } from "../protocol/tools.js";
import type { HandlerSchemas, TypedHandler } from "../routing/checked-handler.js";
import { toNotificationHandler, toRequestHandler } from "../routing/defined-handler.js";
import { readAnswer, sendDefined } from "../routing/defined-message.js";
import type { Extension } from "../routing/extension.js";
import type {
  DefinedNotificationHandler,
  MethodDefinition,
  MethodHandler,
  NotificationDefinition,
} from "../routing/method-definition.js";
import type { Middleware } from "../routing/middleware.js";
import { checkImplementation } from "../routing/own-implementation.js";
import type { PeerExtension } from "../routing/peer-extension.js";
import { RateLimits } from "../routing/rate-limits.js";
import type { RequestContext } from "../routing/request-context.js";
import { type NotificationHandler, type RequestHandler, Router } from "../routing/router.js";
import { createErrorCallback, type ErrorCallback } from "../runtime/error-callback.js";
import type { CompileSchemaOptions } from "../schema/compile-schema.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import { checkSchemaLimits } from "../schema/schema-document.js";
import { authorStack } from "./author-stack.js";
import { type Answer, type CallOptions, call, callInRounds } from "./calls.js";
import { callBack, collect, type RefreshOptions } from "./change-callbacks.js";
import { ChangeFeed } from "./change-feed.js";
import { ClientConnection } from "./client-connection.js";
import {
  type ClientOptions,
  DEFAULT_INPUT_RATES,
  DEFAULT_MAX_INBOUND_REQUESTS,
  DEFAULT_MAX_INPUT_REQUESTS,
  DEFAULT_MAX_INPUT_ROUNDS,
  DEFAULT_MAX_PAGES,
  LIMITS,
  MAX_INBOUND_BYTES,
} from "./client-options.js";
import type { ConnectTarget } from "./connect-target.js";
import { ClientExtensions } from "./extensions.js";
import { answerInput, declareCapabilities, type InputContext, type InputHandlers } from "./input-handlers.js";
import { KnownTools } from "./known-tools.js";
import { Link } from "./link.js";
import type { ListenFilter } from "./listen-filter.js";
import { Listening } from "./listening.js";
import type { Verdict } from "./negotiation.js";
import type { FetchOptions } from "./open-connection.js";
import { type ReconnectPlan, reconnectPlan } from "./reconnecting.js";
import { openCache, type ResultCache } from "./result-cache.js";
import { checkRevisions } from "./revision-options.js";
import { SpecCalls } from "./spec-calls.js";
import type { Subscription } from "./subscription.js";
import { ToolRequests } from "./tool-requests.js";
import { UrlElicitations } from "./url-elicitations.js";

const INPUT_METHODS = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

/**
 * A connection to an MCP server.
 *
 * @example
 * await using client = await Client.connect(server, { name: "cli", version: "1.0.0" });
 * const result = await client.callTool("add", { a: 2, b: 3 });
 */
export class Client extends SpecCalls implements AsyncDisposable {
  readonly #options: ClientOptions;
  readonly #identity: ClientIdentity;
  readonly #compileOptions: CompileSchemaOptions;
  readonly #router = new Router<RequestContext>("server");
  readonly #feed = new ChangeFeed();
  readonly #listening: Listening;
  readonly #cache: ResultCache | undefined;
  readonly #extensions: ClientExtensions;
  readonly #link: Link;
  readonly #requests: ToolRequests;
  readonly #report: ErrorCallback;
  readonly #pages: UrlElicitations;
  readonly #rates: RateLimits;
  #roots: InputHandlers["roots"];

  /** @throws {SdkError} `invalid-argument` for unknown revisions, and for options that exclude each other. */
  constructor(options: ClientOptions) {
    checkImplementation(options, 'new Client({ name: "my-client", version: "1.0.0" })');
    const { name, version, title, description, websiteUrl, icons, capabilities = {} } = options;
    checkRevisions(options);
    if (options.strictCapabilities && isModernRevision(options.revision) && !describesPinned(options)) {
      throw new SdkError(
        "invalid-argument",
        `strictCapabilities with revision: "${options.revision}" would refuse every call, since a pinned modern ` +
          "revision asks the server nothing; give revisions instead, or the prior of an earlier connection in that revision as well",
      );
    }
    if (options.progressIntervalMs !== undefined) checkDuration("progressIntervalMs", options.progressIntervalMs);
    for (const name of LIMITS) checkLimit(name, options[name] ?? Number.POSITIVE_INFINITY);
    checkSchemaLimits(options.schemaLimits);
    const compileOptions = { validator: options.jsonSchemaValidator, limits: options.schemaLimits };
    const { outputChecks = "known", maxPages = DEFAULT_MAX_PAGES } = options;
    const report = createErrorCallback(options.onError ?? console.error);
    const known = new KnownTools({
      maxTools: options.maxKnownTools,
      maxBytes: options.maxKnownToolBytes,
      checksOutput: outputChecks !== "never",
      compile: compileOptions,
      report,
    });
    super({ outputChecks, maxPages }, known);
    this.#report = report;
    this.#options = options;
    this.#roots = options.roots;
    this.#compileOptions = compileOptions;
    this.#extensions = new ClientExtensions(options.extensions, (request, context) => this.#answer(request, context));
    this.#identity = {
      info: present({ name, version, title, description, websiteUrl, icons }),
      ...this.#extensions.declareIn(declareCapabilities(options, capabilities)),
    };
    this.#cache = openCache(options, this.#identity.capabilities);
    this.#rates = new RateLimits(options.rateLimits, DEFAULT_INPUT_RATES);
    this.#pages = new UrlElicitations(options.onElicitationComplete, this.#report);
    const reconnect = reconnectPlan(options.reconnect);
    this.#link = this.#createLink(reconnect);
    this.#requests = new ToolRequests(this.#link, known, maxPages);
    this.#listening = new Listening(this.#link, this.#feed, { timeoutMs: options.timeoutMs, reconnect });
    this.#router.handle("ping", () => ({}));
    this.#router.onNotification("notifications/elicitation/complete", (params) => this.#pages.completed(params));
    for (const method of INPUT_METHODS) {
      // The router has checked the params against the method's shape.
      this.#router.handle(method, (params, context) => this.#answer({ method, params } as InputRequest, context));
    }
  }

  /**
   * Connects to a server: by its URL, by the command that starts it, in this process, or over a transport.
   * @throws {SdkError} `no-shared-revision`, `connection-closed`, …; the connection is closed then.
   */
  static async connect(target: ConnectTarget, options: ClientOptions): Promise<Client> {
    const withStack = authorStack(Client.connect);
    const client = new Client(options);
    try {
      await client.#link.open(target, undefined);
    } catch (error) {
      throw withStack(error);
    }
    return client;
  }

  /** Opens the connection of a client made with `new`, so that handlers are in place before anything arrives. */
  async open(target: ConnectTarget, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const withStack = authorStack(this.open);
    try {
      await this.#link.open(target, options.signal);
    } catch (error) {
      throw withStack(error);
    }
  }

  /** The revision in use. */
  get revision(): Revision {
    return this.#link.verdict.revision;
  }

  get era(): Era {
    return eraOf(this.revision);
  }

  /** Self-reported: for display and logs, not for decisions. Unknown until a pinned modern server has answered once. */
  get serverInfo(): Implementation | undefined {
    return this.#link.verdict.server.info;
  }

  /** Unknown where a modern revision was pinned, since nothing was asked. */
  get serverCapabilities(): ServerCapabilities | undefined {
    return this.#link.verdict.server.capabilities;
  }

  /** How to use the server, in its own words. */
  get instructions(): string | undefined {
    return this.#link.verdict.server.instructions;
  }

  /** What negotiation found out: plain data, to be passed as `prior` to the next connection to this server. */
  get verdict(): Verdict {
    return this.#link.verdict;
  }

  /**
   * Hears of changes until it is closed, the server ends it, or the connection does. Changes that were not read yet are
   * kept once per list and resource.
   * @throws {ProtocolError} when the server refuses. @throws {SdkError} `request-timeout` when it says nothing.
   *
   * @example
   * await using client = await Client.connect(server, { name: "cli", version: "1.0.0" });
   * await using changes = await client.listen({ tools: true, resources: ["notes://today"] });
   * for await (const change of changes) console.log(change.kind);
   */
  async listen(filter: ListenFilter): Promise<Subscription> {
    return this.#listening.open(filter);
  }

  /**
   * Calls back when the server's tools have changed, or may have while the connection was lost; with `refresh` it is
   * handed all of them. Close what it returns to stop.
   *
   * @example
   * await client.onToolsChanged((tools) => console.log(tools.length), { refresh: true });
   */
  onToolsChanged(callback: () => unknown): Promise<Subscription>;
  onToolsChanged(callback: (tools: Tool[]) => unknown, options: { readonly refresh: true }): Promise<Subscription>;
  onToolsChanged(callback: (tools: Tool[]) => unknown, options?: RefreshOptions): Promise<Subscription> {
    return this.#callBack({ tools: true }, callback, options, () => this.tools({ fresh: true }));
  }

  /** Calls back when the server's prompts have changed; see `onToolsChanged`. */
  onPromptsChanged(callback: () => unknown): Promise<Subscription>;
  onPromptsChanged(
    callback: (prompts: Prompt[]) => unknown,
    options: { readonly refresh: true },
  ): Promise<Subscription>;
  onPromptsChanged(callback: (prompts: Prompt[]) => unknown, options?: RefreshOptions): Promise<Subscription> {
    return this.#callBack({ prompts: true }, callback, options, () => this.prompts({ fresh: true }));
  }

  /** Calls back when the list of the server's resources has changed; see `onToolsChanged`. */
  onResourcesChanged(callback: () => unknown): Promise<Subscription>;
  onResourcesChanged(
    callback: (resources: Resource[]) => unknown,
    options: { readonly refresh: true },
  ): Promise<Subscription>;
  onResourcesChanged(callback: (resources: Resource[]) => unknown, options?: RefreshOptions): Promise<Subscription> {
    return this.#callBack({ resourceList: true }, callback, options, () => this.resources({ fresh: true }));
  }

  /** An extension as the server declared it; undefined if it did not, or where nothing was asked. */
  extension<Settings extends Schema>(
    extension: Extension<Schema, Settings>,
  ): PeerExtension<SchemaOutput<Settings>> | undefined {
    return this.#extensions.peer(extension, this.#link.verdict);
  }

  /**
   * Sends any request. What the specification, or a definition of your own, says about the method is checked; what is
   * given by its name alone passes as it is, results that are not finished included.
   */
  request(method: string, params?: JsonObject, options?: FetchOptions): Promise<JsonObject>;
  request<Params extends Schema, Result extends Schema>(
    method: MethodDefinition<Params, Result>,
    params: SchemaInput<Params>,
    options?: CallOptions,
  ): Promise<SchemaOutput<Result>>;
  async request(method: string | MethodDefinition, params: unknown = {}, options: CallOptions = {}): Promise<unknown> {
    // By the overloads it is an object, or what the definition's schema takes: the server checks that.
    const given = params as JsonObject;
    if (typeof method === "string") return this.#requests.request(method, given, options);
    return readAnswer(method, await this.call(method.method, given, options));
  }

  /** Sends several requests as one message. Revision 2025-03-26 alone has this. */
  requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]> {
    return this.#link.requestBatch(calls);
  }

  /** Sends a notification. One of an extension that the server did not declare is left out. */
  notify(method: string, params?: JsonObject): Promise<void>;
  notify<Params extends Schema>(
    notification: NotificationDefinition<Params>,
    params: SchemaInput<Params>,
  ): Promise<void>;
  async notify(method: string | NotificationDefinition, params: unknown = {}): Promise<void> {
    // By the overloads, what follows a name is an object.
    if (typeof method === "string") return this.#link.notify(method, params as JsonObject);
    return sendDefined(method, params, (name, checked) => this.#link.notify(name, checked));
  }

  /**
   * Replaces the roots. A legacy server hears of it if this client declared `roots.listChanged`; a modern one asks anew.
   * @throws {SdkError} `capability-not-supported` if this client declared no roots.
   * @deprecated since 2026-07-28 (SEP-2577): pass directories as arguments. Earliest removal: 2027-07-28.
   */
  async setRoots(roots: NonNullable<InputHandlers["roots"]>): Promise<void> {
    const { capabilities } = this.#identity;
    if (!hasCapability(capabilities, "roots")) {
      const complaint = "setRoots: this client declared no roots; give it the option roots, if only an empty list";
      throw new SdkError("capability-not-supported", complaint);
    }
    this.#roots = roots;
    const isAnnounced = hasCapability(capabilities, "roots.listChanged") && this.#link.isOpen && this.era === "legacy";
    if (isAnnounced) await this.#link.notify("notifications/roots/list_changed", {});
  }

  /** Sets the handler of a request that the server may send (legacy era); `"*"` takes those without one. */
  handle(method: string, handler: RequestHandler<RequestContext>): void;
  handle<Params extends Schema>(
    method: string,
    schemas: HandlerSchemas<Params>,
    handler: TypedHandler<Params, RequestContext>,
  ): void;
  handle<Params extends Schema, Result extends Schema>(
    method: MethodDefinition<Params, Result>,
    handler: Result extends unknown ? MethodHandler<Params, Result, RequestContext> : never,
  ): void;
  handle(
    method: string | MethodDefinition,
    first: ((params: never, context: RequestContext) => unknown) | HandlerSchemas<Schema>,
    second?: (params: never, context: RequestContext) => unknown,
  ): void {
    this.#router.handle(...toRequestHandler(method, first, second, "server", this.#compileOptions));
  }

  /** Sets the handler of a notification from the server; `"*"` takes those without one. */
  onNotification(method: string, handler: NotificationHandler): void;
  onNotification<Params extends Schema>(
    notification: NotificationDefinition<Params>,
    handler: DefinedNotificationHandler<Params>,
  ): void;
  onNotification(
    method: string | NotificationDefinition,
    handler: (params: never, method: string, context: undefined) => unknown,
  ): void {
    this.#router.onNotification(...toNotificationHandler(method, handler));
  }

  /** Adds middleware around every request and notification, in both directions, inside the ones added before. */
  use(middleware: Middleware<RequestContext>): void {
    this.#router.use(middleware);
  }

  /** Ends the connection; what is pending rejects with `connection-closed`, and subscriptions end. */
  async close(): Promise<void> {
    this.#feed.end();
    this.#pages.end();
    await this.#link.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #callBack<Item>(
    filter: ListenFilter,
    callback: (items: Item[]) => unknown,
    options: RefreshOptions | undefined,
    fetch: () => AsyncIterable<Item>,
  ): Promise<Subscription> {
    return callBack<Item[]>((wanted) => this.listen(wanted), {
      filter,
      refresh: options?.refresh ? () => collect(fetch(), this.#options.maxRefreshBytes) : undefined,
      // Without a refresh the callback's type says that it takes nothing.
      callback: (items) => callback(items as Item[]),
      onError: (cause) => this.#report(new SdkError("handler-failed", "The callback of a change failed", { cause })),
    });
  }

  #createLink(reconnect: ReconnectPlan | undefined): Link {
    const { revisions = REVISIONS, revision: pinned, prior, timeoutMs, onError = console.error } = this.#options;
    return new Link({
      negotiation: {
        identity: this.#identity,
        revisions,
        pinned,
        prior,
        probeTimeoutMs: this.#options.probeTimeoutMs,
      },
      connection: {
        identity: this.#identity,
        isStrict: this.#options.strictCapabilities ?? false,
        middleware: this.#router.middleware,
        cache: this.#cache,
        extensions: this.#extensions,
        report: this.#report,
      },
      dispatcher: { onError, timeoutMs, maxBatchItems: this.#options.maxBatchItems, limits: this.#inboundLimits() },
      reconnect,
      pingIntervalMs: this.#options.pingIntervalMs,
      receiver: (onClosed) =>
        new ClientConnection(
          this.#router,
          this.#feed,
          this.#cache,
          this.#extensions,
          this.#options.progressIntervalMs,
          onClosed,
        ),
      onLost: (isFinal) => {
        this.#pages.end();
        this.#feed.end(new SdkError("connection-closed", "The connection was lost while a subscription was open"));
        if (isFinal) this.#options.onClose?.();
      },
    });
  }

  #inboundLimits(): RequestLimits {
    const { maxInboundRequests: maxRequests = DEFAULT_MAX_INBOUND_REQUESTS } = this.#options;
    return new RequestLimits({ level: "connection", maxRequests, maxBytes: MAX_INBOUND_BYTES });
  }

  protected override get session(): unknown {
    return this.#link.session;
  }

  protected override findTool(name: string): Promise<void> {
    return this.#requests.find(name, {});
  }

  protected override call<Result>(method: string, params: JsonObject, options: CallOptions): Promise<Result> {
    return this.#settled(method, params, options, call(this.#requests, method, params, options));
  }

  protected override callInRounds<Result>(method: string, params: JsonObject, options: CallOptions): Promise<Result> {
    const { maxInputRounds: maxRounds = DEFAULT_MAX_INPUT_ROUNDS } = this.#options;
    const { maxInputRequests: maxRequests = DEFAULT_MAX_INPUT_REQUESTS, elicitUrlSchemes: schemes } = this.#options;
    const answer: Answer = (request, context) => this.#answer(request, context);
    const { signal } = options;
    const rounds = { answer, maxRounds, maxRequests };
    const send = () => callInRounds<JsonObject>(this.#requests, method, params, options, rounds);
    const answering = this.#pages.call(send, {
      method,
      signal,
      schemes,
      maxRequests,
      retryMs: this.#options.urlRetryMs,
      answer: (request) => this.#answer(request, { signal, revision: this.revision }),
    });
    return this.#settled(method, params, options, answering);
  }

  /** A result, finished by the extension that brings its kind where it has to be. */
  #settled<Result>(
    method: string,
    params: JsonObject,
    options: CallOptions,
    answering: Promise<JsonObject>,
  ): Promise<Result> {
    const settling = this.#extensions.hasResultTypes
      ? answering.then((answer) => this.#extensions.settle(this.#requests, method, params, answer, options))
      : answering;
    // Checked against the shape of the method, which is what the type says.
    return settling as Promise<Result>;
  }

  async #answer(request: InputRequest, { signal, revision }: InputContext): Promise<JsonObject> {
    this.#rates.count(request.method, undefined, this);
    this.#pages.asked(request);
    const handlers = { ...this.#options, roots: this.#roots };
    return answerInput(handlers, this.#identity.capabilities, request, { signal, revision });
  }
}

/** Whether a stored verdict says what the server of a pinned revision has. */
function describesPinned({ prior, revision }: ClientOptions): boolean {
  return prior?.revision === revision && prior?.server.capabilities !== undefined;
}

/** The same members, less those that are undefined. */
function present<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
