/**
 * `McpServer`, the API of server authors. A server is a definition and holds no connection: one instance serves any number
 * of clients of both eras. server-connection.ts holds the state of one connection.
 */
import { DEFAULT_MAX_BATCH_ITEMS, type Dispatcher, type DispatcherOptions } from "../dispatch/dispatcher.js";
import { JsonRpcDispatcher } from "../dispatch/json-rpc-dispatcher.js";
import { modernServerCodec } from "../era/modern-codec.js";
import { checkDuration, checkMethods } from "../errors/option-checks.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import { findRequest } from "../protocol/method-table.js";
import { LATEST_MODERN_REVISION, REVISIONS, type Revision } from "../protocol/revisions.js";
import type { SubscriptionFilter } from "../protocol/subscriptions.js";
import type { DeclaredExtension, Extension } from "../routing/extension.js";
import type { HandlerSchemas, TypedHandler } from "../routing/handler-checks.js";
import { toNotificationHandler, toRequestHandler } from "../routing/handler-checks.js";
import type { ListenFilterDefinition } from "../routing/listen-filter-definition.js";
import type {
  DefinedNotificationHandler,
  MethodDefinition,
  MethodHandler,
  NotificationDefinition,
} from "../routing/method-definition.js";
import type { Middleware } from "../routing/middleware.js";
import { RateLimits } from "../routing/rate-limits.js";
import { type NotificationHandler, type RequestHandler, Router } from "../routing/router.js";
import { SharedRates } from "../routing/shared-rates.js";
import { createErrorCallback, type ErrorCallback } from "../runtime/error-callback.js";
import type { JsonObject } from "../runtime/json.js";
import type { CompileSchemaOptions } from "../schema/compile-schema.js";
import type { Schema } from "../schema/schema.js";
import type { Transport } from "../transport/transport.js";
import { deriveCapabilities, withoutChanges } from "./capability-derivation.js";
import { Announcements, publicAnnouncements, type ServerAnnouncements } from "./changes/announcements.js";
import { InMemoryChangeBus } from "./changes/change-bus.js";
import { ChangeDelivery } from "./changes/change-delivery.js";
import { type ListenFilterHandlers, ListenFilters } from "./changes/listen-filters.js";
import { ListenStreams } from "./changes/listen-streams.js";
import { CompletionSources } from "./completion.js";
import { CustomToolHeaders } from "./custom-tool-headers.js";
import { DefaultHandlers } from "./default-handlers.js";
import { ServerExtensions } from "./extensions.js";
import { frozenCopy } from "./frozen-copy.js";
import type { AcceptedConnection, AcceptOptions } from "./handshake-state.js";
import type { InputSettings } from "./input/modern-run.js";
import { inputSettings, withInput } from "./input/with-input.js";
import type { NotificationContext } from "./notification-context.js";
import { definePrompt, type PromptConfig, type PromptHandler } from "./prompt-definition.js";
import { Prompts } from "./prompts.js";
import { type ConfigAndHandler, withConfig } from "./registration-checks.js";
import type { ItemRegistration } from "./registry.js";
import { RequiredScopes } from "./required-scopes.js";
import {
  defineResource,
  defineTemplate,
  type ResourceConfig,
  type ResourceHandler,
  type ResourceTemplateConfig,
  type ResourceTemplateHandler,
} from "./resource-definition.js";
import { Resources } from "./resources.js";
import { canInitialize, revisionMembers, ServerConnection, type ServerDefinition } from "./server-connection.js";
import type { ServerContext } from "./server-context.js";
import type { ServerHosting } from "./server-hosting.js";
import { ServerLifecycle } from "./server-lifecycle.js";
import { ServerLimits } from "./server-limits.js";
import {
  checkServerOptions,
  DEFAULT_CACHE,
  DEFAULT_CALL_RATES,
  DEFAULT_MAX_LISTEN_STREAMS,
  DEFAULT_MAX_LOG_MESSAGES_PER_SECOND,
  DEFAULT_MAX_SUBSCRIBED_RESOURCES,
  DEFAULT_PAGE_SCHEMES,
  DEFAULT_PAGE_SIZE,
  type McpServerOptions,
} from "./server-options.js";
import { taskStoreMissing } from "./tasks/missing-tasks.js";
import type { ServerTasks } from "./tasks/server-tasks.js";
import type { VariablesOf } from "./template-variables.js";
import { defineTool, type ToolConfig, type ToolHandler } from "./tool-definition.js";
import { Tools } from "./tools.js";

/**
 * An MCP server, ready to be served over any transport.
 *
 * @example
 * const server = new McpServer({ name: "clock", version: "1.0.0" });
 * server.tool("now", () => new Date().toISOString());
 */
export class McpServer {
  readonly info: Implementation;
  /** The revisions this server speaks, newest first. */
  readonly revisions: readonly Revision[];
  /** The API for hosts. `parley-mcp/hosting` has its types. */
  readonly hosting: ServerHosting;
  readonly #options: McpServerOptions;
  readonly #compileOptions: CompileSchemaOptions;
  readonly #router = new Router<ServerContext, NotificationContext>("client");
  readonly #tools: Tools;
  readonly #resources: Resources;
  readonly #prompts: Prompts;
  readonly #defaults: DefaultHandlers;
  readonly #requiredScopes: RequiredScopes;
  readonly #definition: ServerDefinition;
  readonly #lifecycle: ServerLifecycle;
  readonly #input: InputSettings;
  readonly #streams: ListenStreams;
  readonly #extensions: ServerExtensions;
  readonly #listenFilters: ListenFilters;
  readonly #tasks: ServerTasks | undefined;
  readonly #customToolHeaders = new CustomToolHeaders();

  /** Announces changes to clients. The server announces registrations and removals by itself. */
  readonly announce: ServerAnnouncements;

  /** @throws {SdkError} `invalid-argument` for a missing name or version, and for any other option out of range. */
  constructor(options: McpServerOptions) {
    checkServerOptions(options);
    const { name, version, title, description, websiteUrl, icons, pageSize = DEFAULT_PAGE_SIZE } = options;
    const { revisions = REVISIONS, scopedLists = "show", onError = console.error } = options;
    const limits = new ServerLimits(options.limits);
    const report = createErrorCallback(onError);
    this.#options = options;
    this.info = frozenCopy({ name, version, title, description, websiteUrl, icons }, "server");
    this.revisions = [...revisions].sort().reverse();
    this.#extensions = new ServerExtensions("server", [], options.capabilities?.extensions);
    this.#compileOptions = { validator: options.jsonSchemaValidator, limits: options.schemaLimits };
    this.#input = inputSettings(options);
    this.hosting = this.#createHosting(limits, report);

    const { changeBus: bus = new InMemoryChangeBus(), maxListenStreams = DEFAULT_MAX_LISTEN_STREAMS } = options;
    const { maxSubscribedResources = DEFAULT_MAX_SUBSCRIBED_RESOURCES } = options;
    checkMethods("changeBus", bus, "a ChangeBus", ["publish", "subscribe"]);
    const changes = new ChangeDelivery(bus, report);
    this.announce = publicAnnouncements(new Announcements(bus, report), () => this.#customToolHeaders.clear());
    this.#streams = new ListenStreams(changes, { maxListenStreams, maxSubscribedResources }, limits);
    this.#listenFilters = new ListenFilters(this.#extensions, report);

    this.#tasks = options.tasks?.({
      server: this,
      changes,
      input: this.#input,
      report,
      definition: () => this.#definition,
      findTool: (name) => this.#tools.registry.get(name),
    });
    this.#tools = new Tools(pageSize, scopedLists, this.#tasks, () => this.announce.toolsChanged());
    this.#resources = new Resources(pageSize, scopedLists, () => this.announce.resourcesChanged());
    this.#prompts = new Prompts(pageSize, scopedLists, () => this.announce.promptsChanged());
    this.#requiredScopes = new RequiredScopes({
      tools: this.#tools.registry,
      prompts: this.#prompts.registry,
      resources: this.#resources.registry,
      templates: this.#resources.templates,
      maxSubscribedResources,
      maxBytesPerSession: limits.maxBytesPerSession,
    });
    this.#lifecycle = new ServerLifecycle(this.#tasks?.hooks(options) ?? options, report);
    this.#definition = this.#define(changes, maxSubscribedResources, limits, report);

    for (const extension of options.extensions ?? []) this.extend(extension);
    this.#handleOpening();
    this.#defaults = new DefaultHandlers({
      router: this.#router,
      tools: this.#tools,
      resources: this.#resources,
      prompts: this.#prompts,
      completion: new CompletionSources(this.#prompts.registry, this.#resources.registry, this.#resources.templates),
      input: this.#input,
      capabilities: options.capabilities ?? {},
    });
  }

  /**
   * Registers a tool. Its name is unique within the server.
   * @throws {SdkError} `duplicate-name`, `invalid-argument` or `unusable-schema`.
   *
   * @example
   * server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
   */
  tool(name: string, handler: ToolHandler<undefined, undefined>): ItemRegistration;
  tool<const Input extends Schema | undefined = undefined, Output extends Schema | undefined = undefined>(
    name: string,
    config: ToolConfig<Input, Output>,
    // Conditional, so that TypeScript infers the schemas before the handler. The handler's literals then get their types.
    handler: Output extends unknown ? ToolHandler<Input, Output> : never,
  ): ItemRegistration;
  tool(
    name: string,
    ...given: ConfigAndHandler<ToolConfig<Schema | undefined, Schema | undefined>, ServerContext>
  ): ItemRegistration {
    const [config, handler] = withConfig(given);
    const allowsAnyName = this.#options.toolNames === "any";
    const servesTasks = this.#tasks !== undefined;
    const tool = defineTool(name, config, handler, { ...this.#compileOptions, allowsAnyName, servesTasks });
    const registration = this.#tools.registry.add(name, tool, tool.listed);
    this.#defaults.serveTools();
    return registration;
  }

  /**
   * Registers a resource under its URI.
   * @throws {SdkError} `duplicate-name` or `invalid-argument`.
   *
   * @example
   * server.resource("notes://today", { name: "today", mimeType: "text/plain" }, () => "Buy milk");
   */
  resource(uri: string, config: ResourceConfig, handler: ResourceHandler): ItemRegistration {
    const resource = defineResource(uri, config, handler);
    const registration = this.#resources.registry.add(uri, resource, resource.listed);
    this.#defaults.serveResources();
    return registration;
  }

  /**
   * Registers a family of resources under an RFC 6570 template. Resources registered by URI take precedence. Templates are
   * tried in registration order.
   * @throws {SdkError} `duplicate-name` or `invalid-argument`.
   *
   * @example
   * server.resourceTemplate("notes://{day}", { name: "notes" }, ({ variables }) => `Notes of ${variables.day}`);
   */
  resourceTemplate<Template extends string>(
    template: Template,
    config: ResourceTemplateConfig,
    handler: ResourceTemplateHandler<VariablesOf<Template>>,
  ): ItemRegistration {
    const registered = defineTemplate(template, config, handler);
    const registration = this.#resources.templates.add(template, registered, registered.listed);
    this.#defaults.serveResources();
    this.#defaults.serveCompleters(registered.completers);
    return registration;
  }

  /**
   * Registers a prompt. Its name is unique within the server.
   * @throws {SdkError} `duplicate-name`, `invalid-argument` or `unusable-schema`.
   *
   * @example
   * server.prompt("greet", { input: z.object({ name: z.string() }) }, ({ name }) => `Greet ${name} warmly.`);
   */
  prompt(name: string, handler: PromptHandler<undefined>): ItemRegistration;
  prompt<const Input extends Schema | undefined = undefined>(
    name: string,
    config: PromptConfig<Input>,
    handler: PromptHandler<Input>,
  ): ItemRegistration;
  prompt(name: string, ...given: ConfigAndHandler<PromptConfig<Schema | undefined>, ServerContext>): ItemRegistration {
    const [config, handler] = withConfig(given);
    const prompt = definePrompt(name, config, handler, this.#compileOptions);
    const registration = this.#prompts.registry.add(name, prompt, prompt.listed);
    this.#defaults.servePrompts();
    this.#defaults.serveCompleters(prompt.completers);
    return registration;
  }

  /**
   * Sets or replaces the handler of a method, of the specification or your own. `"*"` handles every request without a
   * handler. The server checks the result of a specification's method before it sends it.
   */
  handle(method: string, handler: RequestHandler<ServerContext>): void;
  handle<Params extends Schema>(
    method: string,
    schemas: HandlerSchemas<Params>,
    handler: TypedHandler<Params, ServerContext>,
  ): void;
  handle<Params extends Schema, Result extends Schema>(
    method: MethodDefinition<Params, Result>,
    handler: Result extends unknown ? MethodHandler<Params, Result, ServerContext> : never,
  ): void;
  handle(
    method: string | MethodDefinition,
    first: ((params: never, context: ServerContext) => unknown) | HandlerSchemas<Schema>,
    second?: (params: never, context: ServerContext) => unknown,
  ): void {
    const [name, checked] = toRequestHandler(method, first, second, "client", this.#compileOptions);
    const handler = this.#extensions.gate(checked);
    const isDefined = typeof method !== "string";
    if (isDefined) this.#extensions.define(method);
    const mayAsk = findRequest(LATEST_MODERN_REVISION, "client", name)?.mayRequireInput === true;
    this.#router.handle(name, mayAsk ? withInput(handler, this.#input) : handler, isDefined);
  }

  /**
   * Sets the handler of a notification from clients. `"*"` handles notifications without a handler.
   *
   * @example
   * server.onNotification("notifications/roots/list_changed", async (_params, _method, context) => {
   *   console.log(await context.listRoots());
   * });
   */
  onNotification(method: string, handler: NotificationHandler<NotificationContext>): void;
  onNotification<Params extends Schema>(
    notification: NotificationDefinition<Params>,
    handler: DefinedNotificationHandler<Params, NotificationContext>,
  ): void;
  onNotification(
    method: string | NotificationDefinition,
    handler: (params: never, method: string, context: NotificationContext) => unknown,
  ): void {
    this.#router.onNotification(...toNotificationHandler(method, handler));
  }

  /**
   * Adds an extension, like the option `extensions`. Set the handlers of its methods with `handle`.
   * @throws {SdkError} `duplicate-name` for a name that another extension defines, `invalid-argument` for wrong settings.
   */
  extend(extension: Extension | DeclaredExtension<"server">): void {
    this.#extensions.add(extension);
    const { methods } = "extension" in extension ? extension.extension : extension;
    for (const { method } of methods) this.#router.admit(method);
  }

  /**
   * Serves a filter that an extension adds to `subscriptions/listen`. `announce.changed` then notifies the streams that named the
   * topic. Without handlers the server does not honor the filter.
   * @throws {SdkError} `invalid-argument` for a filter of no extension of this server.
   *
   * @example
   * const jobIds = defineListenFilter("acmeJobIds", {
   *   filter: z.array(z.string()),
   *   notification: defineNotification("notifications/acme/job", { params: z.object({ jobId: z.string() }) }),
   *   topicOf: ({ jobId }) => jobId,
   * });
   * server.extend(defineExtension("com.example/jobs", { listenFilters: [jobIds] }));
   * const honor = (ids: string[]) => ids.filter((id) => id.startsWith("public-"));
   * server.serveListenFilter(jobIds, { honor, topics: (ids) => ids, params: (jobId) => ({ jobId }) });
   */
  serveListenFilter<Filter extends Schema, Params extends Schema>(
    filter: ListenFilterDefinition<Filter, Params>,
    handlers: ListenFilterHandlers<Filter, Params>,
  ): void {
    this.#listenFilters.serve(filter, handlers);
  }

  /**
   * Adds middleware inside the middleware added before. It runs around every inbound request and notification, and around
   * the messages that handlers send while they serve a request (`direction: "outbound"`).
   */
  use(middleware: Middleware<ServerContext>): void {
    this.#router.use(middleware);
  }

  /** Ends every open subscription with a result, so that clients do not mistake the end for a lost connection. */
  endSubscriptions(): void {
    this.#streams.endAll();
  }

  /**
   * Ends every subscription and runs `onClose`. Hosts do this when they close; call it for a server without a host. A hook that
   * runs longer than `graceMs` is reported to `onError` and not waited for. The default is 10_000.
   */
  async close(options: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    const { graceMs } = options;
    if (graceMs !== undefined) checkDuration("graceMs", graceMs);
    this.endSubscriptions();
    await this.#lifecycle.close(graceMs);
  }

  /**
   * Runs a task that another process has created, for workers of a queue. Needs the same tools and a shared store of `serveTasks`. Resolves
   * with false if this server was closed before the task was over, or another one runs it: deliver the job again later. Aborting
   * `signal` aborts the handler and leaves the task to other workers.
   * @throws {SdkError} `invalid-argument` for a server without such a store. @throws the error of `onStart`
   * @throws {ProtocolError} 429 if the store is not available: deliver the job again later
   */
  async runTask(taskId: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    await this.#lifecycle.start();
    if (!this.#tasks) throw taskStoreMissing("runTask");
    return this.#tasks.run(taskId, options.signal);
  }

  /**
   * Takes up the tasks of processes that have ended, as the start of the server does. A task on a queue is given to the queue
   * again. Servers whose store has `abandonedByOthers` do it at an interval.
   * @throws {SdkError} `invalid-argument` for a server without a store of `serveTasks`. @throws the error of `onStart`
   */
  async recoverTasks(): Promise<void> {
    await this.#lifecycle.start();
    if (!this.#tasks) throw taskStoreMissing("recoverTasks");
    await this.#tasks.recover();
  }

  /** Serves one connection over a transport until either side closes it. */
  async serve(transport: Transport): Promise<{ close(): Promise<void> }> {
    await this.#lifecycle.start();
    const { accept, dispatcherOptions } = this.hosting;
    return JsonRpcDispatcher.start(transport, (dispatcher) => accept(dispatcher), dispatcherOptions);
  }

  #createHosting(limits: ServerLimits, onError: ErrorCallback): ServerHosting {
    const { timeoutMs, maxBatchItems = DEFAULT_MAX_BATCH_ITEMS } = this.#options;
    const dispatcherOptions: DispatcherOptions = { onError, timeoutMs, maxBatchItems, limits: limits.connection };
    return {
      revisions: this.revisions,
      dispatcherOptions,
      sessionOptions: { ...dispatcherOptions, limits: limits.session, hasSession: true },
      limits,
      accept: (dispatcher, accepted) => this.#accept(dispatcher, accepted),
      hold: () => this.#lifecycle.hold(),
      canInitialize: (params = {}) => canInitialize(params, limits),
      toolHeaders: (name) => this.#tools.registry.get(name)?.headers,
      mirroredParam: (method) => this.#extensions.definitionOf(method)?.mirrors,
      requiredScopes: (method, params) => this.#requiredScopes.of(method, params),
    };
  }

  /** The parts of this server that its connections share. */
  #define(
    changes: ChangeDelivery,
    maxSubscribedResources: number,
    limits: ServerLimits,
    report: ErrorCallback,
  ): ServerDefinition {
    const { rateStore, rateLimits, cache, capabilities, urlElicitations, progressIntervalMs } = this.#options;
    const { exposeToolErrors, elicitUrlSchemes: pageSchemes = DEFAULT_PAGE_SCHEMES } = this.#options;
    const { maxLogMessagesPerSecond = DEFAULT_MAX_LOG_MESSAGES_PER_SECOND } = this.#options;
    if (rateStore !== undefined) checkMethods("rateStore", rateStore, "a RateStore", ["take"]);
    return {
      lifecycle: this.#lifecycle,
      router: this.#router,
      ...revisionMembers(this.revisions),
      cache: { ...DEFAULT_CACHE, ...cache },
      changes,
      maxSubscribedResources,
      limits,
      rates: new RateLimits(rateLimits, DEFAULT_CALL_RATES, {
        shared: rateStore && new SharedRates(rateStore, report),
      }),
      urlElicitations,
      progressIntervalMs,
      extensions: this.#extensions,
      report,
      pageSchemes,
      exposesToolErrors: exposeToolErrors === true,
      maxLogMessagesPerSecond,
      declaresLogging: capabilities?.logging !== undefined,
      customToolHeaders: () => (this.#defaults.hasCustomToolCall ? this.#customToolHeaders : undefined),
      resultStamp: modernServerCodec.resultStamp(this.info),
    };
  }

  /** Sets the handlers that every server has: those that open connections and subscriptions. */
  #handleOpening(): void {
    this.#router.handle("ping", () => ({}));
    this.#router.handle("initialize", (_params, context) => this.#answerInitialize(context));
    this.#router.handle("server/discover", (_params, context) => this.#answerDiscover(context));
    this.#router.handle("subscriptions/listen", (params, context) => {
      // The router has checked the params against the method's shape.
      const filter = params.notifications as SubscriptionFilter & JsonObject;
      const requested = this.#listenFilters.requested(filter, context);
      return this.#streams.serve(filter, this.#capabilities(context), context, requested);
    });
  }

  #accept(dispatcher: Dispatcher, options: AcceptOptions = {}): AcceptedConnection {
    const { revisions } = options;
    const definition = revisions ? { ...this.#definition, ...revisionMembers(revisions) } : this.#definition;
    return new ServerConnection(definition, dispatcher, options);
  }

  #capabilities(context: ServerContext): ServerCapabilities {
    const { revision, era } = context;
    const declared = this.#extensions.declaredIn(era, this.#options.capabilities ?? {});
    const derived = deriveCapabilities(revision, this.#router.methods(), declared);
    const capabilities = this.#tasks?.declareIn(derived, context) ?? derived;
    return context.routed.connection.restrictions.noChanges ? withoutChanges(capabilities) : capabilities;
  }

  #answerInitialize(context: ServerContext): JsonObject {
    const { revision: protocolVersion } = context;
    return this.#withInstructions({
      protocolVersion,
      capabilities: this.#capabilities(context),
      serverInfo: this.info,
    });
  }

  #answerDiscover(context: ServerContext): JsonObject {
    return this.#withInstructions({
      supportedVersions: [...context.routed.connection.revisions],
      capabilities: this.#capabilities(context),
    });
  }

  #withInstructions(result: JsonObject): JsonObject {
    const { instructions } = this.#options;
    return instructions === undefined ? result : { ...result, instructions };
  }
}
