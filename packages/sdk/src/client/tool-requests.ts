/**
 * The requests of a client, with what the protocol asks of them where they are about tools: listed tools are remembered and
 * unusable ones left out, and arguments are repeated in headers. `callTool` and `request("tools/call")` both send through it.
 */
import { ProtocolError } from "../errors/protocol-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { JsonObject } from "../protocol/json.js";
import type { ListToolsResult, Tool } from "../protocol/tools.js";
import type { KnownTools } from "./known-tools.js";
import type { Link } from "./link.js";
import type { Verdict } from "./negotiation.js";
import type { FetchOptions } from "./open-connection.js";
import { walkPages } from "./pages.js";

type RequestingLink = Pick<Link, "request" | "verdict" | "mirrorsArguments" | "session">;

export class ToolRequests {
  readonly #link: RequestingLink;
  readonly #known: KnownTools;
  readonly #maxPages: number;

  constructor(link: RequestingLink, known: KnownTools, maxPages: number) {
    this.#link = link;
    this.#known = known;
    this.#maxPages = maxPages;
  }

  get verdict(): Verdict {
    return this.#link.verdict;
  }

  request(method: string, params: JsonObject, options: FetchOptions = {}): Promise<JsonObject> {
    if (method === "tools/list") return this.#list(params, options);
    const { name } = params;
    if (method !== "tools/call" || typeof name !== "string") return this.#link.request(method, params, options);
    const { reissue = this.#known.isRepeatable(name) } = options;
    const given = { ...options, reissue };
    return this.#link.mirrorsArguments
      ? this.#callMirrored(name, params, given)
      : this.#link.request(method, params, given);
  }

  /** Walks the list up to the tool, and makes it the one that is known best: the rest of its page may have displaced it. */
  async find(name: string, options: FetchOptions): Promise<void> {
    const pages = walkPages<ListToolsResult, Tool>({
      fetch: async (cursor, fresh) => {
        const page = await this.#list(cursor === undefined ? {} : { cursor }, { ...options, ...(fresh && { fresh }) });
        // It has passed the shape of its method.
        return page as unknown as ListToolsResult;
      },
      itemsOf: (page) => page.tools,
      keyOf: (tool) => tool.name,
      session: () => this.#link.session,
      maxPages: this.#maxPages,
    });
    for await (const tool of pages) {
      if (tool.name !== name) continue;
      this.#known.learn([tool], this.#link.mirrorsArguments);
      return;
    }
  }

  async #list(params: JsonObject, options: FetchOptions): Promise<JsonObject> {
    const page = await this.#link.request("tools/list", params, options);
    // A result of another kind, which an extension settles, lists nothing yet.
    if (!Array.isArray(page.tools)) return page;
    const tools = this.#known.learn(page.tools as Tool[], this.#link.mirrorsArguments);
    return tools.length === page.tools.length ? page : { ...page, tools };
  }

  /** Only the request that was refused is sent again: what the user has answered by then is not asked a second time. */
  async #callMirrored(name: string, params: JsonObject, options: FetchOptions): Promise<JsonObject> {
    const attempt = (given: FetchOptions) => {
      const headers = this.#known.headersFor(name, params.arguments);
      const mirrored = headers ? { ...given, headers: { ...given.headers, ...headers } } : given;
      return this.#link.request("tools/call", params, mirrored);
    };
    try {
      return await attempt(options);
    } catch (error) {
      const isMismatch = error instanceof ProtocolError && error.code === ErrorCode.headerMismatch;
      if (!isMismatch) throw error;
      // The tool wants other headers than it did when it was listed, or was never listed.
      const { signal, id: _used, ...again } = options;
      await this.find(name, { ...(signal && { signal }), fresh: true });
      return attempt({ ...again, ...(signal && { signal }) });
    }
  }
}
