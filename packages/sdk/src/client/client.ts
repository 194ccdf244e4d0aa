/** The public class of a client: one connection to one server, in either era. client-parts.ts makes the parts behind it. */
import type { BatchCall } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import { hasCapability } from "../protocol/method-table.js";
import type { Prompt } from "../protocol/prompts.js";
import type { Resource } from "../protocol/resources.js";
import { type Era, eraOf, type Revision } from "../protocol/revisions.js";
import type { Root } from "../protocol/roots.js";
import type { Tool } from "../protocol/tools.js";
import { readAnswer, sendDefined } from "../routing/defined-message.js";
import type { DeclaredExtension, Extension } from "../routing/extension.js";
import type { HandlerSchemas, TypedHandler } from "../routing/handler-checks.js";
import { toNotificationHandler, toRequestHandler } from "../routing/handler-checks.js";
import type {
  DefinedNotificationHandler,
  MethodDefinition,
  MethodHandler,
  NotificationDefinition,
  PageItem,
} from "../routing/method-definition.js";
import type { Middleware } from "../routing/middleware.js";
import type { PeerExtension } from "../routing/peer-extension.js";
import type { RequestContext } from "../routing/request-context.js";
import type { NotificationHandler, RequestHandler } from "../routing/router.js";
import type { JsonObject } from "../runtime/json.js";
import type { Schema, SchemaInput, SchemaOutput } from "../schema/schema.js";
import type { CallOptions, ClientRequestOptions } from "./call-options.js";
import { collect, type RefreshOptions, runChangeCallback } from "./change-callbacks.js";
import type { ClientOptions } from "./client-options.js";
import { type ClientParts, createClientParts } from "./client-parts.js";
import type { ConnectTarget } from "./connect-target.js";
import type { ListenFilter } from "./listen-filter.js";
import type { NegotiationResult } from "./negotiation.js";
import { walkDefinedPages } from "./pagination.js";
import { SpecMethods } from "./spec-methods.js";
import type { Subscription } from "./subscriptions.js";

/**
 * A connection to an MCP server.
 *
 * @example
 * await using client = await Client.connect(server, { name: "cli", version: "1.0.0" });
 * const result = await client.callTool("add", { a: 2, b: 3 });
 */
export class Client extends SpecMethods implements AsyncDisposable {
  readonly #parts: ClientParts;

  /** @throws {SdkError} `invalid-argument` for unknown revisions, and for options that exclude each other. */
  constructor(options: ClientOptions) {
    const parts = createClientParts(options);
    super(parts);
    this.#parts = parts;
  }

  /**
   * Connects to a server: by its URL, by the command that starts it, in this process, or over a transport. If it rejects, the
   * client has closed the connection.
   * @throws {SdkError} `no-shared-revision`, `connection-closed`, …
   */
  static async connect(target: ConnectTarget, options: ClientOptions): Promise<Client> {
    const withStack = captureCallerStack(Client.connect);
    const client = new Client(options);
    try {
      await client.#parts.connection.open(target, undefined);
    } catch (error) {
      throw withStack(error);
    }
    return client;
  }

  /** Opens the connection of a client made with `new`, so that handlers are in place before anything arrives. */
  async open(target: ConnectTarget, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const withStack = captureCallerStack(this.open);
    try {
      await this.#parts.connection.open(target, options.signal);
    } catch (error) {
      throw withStack(error);
    }
  }

  /** The negotiated revision. */
  get revision(): Revision {
    return this.#parts.connection.negotiated.revision;
  }

  get era(): Era {
    return eraOf(this.revision);
  }

  /** Self-reported: for display and logs, not for decisions. With a pinned modern revision, undefined until the first answer. */
  get serverInfo(): Implementation | undefined {
    return this.#parts.connection.negotiated.server.info;
  }

  /** Undefined if a modern revision was pinned, since the client sent no probe. */
  get serverCapabilities(): ServerCapabilities | undefined {
    return this.#parts.connection.negotiated.server.capabilities;
  }

  /** The server's instructions on how to use it. */
  get instructions(): string | undefined {
    return this.#parts.connection.negotiated.server.instructions;
  }

  /** The result of the negotiation. Plain data: pass it as `resumeFrom` to the next connection to this server. */
  get negotiated(): NegotiationResult {
    return this.#parts.connection.negotiated;
  }

  /**
   * Subscribes to changes, until either side ends the subscription or the connection is lost for good. Unread changes are kept
   * once per list, resource and topic.
   * @throws {ProtocolError} if the server refuses. @throws {SdkError} `request-timeout` if it does not acknowledge.
   *
   * @example
   * await using client = await Client.connect(server, { name: "cli", version: "1.0.0" });
   * await using changes = await client.listen({ tools: true, resource: ["notes://today"] });
   * for await (const change of changes) console.log(change.kind);
   */
  async listen(filter: ListenFilter): Promise<Subscription> {
    return this.#parts.subscriptions.open(filter);
  }

  /**
   * Calls back when the server's tools have changed, or may have while the connection was lost. With `refresh` the callback gets
   * all tools. Close the subscription to stop.
   *
   * @example
   * await client.onToolsChanged((tools) => console.log(tools.length), { refresh: true });
   */
  onToolsChanged(callback: () => unknown): Promise<Subscription>;
  onToolsChanged(callback: (tools: Tool[]) => unknown, options: { readonly refresh: true }): Promise<Subscription>;
  onToolsChanged(callback: (tools: Tool[]) => unknown, options?: RefreshOptions): Promise<Subscription> {
    return this.#runCallback({ tools: true }, callback, options, () => this.tools({ fresh: true }));
  }

  /** Calls back when the server's prompts have changed; see `onToolsChanged`. */
  onPromptsChanged(callback: () => unknown): Promise<Subscription>;
  onPromptsChanged(
    callback: (prompts: Prompt[]) => unknown,
    options: { readonly refresh: true },
  ): Promise<Subscription>;
  onPromptsChanged(callback: (prompts: Prompt[]) => unknown, options?: RefreshOptions): Promise<Subscription> {
    return this.#runCallback({ prompts: true }, callback, options, () => this.prompts({ fresh: true }));
  }

  /** Calls back when the list of the server's resources has changed; see `onToolsChanged`. */
  onResourcesChanged(callback: () => unknown): Promise<Subscription>;
  onResourcesChanged(
    callback: (resources: Resource[]) => unknown,
    options: { readonly refresh: true },
  ): Promise<Subscription>;
  onResourcesChanged(callback: (resources: Resource[]) => unknown, options?: RefreshOptions): Promise<Subscription> {
    return this.#runCallback({ resources: true }, callback, options, () => this.resources({ fresh: true }));
  }

  /** An extension as the server declared it. Undefined if the server did not, or if its capabilities are unknown. */
  extension<Settings extends Schema>(
    extension: Extension<Schema, Settings>,
  ): PeerExtension<SchemaOutput<Settings>> | undefined {
    return this.#parts.extensions.peer(extension, this.#parts.connection.negotiated);
  }

  /** Whether this client was given an extension. */
  declares(extension: Extension): boolean {
    return this.#parts.extensions.has(extension);
  }

  /**
   * Sends any request. The client checks params and result against the specification or your definition of the method. A request
   * by name resolves with the result as received, even if it is incomplete, such as `input_required`.
   */
  request(method: string, params?: JsonObject, options?: ClientRequestOptions): Promise<JsonObject>;
  request<Params extends Schema, Result extends Schema>(
    method: MethodDefinition<Params, Result>,
    params: SchemaInput<Params>,
    options?: CallOptions,
  ): Promise<SchemaOutput<Result>>;
  async request(method: string | MethodDefinition, params: unknown = {}, options: CallOptions = {}): Promise<unknown> {
    // By the overloads, an object or an input of the definition's schema, which the server checks.
    const given = params as JsonObject;
    const { pipeline, extensions } = this.#parts;
    if (typeof method === "string") return pipeline.request({ method, params: given, options });
    extensions.define(method);
    return readAnswer(method, await pipeline.call({ method: method.method, params: given, options }));
  }

  /**
   * Sends a call for an extension. The client answers the questions of its server. Resolves with a complete result of the method,
   * or with one of an extension's type as it is, for `resumeCall`.
   *
   * @example
   * const started = await client.startCall("tools/call", { name: "render" });
   * const result = await client.resumeCall("tools/call", { name: "render" }, started);
   */
  startCall(method: string, params: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    return this.#parts.pipeline.start({ method, params, options });
  }

  /**
   * Settles a result that `startCall` returned, also one of another client of the server. Resolves with a complete result of the
   * method. Aborting ends the wait, and the work goes on.
   */
  resumeCall(method: string, params: JsonObject, result: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    return this.#parts.pipeline.resume({ method, params, options }, result);
  }

  /**
   * Every item of a list that a method with `page` returns, page by page. If the server refuses a cursor, reading starts over, once.
   * @throws {SdkError} `too-many-pages`, and `invalid-argument` for a method without `page`.
   *
   * @example
   * const jobs = defineMethod("acme/jobs", {
   *   params: z.object({ cursor: z.string().optional() }),
   *   result: z.object({ jobs: z.array(z.object({ jobId: z.string() })), nextCursor: z.string().optional() }),
   *   page: "jobs",
   * });
   * for await (const { jobId } of client.listAll(jobs, {})) console.log(jobId);
   */
  listAll<Params extends Schema, Result extends Schema, Page extends string>(
    method: MethodDefinition<Params, Result, Page>,
    params: SchemaInput<Params>,
    options: CallOptions = {},
  ): AsyncGenerator<PageItem<SchemaOutput<Result>, Page>> {
    const { pipeline, extensions, connection, maxPages } = this.#parts;
    extensions.define(method);
    // By the definition's schema, params are an object.
    const own = params as JsonObject;
    return walkDefinedPages(method, {
      fetch: (cursor, fresh) =>
        pipeline.call({
          method: method.method,
          params: cursor === undefined ? own : { ...own, cursor },
          options: fresh ? { ...options, fresh } : options,
        }),
      session: () => connection.session,
      maxPages,
    });
  }

  /** Sends several requests as one message. Only revision 2025-03-26 has batches. */
  requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]> {
    return this.#parts.pipeline.batch(calls);
  }

  /** Sends a notification, unless it is of an extension that the server did not declare. */
  notify(method: string, params?: JsonObject): Promise<void>;
  notify<Params extends Schema>(
    notification: NotificationDefinition<Params>,
    params: SchemaInput<Params>,
  ): Promise<void>;
  async notify(method: string | NotificationDefinition, params: unknown = {}): Promise<void> {
    // By the overloads, the params of a name are an object.
    if (typeof method === "string") return this.#parts.connection.notify(method, params as JsonObject);
    return sendDefined(method, params, (name, checked) => this.#parts.connection.notify(name, checked));
  }

  /**
   * Replaces the roots. If the client declared `roots.listChanged`, it notifies a legacy server. A modern server asks for the
   * roots when it needs them.
   * @throws {SdkError} `capability-not-supported` if this client declared no roots.
   * @deprecated since 2026-07-28 (SEP-2577): pass directories as arguments. Earliest removal: 2027-07-28.
   */
  async setRoots(roots: Root[]): Promise<void> {
    const { capabilities } = this.#parts.identity;
    if (!hasCapability(capabilities, "roots")) {
      const complaint =
        "setRoots: this client declared no roots; give it the option listRoots, as in listRoots: () => []";
      throw new SdkError("capability-not-supported", complaint);
    }
    this.#parts.responder.setRoots(roots);
    const isAnnounced =
      hasCapability(capabilities, "roots.listChanged") && this.#parts.connection.isOpen && this.era === "legacy";
    if (isAnnounced) await this.#parts.connection.notify("notifications/roots/list_changed", {});
  }

  /** Sets the handler of a request from the server (legacy era). `"*"` handles requests without a handler of their own. */
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
    const [name, handler] = toRequestHandler(method, first, second, "server", this.#parts.compileOptions);
    this.#parts.router.handle(name, handler, typeof method !== "string");
  }

  /** Sets the handler of a notification from the server. `"*"` handles those without a handler of their own. */
  onNotification(method: string, handler: NotificationHandler): void;
  onNotification<Params extends Schema>(
    notification: NotificationDefinition<Params>,
    handler: DefinedNotificationHandler<Params>,
  ): void;
  onNotification(
    method: string | NotificationDefinition,
    handler: (params: never, method: string, context: undefined) => unknown,
  ): void {
    this.#parts.router.onNotification(...toNotificationHandler(method, handler));
  }

  /**
   * Adds an extension, as the option `extensions` does, before the connection is opened.
   * @throws {SdkError} `duplicate-name` for a name that another extension has, `invalid-argument` for invalid settings, and after
   *   the connection was opened.
   */
  extend(extension: Extension | DeclaredExtension<"client">): void {
    if (this.#parts.connection.wasOpened) {
      const { id } = "extension" in extension ? extension.extension : extension;
      const complaint = `extension "${id}": the client has declared its extensions; call extend before open`;
      throw new SdkError("invalid-argument", complaint);
    }
    this.#parts.extend(extension);
  }

  /** Adds middleware around every request and notification, in both directions, inside the ones added before. */
  use(middleware: Middleware<RequestContext>): void {
    this.#parts.router.use(middleware);
  }

  /** Closes the connection. Pending calls reject with `connection-closed`, and subscriptions end. */
  async close(): Promise<void> {
    this.#parts.subscriptions.end();
    this.#parts.listeners.end();
    this.#parts.urls.end();
    const closed = this.#parts.connection.close();
    // After the connection refuses requests, so that an extension sends none for a call that ends here.
    this.#parts.unfinished.close();
    await closed;
    await this.#parts.tasks?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #runCallback<Item>(
    filter: ListenFilter,
    callback: (items: Item[]) => unknown,
    options: RefreshOptions | undefined,
    fetch: () => AsyncIterable<Item>,
  ): Promise<Subscription> {
    return runChangeCallback<Item[]>((wanted) => this.listen(wanted), {
      filter,
      refresh: options?.refresh ? () => collect(fetch(), this.#parts.options.maxRefreshBytes) : undefined,
      // Without `refresh`, the overloads give the callback no parameter.
      callback: (items) => callback(items as Item[]),
      onError: (cause) =>
        this.#parts.report(new SdkError("handler-failed", "The callback of a change failed", { cause })),
    });
  }
}

/** `Error.captureStackTrace`, which V8 alone has. */
interface CapturesStack {
  captureStackTrace?(target: object, below: unknown): void;
}

/**
 * Captures the stack of the caller of `method`, which must call this before it awaits anything. The returned function puts that
 * stack on an error: connections fail in callbacks of the runtime, whose stack does not contain the caller of `connect`.
 */
export function captureCallerStack(method: unknown): (error: unknown) => unknown {
  const site: { stack?: string } = {};
  (Error as CapturesStack).captureStackTrace?.(site, method);
  const { stack = "" } = site;
  const start = stack.indexOf("\n    at ");
  return (error) => {
    if (error instanceof Error && start >= 0) error.stack = `${error.name}: ${error.message}${stack.slice(start)}`;
    return error;
  };
}
