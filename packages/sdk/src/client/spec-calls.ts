/** The methods of the specification that a client may call, each as a method of its own. */
import type {
  CompleteResult,
  CompletionArgument,
  CompletionContext,
  CompletionReference,
} from "../protocol/completion.js";
import { warnDeprecated } from "../protocol/deprecations.js";
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
import type { CallToolResult, ListToolsResult, Tool } from "../protocol/tools.js";
import type { CallOptions, ListOptions } from "./calls.js";
import type { ClientOptions } from "./client-options.js";
import type { KnownTools } from "./known-tools.js";
import { walkPages } from "./pages.js";

export interface SpecCallOptions {
  readonly outputChecks: Exclude<ClientOptions["outputChecks"], undefined>;
  readonly maxPages: number;
}

/** A call of a tool, as the params of `tools/call` have it. */
export interface ToolCall {
  readonly name: string;
  readonly arguments?: JsonObject | undefined;
  readonly _meta?: JsonObject | undefined;
}

/** Options of a call by its params. Helpers that were made for other clients give the timeout under its name there. */
export interface ToolCallOptions extends CallOptions {
  /** The same as `timeoutMs`, which stands above it. @defaultValue the connection's timeoutMs */
  readonly timeout?: number;
}

export abstract class SpecCalls {
  readonly #options: SpecCallOptions;
  readonly #known: KnownTools;
  #learning: Promise<void> | undefined;

  constructor(options: SpecCallOptions, known: KnownTools) {
    this.#options = options;
    this.#known = known;
  }

  /** The session that cursors belong to; the same one for as long as they hold. */
  protected abstract get session(): unknown;
  /** One request. */
  protected abstract call<Result>(method: string, params: JsonObject, options: CallOptions): Promise<Result>;
  /** A request that the server may answer with questions first. */
  protected abstract callInRounds<Result>(method: string, params: JsonObject, options: CallOptions): Promise<Result>;
  /** Lists tools up to the one of that name. */
  protected abstract findTool(name: string): Promise<void>;

  /** One page of the server's tools. */
  listTools(options: ListOptions = {}): Promise<ListToolsResult> {
    return this.#list("tools/list", options);
  }

  /** Every tool, page by page. @throws {SdkError} `too-many-pages` */
  tools(options?: CallOptions): AsyncGenerator<Tool> {
    return this.#walk(
      (page) => this.listTools(page),
      (page) => page.tools,
      ({ name }) => name,
      options,
    );
  }

  /**
   * Calls a tool, by its name and arguments or by the params of `tools/call`. A tool that failed answers with `isError`;
   * it does not reject.
   * @throws {ProtocolError} for unknown tools and server errors. @throws {SdkError} for output that breaks its schema.
   */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  callTool(call: ToolCall, resultSchema?: undefined, options?: ToolCallOptions): Promise<CallToolResult>;
  async callTool(called: string | ToolCall, args?: JsonObject, options: ToolCallOptions = {}): Promise<CallToolResult> {
    const call: ToolCall = typeof called === "string" ? { name: called, arguments: args } : called;
    const { name, _meta: meta } = call;
    const { timeout: timeoutMs, ...given } = options;
    const params = { name, arguments: call.arguments ?? {} };
    const result = await this.callInRounds<CallToolResult>("tools/call", params, {
      ...(meta && { meta }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...given,
    });
    if (this.#options.outputChecks === "always" && !this.#known.knows(name)) await this.#learnTool(name);
    if (this.#options.outputChecks !== "never") await this.#known.check(name, result);
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
      ({ uri }) => uri,
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
      ({ uriTemplate }) => uriTemplate,
      options,
    );
  }

  readResource(uri: string, options: CallOptions = {}): Promise<ReadResourceResult> {
    return this.callInRounds("resources/read", { uri }, options);
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
      ({ name }) => name,
      options,
    );
  }

  getPrompt(name: string, args: { [name: string]: string } = {}, options: CallOptions = {}): Promise<GetPromptResult> {
    return this.callInRounds("prompts/get", { name, arguments: args }, options);
  }

  /** Suggestions for an argument of a prompt or resource template, given those already chosen. */
  complete(
    ref: CompletionReference,
    argument: CompletionArgument,
    context?: CompletionContext,
    options: CallOptions = {},
  ): Promise<CompleteResult> {
    return this.call("completion/complete", context ? { ref, argument, context } : { ref, argument }, options);
  }

  /** Legacy only: asks whether the server is there. @throws {SdkError} `method-not-in-revision` in the modern era. */
  async ping(options: CallOptions = {}): Promise<void> {
    await this.call("ping", {}, options);
  }

  /**
   * Legacy only: the least severe log messages to send. In the modern era each request says so by its `logLevel`.
   * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
   */
  async setLogLevel(level: LoggingLevel, options: CallOptions = {}): Promise<void> {
    warnDeprecated("LOGGING");
    await this.call("logging/setLevel", { level }, options);
  }

  /**
   * Lists the tools, so that the output of one can be checked. All are listed once per client, since a tool that is in no
   * list would otherwise cost a listing at every call. A tool that was forgotten since is looked for again.
   */
  async #learnTool(name: string): Promise<void> {
    this.#learning ??= this.#listAllTools();
    await this.#learning;
    if (!this.#known.knows(name) && this.#known.hasForgotten) await this.findTool(name);
  }

  async #listAllTools(): Promise<void> {
    try {
      for await (const tool of this.tools()) void tool;
    } catch (error) {
      // The next call lists them again.
      this.#learning = undefined;
      throw error;
    }
  }

  #list<Page>(method: string, { cursor, ...options }: ListOptions): Promise<Page> {
    return this.call<Page>(method, cursor === undefined ? {} : { cursor }, options);
  }

  #walk<Page extends { nextCursor?: string | undefined }, Item>(
    fetch: (options: ListOptions) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
    keyOf: (item: Item) => string,
    options: CallOptions = {},
  ): AsyncGenerator<Item> {
    return walkPages({
      fetch: (cursor, fresh) => fetch({ ...options, ...(cursor !== undefined && { cursor }), ...(fresh && { fresh }) }),
      itemsOf,
      keyOf,
      session: () => this.session,
      maxPages: this.#options.maxPages,
    });
  }
}
