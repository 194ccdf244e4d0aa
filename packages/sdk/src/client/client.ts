/** What a client author touches: one connection to one server, in whichever era the two share. */
import type { BatchCall, Dispatcher } from "../dispatch/dispatcher.js";
import type { ClientIdentity } from "../era/era-codec.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type {
  CompleteResult,
  CompletionArgument,
  CompletionContext,
  CompletionReference,
} from "../protocol/completion.js";
import type { Implementation } from "../protocol/implementation.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { JsonObject } from "../protocol/json.js";
import type { LoggingLevel } from "../protocol/logging.js";
import type { GetPromptResult, ListPromptsResult, Prompt } from "../protocol/prompts.js";
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from "../protocol/resources.js";
import { type Era, eraOf, isModernRevision, REVISIONS, type Revision } from "../protocol/revisions.js";
import type { CallToolResult, ListToolsResult, Tool } from "../protocol/tools.js";
import { checkParams, checkResult, type HandlerSchemas, type TypedHandler } from "../routing/checked-handler.js";
import type { Middleware } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import { type NotificationHandler, type RequestHandler, Router } from "../routing/router.js";
import type { CompileSchemaOptions } from "../schema/compile-schema.js";
import type { Schema } from "../schema/schema.js";
import { type Answer, type CallOptions, call, callInRounds, type ListOptions } from "./calls.js";
import { ChangeFeed } from "./change-feed.js";
import { ClientConnection } from "./client-connection.js";
import {
  type ClientOptions,
  DEFAULT_MAX_INPUT_ROUNDS,
  DEFAULT_MAX_PAGES,
  DEFAULT_PROBE_TIMEOUT_MS,
} from "./client-options.js";
import { type ConnectTarget, dispatcherFor } from "./connect-target.js";
import { answerInput, declareCapabilities, type InputContext } from "./input-handlers.js";
import type { ListenFilter } from "./listen-filter.js";
import { Listening } from "./listening.js";
import { negotiate, type Verdict } from "./negotiation.js";
import { type FetchOptions, OpenConnection } from "./open-connection.js";
import { walkPages } from "./pages.js";
import { openCache, type ResultCache } from "./result-cache.js";
import type { Subscription } from "./subscription.js";
import { ToolOutputs } from "./tool-outputs.js";

const INPUT_METHODS = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

/**
 * A connection to an MCP server.
 *
 * @example
 * await using client = await Client.connect(server, { name: "cli", version: "1.0.0" });
 * const result = await client.callTool("add", { a: 2, b: 3 });
 */
export class Client implements AsyncDisposable {
  readonly #options: ClientOptions;
  readonly #identity: ClientIdentity;
  readonly #compileOptions: CompileSchemaOptions;
  readonly #router = new Router<RequestContext>("server");
  readonly #outputs: ToolOutputs;
  readonly #feed = new ChangeFeed();
  readonly #listening: Listening;
  readonly #cache: ResultCache | undefined;
  #dispatcher: Dispatcher | undefined;
  #opened: OpenConnection | undefined;
  #learning: Promise<void> | undefined;

  /** @throws {SdkError} `invalid-argument` for options that exclude each other. */
  constructor(options: ClientOptions) {
    const { name, version, title, description, websiteUrl, icons, capabilities = {} } = options;
    if (options.revisions?.length === 0) throw new SdkError("invalid-argument", "revisions: expected at least one");
    if (options.strictCapabilities && isModernRevision(options.revision)) {
      throw new SdkError(
        "invalid-argument",
        `strictCapabilities with revision: "${options.revision}" would refuse every call, since a pinned modern ` +
          "revision asks the server nothing; give revisions, or the prior of an earlier connection, instead of revision",
      );
    }
    this.#options = options;
    this.#identity = {
      info: present({ name, version, title, description, websiteUrl, icons }),
      capabilities: declareCapabilities(options, capabilities),
    };
    this.#compileOptions = { validator: options.jsonSchemaValidator, limits: options.schemaLimits };
    this.#outputs = new ToolOutputs(this.#compileOptions);
    this.#listening = new Listening(this.#feed, options.timeoutMs);
    this.#cache = openCache(options, this.#identity.capabilities);
    this.#router.handle("ping", () => ({}));
    for (const method of INPUT_METHODS) {
      // The router has checked the params against the method's shape.
      this.#router.handle(method, (params, context) => this.#answer({ method, params } as InputRequest, context));
    }
  }

  /**
   * Connects to a server in this process or over a transport.
   * @throws {SdkError} `no-shared-revision`, `connection-closed`, …; the connection is closed then.
   */
  static async connect(target: ConnectTarget, options: ClientOptions): Promise<Client> {
    const client = new Client(options);
    await client.open(target);
    return client;
  }

  /** Opens the connection of a client made with `new`, so that handlers are in place before anything arrives. */
  async open(target: ConnectTarget, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#dispatcher) throw new SdkError("invalid-argument", "This client was opened before; make a new one");
    const { onError = console.error, timeoutMs, onClose } = this.#options;
    const connection = new ClientConnection(this.#router, this.#feed, this.#cache, () => onClose?.());
    const dispatcherOptions = timeoutMs === undefined ? { onError } : { onError, timeoutMs };
    const dispatcher = await dispatcherFor(target, () => connection, dispatcherOptions);
    this.#dispatcher = dispatcher;
    try {
      const verdict = await negotiate(dispatcher, {
        identity: this.#identity,
        revisions: this.#options.revisions ?? REVISIONS,
        pinned: this.#options.revision,
        prior: this.#options.prior,
        probeTimeoutMs: this.#options.probeTimeoutMs ?? DEFAULT_PROBE_TIMEOUT_MS,
        signal: options.signal,
      });
      connection.settle(verdict.revision);
      this.#opened = new OpenConnection(dispatcher, verdict, {
        identity: this.#identity,
        isStrict: this.#options.strictCapabilities ?? false,
        middleware: this.#router.middleware,
        cache: this.#cache,
      });
    } catch (error) {
      await dispatcher.close();
      throw error;
    }
  }

  /** The revision in use. */
  get revision(): Revision {
    return this.#open.verdict.revision;
  }

  get era(): Era {
    return eraOf(this.revision);
  }

  /** Self-reported: for display and logs, not for decisions. Unknown until a pinned modern server has answered once. */
  get serverInfo(): Implementation | undefined {
    return this.#open.verdict.server.info;
  }

  /** Unknown where a modern revision was pinned, since nothing was asked. */
  get serverCapabilities(): ServerCapabilities | undefined {
    return this.#open.verdict.server.capabilities;
  }

  /** How to use the server, in its own words. */
  get instructions(): string | undefined {
    return this.#open.verdict.server.instructions;
  }

  /** What negotiation found out: plain data, to be passed as `prior` to the next connection to this server. */
  get verdict(): Verdict {
    return this.#open.verdict;
  }

  /** One page of the server's tools. */
  async listTools(options: ListOptions = {}): Promise<ListToolsResult> {
    const page = await this.#list<ListToolsResult>("tools/list", options);
    this.#outputs.learn(page.tools);
    return page;
  }

  /** Every tool, page by page. @throws {SdkError} `too-many-pages` */
  tools(options?: CallOptions): AsyncGenerator<Tool> {
    return this.#walk(
      (page) => this.listTools(page),
      (page) => page.tools,
      options,
    );
  }

  /**
   * Calls a tool. A tool that failed answers with `isError`; it does not reject.
   * @throws {ProtocolError} for unknown tools and server errors. @throws {SdkError} for output that breaks its schema.
   */
  async callTool(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<CallToolResult> {
    const { outputChecks = "known" } = this.#options;
    const result = await this.#callInRounds<CallToolResult>("tools/call", { name, arguments: args }, options);
    if (outputChecks === "always" && !this.#outputs.knows(name)) await this.#learnTools();
    if (outputChecks !== "never") await this.#outputs.check(name, result);
    return result;
  }

  /** One page of the server's resources. */
  listResources(options: ListOptions = {}): Promise<ListResourcesResult> {
    return this.#list("resources/list", options);
  }

  /** Every resource, page by page. @throws {SdkError} `too-many-pages` */
  resources(options?: CallOptions): AsyncGenerator<Resource> {
    return this.#walk(
      (page) => this.listResources(page),
      (page) => page.resources,
      options,
    );
  }

  /** One page of the server's resource templates. */
  listResourceTemplates(options: ListOptions = {}): Promise<ListResourceTemplatesResult> {
    return this.#list("resources/templates/list", options);
  }

  /** Every resource template, page by page. @throws {SdkError} `too-many-pages` */
  resourceTemplates(options?: CallOptions): AsyncGenerator<ResourceTemplate> {
    return this.#walk(
      (page) => this.listResourceTemplates(page),
      (page) => page.resourceTemplates,
      options,
    );
  }

  readResource(uri: string, options: CallOptions = {}): Promise<ReadResourceResult> {
    return this.#callInRounds("resources/read", { uri }, options);
  }

  /** One page of the server's prompts. */
  listPrompts(options: ListOptions = {}): Promise<ListPromptsResult> {
    return this.#list("prompts/list", options);
  }

  /** Every prompt, page by page. @throws {SdkError} `too-many-pages` */
  prompts(options?: CallOptions): AsyncGenerator<Prompt> {
    return this.#walk(
      (page) => this.listPrompts(page),
      (page) => page.prompts,
      options,
    );
  }

  getPrompt(name: string, args: { [name: string]: string } = {}, options: CallOptions = {}): Promise<GetPromptResult> {
    return this.#callInRounds("prompts/get", { name, arguments: args }, options);
  }

  /** Suggestions for an argument of a prompt or resource template, given those already chosen. */
  complete(
    ref: CompletionReference,
    argument: CompletionArgument,
    context?: CompletionContext,
    options: CallOptions = {},
  ): Promise<CompleteResult> {
    return this.#call("completion/complete", context ? { ref, argument, context } : { ref, argument }, options);
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
    return this.#listening.open(this.#open, filter);
  }

  /** Legacy only: asks whether the server is there. @throws {SdkError} `method-not-in-revision` in the modern era. */
  async ping(options: CallOptions = {}): Promise<void> {
    await this.#call("ping", {}, options);
  }

  /**
   * Legacy only: the least severe log messages to send. In the modern era each request says so by its `logLevel`.
   * @deprecated since 2026-07-28, like logging itself.
   */
  async setLogLevel(level: LoggingLevel, options: CallOptions = {}): Promise<void> {
    await this.#call("logging/setLevel", { level }, options);
  }

  /** Sends any request. What the specification defines for the method is checked; your own methods pass as they are. */
  request(method: string, params: JsonObject = {}, options: FetchOptions = {}): Promise<JsonObject> {
    return this.#open.request(method, params, options);
  }

  /** Sends several requests as one message. Revision 2025-03-26 alone has this. */
  requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]> {
    return this.#open.requestBatch(calls);
  }

  notify(method: string, params: JsonObject = {}): Promise<void> {
    return this.#open.notify(method, params);
  }

  /** Sets the handler of a request that the server may send (legacy era); `"*"` takes those without one. */
  handle(method: string, handler: RequestHandler<RequestContext>): void;
  handle<Params extends Schema>(
    method: string,
    schemas: HandlerSchemas<Params>,
    handler: TypedHandler<Params, RequestContext>,
  ): void;
  handle(
    method: string,
    first: RequestHandler<RequestContext> | HandlerSchemas<Schema>,
    second?: (params: never, context: RequestContext) => unknown,
  ): void {
    this.#router.handle(
      method,
      checkResult(method, "server", checkParams(method, first, second, this.#compileOptions)),
    );
  }

  /** Sets the handler of a notification from the server; `"*"` takes those without one. */
  onNotification(method: string, handler: NotificationHandler): void {
    this.#router.onNotification(method, handler);
  }

  /** Adds middleware around every request and notification, in both directions, inside the ones added before. */
  use(middleware: Middleware<RequestContext>): void {
    this.#router.use(middleware);
  }

  /** Ends the connection; what is pending rejects with `connection-closed`, and subscriptions end. */
  async close(): Promise<void> {
    this.#feed.end();
    await this.#dispatcher?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #open(): OpenConnection {
    if (this.#opened) return this.#opened;
    throw new SdkError("connection-closed", "This client is not connected; call open first");
  }

  /** Once per connection: a tool that is in no list would otherwise cost a listing at every call. */
  #learnTools(): Promise<void> {
    this.#learning ??= (async () => {
      for await (const tool of this.tools()) void tool;
    })();
    return this.#learning;
  }

  #list<Page>(method: string, { cursor, ...options }: ListOptions): Promise<Page> {
    return this.#call<Page>(method, cursor === undefined ? {} : { cursor }, options);
  }

  #call<Result>(method: string, params: JsonObject, options: CallOptions): Promise<Result> {
    return call(this.#open, method, params, options);
  }

  #callInRounds<Result>(method: string, params: JsonObject, options: CallOptions): Promise<Result> {
    const { maxInputRounds: maxRounds = DEFAULT_MAX_INPUT_ROUNDS } = this.#options;
    const answer: Answer = (request, context) => this.#answer(request, context);
    return callInRounds(this.#open, method, params, options, { answer, maxRounds });
  }

  #answer(request: InputRequest, { signal, revision }: InputContext): Promise<JsonObject> {
    return answerInput(this.#options, this.#identity.capabilities, request, { signal, revision });
  }

  #walk<Page extends { nextCursor?: string | undefined }, Item>(
    fetch: (options: ListOptions) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
    options: CallOptions = {},
  ): AsyncGenerator<Item> {
    const { maxPages = DEFAULT_MAX_PAGES } = this.#options;
    return walkPages((cursor) => fetch(cursor === undefined ? options : { ...options, cursor }), itemsOf, maxPages);
  }
}

/** The same members, less those that are undefined. */
function present<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
