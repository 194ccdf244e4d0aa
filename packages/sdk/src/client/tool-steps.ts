/**
 * The steps of a call that concern tools. `remember` records the tools of `tools/list`, removes unusable tools from the result,
 * and repeats arguments of `tools/call` in headers. `checkOutput` validates structured output.
 */
import { ProtocolError } from "../errors/protocol-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { CallToolResult, ListToolsResult, Tool } from "../protocol/tools.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import type { JsonObject } from "../runtime/json.js";
import { textBytes } from "../runtime/json-size.js";
import type { ClientRequestOptions } from "./call-options.js";
import type { CallStep, ClientCall, SendCall } from "./client-call.js";
import type { ClientOptions } from "./client-options.js";
import type { KnownTools, TaskSupport } from "./known-tools.js";
import { walkPages } from "./pagination.js";
import type { ReconnectingConnection } from "./reconnecting-connection.js";

export interface ToolStepsOptions {
  readonly outputChecks: Exclude<ClientOptions["outputChecks"], undefined>;
  readonly maxPages: number;
}

const MAX_UNLISTED = 1_024;
const MAX_UNLISTED_BYTES = 262_144;

export class ToolSteps {
  readonly #connection: Pick<ReconnectingConnection, "mirrorsArguments" | "session">;
  readonly #known: KnownTools;
  readonly #options: ToolStepsOptions;
  /** Tools that no list contained when `taskSupport` searched them. */
  readonly #unlisted = new BoundedMap<string, true>({ maxEntries: MAX_UNLISTED, maxWeight: MAX_UNLISTED_BYTES });
  #listing: Promise<void> | undefined;

  constructor(
    connection: Pick<ReconnectingConnection, "mirrorsArguments" | "session">,
    known: KnownTools,
    options: ToolStepsOptions,
  ) {
    this.#connection = connection;
    this.#known = known;
    this.#options = options;
  }

  readonly checkOutput: CallStep = (call, next) =>
    call.method === "tools/call" && this.#options.outputChecks !== "never" ? this.#callChecked(call, next) : next(call);

  readonly remember: CallStep = (call, next) => {
    if (call.method === "tools/list") return this.#list(call, next);
    const { name } = call.params;
    if (call.method !== "tools/call" || typeof name !== "string") return next(call);
    const isRepeatable = call.options.reissue === undefined && this.#known.isRepeatable(name);
    const given = isRepeatable ? { ...call, options: { ...call.options, reissue: true } } : call;
    return this.#connection.mirrorsArguments ? this.#callMirrored(name, given, next) : next(given);
  };

  /** How a tool runs as a task. Lists the tools if the tool is not known, once per tool that is in no list. */
  async taskSupport(name: string, options: ClientRequestOptions, send: SendCall): Promise<TaskSupport | undefined> {
    if (!this.#known.knows(name) && !this.#unlisted.has(name)) {
      await this.#find(name, options, (call) => this.#list(call, send));
      if (!this.#known.knows(name)) this.#unlisted.set(name, true, textBytes(name));
    }
    return this.#known.taskSupport(name);
  }

  /** Adds no promise if the output schema is validated synchronously. */
  #callChecked(call: ClientCall, next: SendCall): Promise<JsonObject> {
    const name = String(call.params.name);
    return next(call).then((result) => {
      // The connection has checked the result against the shape of its method.
      const checking = this.#check(name, result as unknown as CallToolResult, next);
      return checking === undefined ? result : checking.then(() => result);
    });
  }

  #check(name: string, result: CallToolResult, next: SendCall): undefined | PromiseLike<undefined> {
    if (this.#options.outputChecks !== "always" || this.#known.knows(name)) return this.#known.check(name, result);
    return this.#learn(name, next).then(() => this.#known.check(name, result));
  }

  /**
   * Lists the tools, so that the output of one can be checked. A client lists all tools only once, since a tool that is in no
   * list would otherwise cost a listing per call. A tool that KnownTools has forgotten is searched again.
   */
  async #learn(name: string, next: SendCall): Promise<void> {
    this.#listing ??= this.#listAll(next);
    await this.#listing;
    if (!this.#known.knows(name) && this.#known.hasForgotten) await this.#find(name, {}, next);
  }

  async #listAll(next: SendCall): Promise<void> {
    try {
      for await (const tool of this.#walk({}, next)) void tool;
    } catch (error) {
      // The next call lists them again.
      this.#listing = undefined;
      throw error;
    }
  }

  /** Lists pages up to the tool, and records it again as the newest, since later tools of its page may have evicted it. */
  async #find(name: string, options: ClientRequestOptions, list: SendCall): Promise<void> {
    for await (const tool of this.#walk(options, list)) {
      if (tool.name !== name) continue;
      this.#known.learn([tool], this.#connection.mirrorsArguments);
      return;
    }
  }

  #walk(options: ClientRequestOptions, list: SendCall): AsyncGenerator<Tool> {
    return walkPages<ListToolsResult, Tool>({
      fetch: async (cursor, fresh) => {
        const params = cursor === undefined ? {} : { cursor };
        const page = await list({ method: "tools/list", params, options: { ...options, ...(fresh && { fresh }) } });
        // The connection has checked the page against the shape of its method.
        return page as unknown as ListToolsResult;
      },
      itemsOf: (page) => page.tools,
      keyOf: (tool) => tool.name,
      session: () => this.#connection.session,
      maxPages: this.#options.maxPages,
    });
  }

  async #list(call: ClientCall, next: SendCall): Promise<JsonObject> {
    const page = await next(call);
    // A result of an extension's type has no tools until the extension has settled it.
    if (!Array.isArray(page.tools)) return page;
    const tools = this.#known.learn(page.tools as Tool[], this.#connection.mirrorsArguments);
    return tools.length === page.tools.length ? page : { ...page, tools };
  }

  /** Repeats only the refused request, and not its call: earlier rounds of the call may have asked the user questions. */
  async #callMirrored(name: string, call: ClientCall, next: SendCall): Promise<JsonObject> {
    try {
      return await next(this.#withHeaders(name, call));
    } catch (error) {
      const isMismatch = error instanceof ProtocolError && error.code === ErrorCode.headerMismatch;
      if (!isMismatch) throw error;
      // The tool was never listed, or its schema has changed since the listing.
      const { id: _used, ...options } = call.options;
      const { signal } = options;
      await this.#find(name, { ...(signal && { signal }), fresh: true }, (listing) => this.#list(listing, next));
      return next(this.#withHeaders(name, { ...call, options }));
    }
  }

  #withHeaders(name: string, call: ClientCall): ClientCall {
    const headers = this.#known.headersFor(name, call.params.arguments);
    if (!headers) return call;
    return { ...call, options: { ...call.options, headers: { ...call.options.headers, ...headers } } };
  }
}
