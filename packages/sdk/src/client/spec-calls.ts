/** The methods of the specification that a client may call, each as a method of its own. */

import { ProtocolError } from "../errors/protocol-error.js";
import type {
  CompleteResult,
  CompletionArgument,
  CompletionContext,
  CompletionReference,
} from "../protocol/completion.js";
import { warnDeprecated } from "../protocol/deprecations.js";
import { ErrorCode } from "../protocol/error-codes.js";
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
import type { CallOptions, ListOptions, SendRound } from "./calls.js";
import type { ClientOptions } from "./client-options.js";
import type { KnownTools } from "./known-tools.js";
import { walkPages } from "./pages.js";

export interface SpecCallOptions {
  readonly outputChecks: Exclude<ClientOptions["outputChecks"], undefined>;
  readonly maxPages: number;
}

export abstract class SpecCalls {
  readonly #options: SpecCallOptions;
  readonly #known: KnownTools;
  #learning: Promise<void> | undefined;

  constructor(options: SpecCallOptions, known: KnownTools) {
    this.#options = options;
    this.#known = known;
  }

  /** Whether arguments of tools are repeated in headers on the connection in use. */
  protected abstract get mirrorsArguments(): boolean;
  /** One request. */
  protected abstract call<Result>(method: string, params: JsonObject, options: CallOptions): Promise<Result>;
  /** A request that the server may answer with questions first. */
  protected abstract callInRounds<Result>(
    method: string,
    params: JsonObject,
    options: CallOptions,
    sendRound?: SendRound,
  ): Promise<Result>;

  /** One page of the server's tools. */
  async listTools(options: ListOptions = {}): Promise<ListToolsResult> {
    const page = await this.#list<ListToolsResult>("tools/list", options);
    const tools = this.#known.learn(page.tools, this.mirrorsArguments);
    return this.mirrorsArguments ? { ...page, tools } : page;
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
    const params = { name, arguments: args };
    const mirror: SendRound = (send, given) =>
      this.mirrorsArguments ? this.#sendMirrored(name, args, send, given) : send(given);
    const result = await this.callInRounds<CallToolResult>("tools/call", params, options, mirror);
    if (this.#options.outputChecks === "always" && !this.#known.knows(name)) await this.#learnTool(name);
    if (this.#options.outputChecks !== "never") await this.#known.check(name, result);
    return result;
  }

  /** Only the round that was refused is sent again: what the user has answered by then is not asked a second time. */
  async #sendMirrored(
    name: string,
    args: JsonObject,
    send: Parameters<SendRound>[0],
    options: CallOptions,
  ): Promise<JsonObject> {
    const attempt = () => {
      const headers = this.#known.headersFor(name, args);
      return send(headers ? { ...options, headers: { ...options.headers, ...headers } } : options);
    };
    try {
      return await attempt();
    } catch (error) {
      const isMismatch = error instanceof ProtocolError && error.code === ErrorCode.headerMismatch;
      if (!isMismatch) throw error;
      // The tool wants other headers than it did when it was listed, or was never listed.
      const { signal } = options;
      await this.#findTool(name, { ...(signal && { signal }), fresh: true });
      return attempt();
    }
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
    this.#learning ??= (async () => {
      for await (const tool of this.tools()) void tool;
    })();
    await this.#learning;
    if (!this.#known.knows(name) && this.#known.hasForgotten) await this.#findTool(name, {});
  }

  /** Walks the list up to the tool, and makes it the one that is known best: the rest of its page may have displaced it. */
  async #findTool(name: string, options: CallOptions): Promise<void> {
    for await (const tool of this.tools(options)) {
      if (tool.name !== name) continue;
      this.#known.learn([tool], this.mirrorsArguments);
      return;
    }
  }

  #list<Page>(method: string, { cursor, ...options }: ListOptions): Promise<Page> {
    return this.call<Page>(method, cursor === undefined ? {} : { cursor }, options);
  }

  #walk<Page extends { nextCursor?: string | undefined }, Item>(
    fetch: (options: ListOptions) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
    options: CallOptions = {},
  ): AsyncGenerator<Item> {
    return walkPages(
      (cursor) => fetch(cursor === undefined ? options : { ...options, cursor }),
      itemsOf,
      this.#options.maxPages,
    );
  }
}
