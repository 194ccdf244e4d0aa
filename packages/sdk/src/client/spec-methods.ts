/** The methods of the specification that a client may call. Each one passes its params to the call pipeline. */
import type {
  CompleteResult,
  CompletionArgument,
  CompletionContext,
  CompletionReference,
} from "../protocol/completion.js";
import { warnDeprecated } from "../protocol/deprecations.js";
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
import type { JsonObject } from "../runtime/json.js";
import type { CallOptions, ListOptions } from "./call-options.js";
import type { ClientParts } from "./client-parts.js";
import { walkPages } from "./pagination.js";

/** A call of a tool, as the params of `tools/call` have it. */
export interface ToolCall {
  readonly name: string;
  readonly arguments?: JsonObject | undefined;
  readonly _meta?: JsonObject | undefined;
}

/** Options of `callTool` with the params of `tools/call`. Code written for other MCP clients passes the timeout as `timeout`. */
export interface ToolCallOptions extends CallOptions {
  /** The same as `timeoutMs`, which takes precedence. @defaultValue the connection's timeoutMs */
  readonly timeout?: number;
}

/** A completion, as the params of `completion/complete` have it. */
export interface CompleteCall {
  readonly ref: CompletionReference;
  readonly argument: CompletionArgument;
  /** The arguments that were chosen before. @defaultValue none */
  readonly context?: CompletionContext | undefined;
}

export class SpecMethods {
  readonly #parts: Pick<ClientParts, "pipeline" | "connection" | "maxPages">;

  constructor(parts: Pick<ClientParts, "pipeline" | "connection" | "maxPages">) {
    this.#parts = parts;
  }

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
   * Calls a tool, by its name and arguments or by the params of `tools/call`. If the tool fails, the call resolves with a result
   * that has `isError`.
   * @throws {ProtocolError} for unknown tools and server errors. @throws {SdkError} for output that breaks its schema.
   */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  callTool(call: ToolCall, resultSchema?: undefined, options?: ToolCallOptions): Promise<CallToolResult>;
  callTool(called: string | ToolCall, args?: JsonObject, options: ToolCallOptions = {}): Promise<CallToolResult> {
    const call: ToolCall = typeof called === "string" ? { name: called, arguments: args } : called;
    const { name, _meta: meta } = call;
    const params = { name, arguments: call.arguments ?? {} };
    if (meta === undefined && options.timeout === undefined) return this.#call("tools/call", params, options);
    const { timeout: timeoutMs, ...given } = options;
    return this.#call("tools/call", params, {
      ...(meta && { meta }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...given,
    });
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
    return this.#call("resources/read", { uri }, options);
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
    return this.#call("prompts/get", { name, arguments: args }, options);
  }

  /**
   * Suggestions for an argument of a prompt or resource template, given those already chosen.
   *
   * @example
   * const ref = { type: "ref/prompt", name: "greet" } as const;
   * const { completion } = await client.complete({ ref, argument: { name: "language", value: "p" } });
   */
  complete({ ref, argument, context }: CompleteCall, options: CallOptions = {}): Promise<CompleteResult> {
    return this.#call("completion/complete", context ? { ref, argument, context } : { ref, argument }, options);
  }

  /** Legacy only: resolves if the server answers. @throws {SdkError} `method-not-in-revision` in the modern era. */
  async ping(options: CallOptions = {}): Promise<void> {
    await this.#call("ping", {}, options);
  }

  /**
   * Legacy only: sets the least severe log messages that the server sends. In the modern era each request has a `logLevel`.
   * @deprecated since 2026-07-28 (SEP-2577): log to stderr, or use OpenTelemetry. Earliest removal: 2027-07-28.
   */
  async setLogLevel(level: LoggingLevel, options: CallOptions = {}): Promise<void> {
    warnDeprecated("LOGGING");
    await this.#call("logging/setLevel", { level }, options);
  }

  /** The cast is safe: the pipeline checks the result against the shape of its method. */
  #call<Result>(method: string, params: JsonObject, options: CallOptions): Promise<Result> {
    return this.#parts.pipeline.call({ method, params, options }) as Promise<Result>;
  }

  #list<Page>(method: string, { cursor, ...options }: ListOptions): Promise<Page> {
    return this.#call<Page>(method, cursor === undefined ? {} : { cursor }, options);
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
      session: () => this.#parts.connection.session,
      maxPages: this.#parts.maxPages,
    });
  }
}
