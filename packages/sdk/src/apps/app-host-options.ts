/** The options of an `AppHost`, and the capabilities that follow from them. */
import type { Client } from "../client/client.js";
import { checkDuration, checkLimit } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError, withErrorPrefix } from "../errors/sdk-error.js";
import type { ContentBlock } from "../protocol/content.js";
import type { Implementation } from "../protocol/implementation.js";
import type { LoggingMessageParams } from "../protocol/logging.js";
import type { Tool } from "../protocol/tools.js";
import { checkImplementation } from "../routing/check-implementation.js";
import type { RateLimitOptions } from "../routing/rate-limits.js";
import type { JsonObject } from "../runtime/json.js";
import type { RateLimit } from "../runtime/token-bucket.js";
import type { ReadAppPage } from "./app-page-reader.js";
import { permissionsObject } from "./apps-extension.js";
import { type AppPageSize, checkContext, type DisplayMode, type HostContext } from "./host-context.js";
import { CSP_OPTIONS } from "./page-policy.js";
import type { PostMessageTransport } from "./post-message-transport.js";

/** A request of a page, before the host serves it. */
export interface ViewRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** A message that a page adds to the conversation, as from the user. */
export interface ViewMessage {
  readonly role: "user";
  readonly content: readonly ContentBlock[];
}

/** Context of a page for later turns of the model. It replaces the context that the page gave before. */
export interface ViewModelContext {
  readonly content?: readonly ContentBlock[] | undefined;
  readonly structuredContent?: JsonObject | undefined;
}

/** How to show a page. A callback that is left out is a feature that the host does not declare, and refuses. */
export interface AppHostOptions {
  /** The name and version of the host. */
  readonly info: Implementation;
  /** The connection to the server of the page. The page can call tools and read resources of this server alone. */
  readonly client: Client;
  /** The tool whose results the page shows. */
  readonly tool: Tool;
  readonly transport: PostMessageTransport;
  /** The page, for a frame that shows the sandbox page. @defaultValue the frame has the page already */
  readonly page?: ReadAppPage | undefined;
  /** The `sandbox` attribute of the page's frame inside the sandbox page. @defaultValue "allow-scripts" */
  readonly sandbox?: string | undefined;
  /** The first state of the host. `update` changes it. @defaultValue an empty one */
  readonly context?: HostContext | undefined;
  /** The tools of the server. @defaultValue listed when the page calls a tool that was not listed before */
  readonly tools?: readonly Tool[] | undefined;
  /** Called before each request of the page is served. False refuses it. @defaultValue all are served */
  readonly approve?: ((request: ViewRequest) => boolean | Promise<boolean>) | undefined;
  /** Opens an `http`, `https` or `mailto` URL for the user. False if it was not opened. @defaultValue refused */
  readonly onOpenLink?: ((url: URL) => boolean | Promise<boolean>) | undefined;
  /** Adds a message to the conversation. False if it was not added. @defaultValue refused */
  readonly onMessage?: ((message: ViewMessage) => boolean | Promise<boolean>) | undefined;
  /** Keeps context for the model. False if it was not kept. @defaultValue refused */
  readonly onModelContext?: ((context: ViewModelContext) => boolean | Promise<boolean>) | undefined;
  /** Changes the display mode, and returns the resulting one. Both sides support the wanted one. @defaultValue not changed */
  readonly onDisplayMode?: ((wanted: DisplayMode) => DisplayMode | Promise<DisplayMode>) | undefined;
  /** The page has another size, at most that of `context.containerDimensions`. @defaultValue ignored */
  readonly onSizeChanged?: ((size: AppPageSize) => void) | undefined;
  /** Called with log messages of the page. @defaultValue ignored */
  readonly onLog?: ((message: LoggingMessageParams) => void) | undefined;
  /** Called with errors that no call rejects with. @defaultValue console.error */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Requests of the page in progress. More are refused. @defaultValue 32 */
  readonly maxRequests?: number | undefined;
  /**
   * Rate of what the page sends, by method. Requests above it get 429, and log messages are dropped. `false` removes the limit of one
   * method, or of all.
   * @defaultValue 50 per second and 500 at once for calls of tools, reads, model contexts and log messages; 1 per second and 20 at once for messages, links and display modes
   */
  readonly rateLimits?: RateLimitOptions | false | undefined;
  /** How long `close` waits for the page. @defaultValue 5_000 */
  readonly teardownMs?: number | undefined;
}

const OPTIONS: OptionTable<AppHostOptions> = {
  info: "object",
  client: "object",
  tool: "object",
  transport: "object",
  page: "object",
  sandbox: "string",
  context: "object",
  tools: "list",
  approve: "function",
  onOpenLink: "function",
  onMessage: "function",
  onModelContext: "function",
  onDisplayMode: "function",
  onSizeChanged: "function",
  onLog: "function",
  onError: "function",
  maxRequests: true,
  rateLimits: true,
  teardownMs: true,
};

const PAGE: OptionTable<ReadAppPage> = {
  uri: "string",
  html: "string",
  csp: "object",
  refusedDomains: "list",
  permissions: "list",
  domain: "string",
  prefersBorder: "boolean",
};

export const DEFAULT_MAX_REQUESTS = 32;
export const DEFAULT_TEARDOWN_MS = 5_000;

/** A page draws at most 60 times per second. A user reads messages and links. */
const DRAWN: RateLimit = { perSecond: 50, burst: 500 };
const READ: RateLimit = { perSecond: 1, burst: 20 };
export const DEFAULT_VIEW_RATES: Readonly<Record<string, RateLimit>> = {
  "tools/call": DRAWN,
  "resources/read": DRAWN,
  "ui/update-model-context": DRAWN,
  "notifications/message": DRAWN,
  "ui/message": READ,
  "ui/open-link": READ,
  "ui/request-display-mode": READ,
};

/** @throws {SdkError} `invalid-argument` */
export function checkAppHostOptions(options: AppHostOptions): void {
  checkOptions("AppHost", options, OPTIONS);
  requireMembers("AppHost", options, ["info", "client", "tool", "transport"]);
  const { info, page, context = {}, maxRequests = DEFAULT_MAX_REQUESTS, teardownMs = DEFAULT_TEARDOWN_MS } = options;
  withErrorPrefix("AppHost: info", () => checkImplementation(info, '{ name: "chat", version: "1.0.0" }'));
  checkLimit("maxRequests", maxRequests);
  checkDuration("teardownMs", teardownMs);
  checkContext("AppHost: context", context);
  if (page !== undefined) checkPage("AppHost: page", page);
}

/** A host may pass a changed copy of a page. A misspelled member would allow more than the host wants. */
function checkPage(owner: string, page: ReadAppPage): void {
  checkOptions(owner, page, PAGE);
  requireMembers(owner, page, ["html", "csp", "permissions"]);
  checkOptions(`${owner}: csp`, page.csp, CSP_OPTIONS);
}

function requireMembers<Options>(owner: string, options: Options, names: readonly (keyof Options & string)[]): void {
  const missing = names.find((name) => options[name] === undefined);
  if (missing !== undefined) throw new SdkError("invalid-argument", `${owner}: ${missing} is missing`);
}

/** The capabilities of the host in the answer to `ui/initialize`. */
export function hostCapabilities(options: AppHostOptions): JsonObject {
  const { page, onOpenLink, onLog, onMessage, onModelContext } = options;
  const permissions = page && permissionsObject(page.permissions);
  return {
    serverTools: {},
    serverResources: {},
    ...(onOpenLink && { openLinks: {} }),
    ...(onLog && { logging: {} }),
    ...(onMessage && { message: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} } }),
    ...(onModelContext && { updateModelContext: { text: {}, structuredContent: {} } }),
    ...(page && { sandbox: { permissions, csp: page.csp } }),
  };
}
