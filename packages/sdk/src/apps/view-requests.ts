/** Serves the requests of a page: calls of tools and reads of resources go to the server of the page, the others to the host. */
import type { InboundRequest } from "../dispatch/dispatcher.js";
import { invalidParams, methodNotFound, ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ContentBlock } from "../protocol/content.js";
import { contentBlockShape } from "../protocol/content.js";
import {
  array,
  explain,
  jsonObject,
  object,
  oneOf,
  oneOrMany,
  optional,
  type Shape,
  string,
} from "../protocol/shape.js";
import type { Tool } from "../protocol/tools.js";
import { RateLimits } from "../routing/rate-limits.js";
import type { JsonObject } from "../runtime/json.js";
import { type AppHostOptions, DEFAULT_VIEW_RATES, type ViewModelContext } from "./app-host-options.js";
import { isVisibleTo } from "./apps-extension.js";
import type { DisplayMode } from "./host-context.js";

/** The code of the extension for requests that a host denies. */
const DENIED = -32_000;
/** Tools of one server that a page can choose from. */
const MAX_TOOLS = 4_096;
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

const SHAPES: ReadonlyMap<string, Shape> = new Map([
  ["tools/call", object<{ name: string; arguments: JsonObject }>({ name: string, arguments: optional(jsonObject) })],
  ["resources/read", object<{ uri: string }>({ uri: string })],
  ["ui/open-link", object<{ url: string }>({ url: string })],
  [
    "ui/message",
    object<{ role: string; content: unknown }>({ role: oneOf("user"), content: oneOrMany(contentBlockShape) }),
  ],
  [
    "ui/update-model-context",
    object<ViewModelContext>({
      content: optional(array(contentBlockShape)),
      structuredContent: optional(jsonObject),
    }),
  ],
  ["ui/request-display-mode", object<{ mode: string }>({ mode: oneOf("inline", "fullscreen", "pip") })],
]);

export class ViewRequests {
  readonly #options: AppHostOptions;
  readonly #changeMode: (wanted: DisplayMode) => Promise<DisplayMode>;
  readonly #rates: RateLimits;
  #tools: ReadonlyMap<string, Tool>;

  /**
   * @param changeMode changes the display mode if both sides support it, and returns the mode in use
   * @throws {SdkError} `invalid-argument` for a rate that is not a positive number
   */
  constructor(options: AppHostOptions, changeMode: (wanted: DisplayMode) => Promise<DisplayMode>) {
    this.#options = options;
    this.#changeMode = changeMode;
    this.#rates = new RateLimits(options.rateLimits, DEFAULT_VIEW_RATES);
    this.#tools = new Map((options.tools ?? [options.tool]).map((tool) => [tool.name, tool]));
  }

  /** Serves one request. Rejects with the error to answer with. */
  async serve({ method, params = {}, signal }: InboundRequest): Promise<JsonObject> {
    const shape = SHAPES.get(method);
    if (shape === undefined) throw methodNotFound(method);
    this.count(method);
    const fault = shape(params);
    if (fault) throw invalidParams(`${method}: ${explain(fault, "params")}`);
    await this.#requireSupported(method, params, signal);
    const isApproved = (await this.#options.approve?.({ method, params })) ?? true;
    if (isApproved !== true) throw denied(method);
    // The page may have cancelled the request, or the host closed, while the user decided.
    signal.throwIfAborted();
    try {
      return await this.#serveApproved(method, params, signal);
    } catch (error) {
      // An error of the server is for the page, with its code and data.
      if (!(error instanceof ProtocolError)) throw error;
      throw new ProtocolError(error.code, error.message, { data: error.data });
    }
  }

  /** Counts a message of the page. @throws {ProtocolError} 429 above the rate of its method */
  count(method: string): void {
    // A host has no rate store, so there is nothing to await.
    void this.#rates.count(method, undefined, this);
  }

  /** Refuses requests that the host would refuse after the user's approval. @throws {ProtocolError} */
  async #requireSupported(method: string, params: JsonObject, signal: AbortSignal): Promise<void> {
    const { onMessage, onModelContext, onOpenLink } = this.#options;
    if (method === "tools/call") await this.#callable(params.name as string, signal);
    const callbacks = {
      "ui/message": onMessage,
      "ui/update-model-context": onModelContext,
      "ui/open-link": onOpenLink,
    };
    if (Object.hasOwn(callbacks, method) && !callbacks[method as keyof typeof callbacks]) throw denied(method);
  }

  // The shapes above have checked the types of the params.
  async #serveApproved(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { client, onMessage, onModelContext } = this.#options;
    switch (method) {
      case "tools/call": {
        // Without the page's `_meta`, whose keys mean something else to the server.
        return {
          ...(await client.callTool(params.name as string, params.arguments as JsonObject | undefined, { signal })),
        };
      }
      case "resources/read":
        return { ...(await client.readResource(params.uri as string, { signal })) };
      case "ui/open-link":
        return await this.#openLink(params.url as string);
      case "ui/message": {
        const { content } = params;
        const blocks = (Array.isArray(content) ? content : [content]) as ContentBlock[];
        return done(method, await onMessage?.({ role: "user", content: blocks }));
      }
      case "ui/update-model-context":
        return done(method, await onModelContext?.(params as ViewModelContext));
      default:
        return { mode: await this.#changeMode(params.mode as DisplayMode) };
    }
  }

  async #openLink(text: string): Promise<JsonObject> {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !LINK_PROTOCOLS.has(url.protocol)) {
      throw new ProtocolError(DENIED, "ui/open-link: Invalid URL: expected http, https or mailto");
    }
    return done("ui/open-link", await this.#options.onOpenLink?.(url));
  }

  /** A tool that the page may call. @throws {ProtocolError} for other tools */
  async #callable(name: string, signal: AbortSignal): Promise<Tool> {
    if (!this.#tools.has(name) && this.#options.tools === undefined) await this.#list(signal);
    const tool = this.#tools.get(name);
    if (tool !== undefined && isVisibleTo("app", tool)) return tool;
    throw invalidParams(`tools/call: the page has no tool ${JSON.stringify(name)}`);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const listed = new Map<string, Tool>();
    for await (const tool of this.#options.client.tools({ signal })) {
      if (listed.size >= MAX_TOOLS) throw new SdkError("too-large", `tools/list: more than ${MAX_TOOLS} tools`);
      listed.set(tool.name, tool);
    }
    this.#tools = listed;
  }
}

/** The answer to a request that a callback has handled. @throws {ProtocolError} unless the callback returned true */
function done(method: string, isDone: boolean | undefined): JsonObject {
  if (isDone === true) return {};
  throw denied(method);
}

function denied(method: string): ProtocolError {
  return new ProtocolError(DENIED, `${method}: denied by the host`);
}
