/** Pages and their tools on a server. A page is a resource, and the `_meta` of a tool names it. */
import { checkKind, checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Icon } from "../protocol/implementation.js";
import type { CacheHint } from "../protocol/message-base.js";
import type { JsonObject } from "../runtime/json.js";
import type { Schema } from "../schema/schema.js";
import type { ListVisibility } from "../server/list-filter.js";
import type { McpServer } from "../server/mcp-server.js";
import type { ItemRegistration } from "../server/registry.js";
import type { ServerContext } from "../server/server-context.js";
import type { ToolConfig, ToolHandler } from "../server/tool-definition.js";
import {
  APP_MIME_TYPE,
  APP_PERMISSIONS,
  APP_SCHEME,
  type AppCsp,
  type AppPermission,
  type AppToolVisibility,
  apps,
  permissionsObject,
} from "./apps-extension.js";
import { CSP_LISTS, CSP_OPTIONS, ORIGIN } from "./page-policy.js";

/** The configuration of a page. */
export interface AppPageConfig {
  /** Name for programs, and for user interfaces without a `title`. */
  name: string;
  /** Name for user interfaces. @defaultValue none: hosts show `name` */
  title?: string | undefined;
  /** Tells the user what the page shows. @defaultValue none */
  description?: string | undefined;
  /** Pictures for user interfaces. @defaultValue none */
  icons?: Icon[] | undefined;
  /** The HTML document. A function is called for each read, and may read a file. */
  html: string | (() => string | Promise<string>);
  /** The origins that the page uses. @defaultValue none: the page can only talk to its host */
  csp?: AppCsp | undefined;
  /** Features of the browser that the page asks for. The page must work without them. @defaultValue none */
  permissions?: readonly AppPermission[] | undefined;
  /** The origin of the page at hosts that offer one. Each host documents its own form. @defaultValue the host's */
  domain?: string | undefined;
  /** Whether the host draws a border and a background. @defaultValue the host decides */
  prefersBorder?: boolean | undefined;
  /** Whether `resources/list` contains the page. Hosts find it by its tools. @defaultValue true */
  listed?: ListVisibility | undefined;
  /** Cache hint of the page. @defaultValue the hint of the server */
  cache?: CacheHint | undefined;
}

/** A page of a server, for the tools that it shows. */
export interface AppPage {
  readonly uri: string;
  readonly registration: ItemRegistration;
}

/** The configuration of a tool with a page, or of one that only pages call. */
export interface AppToolConfig<Input extends Schema | undefined, Output extends Schema | undefined>
  extends ToolConfig<Input, Output> {
  /** The page that shows the results of the tool. @defaultValue none */
  page?: AppPage | undefined;
  /**
   * Who may call the tool. Clients without the extension do not see a tool for pages alone in lists.
   * @defaultValue ["model", "app"]
   */
  visibility?: readonly AppToolVisibility[] | undefined;
}

const PAGE_OPTIONS: OptionTable<AppPageConfig> = {
  name: "string",
  title: "string",
  description: "string",
  icons: "list",
  html: true,
  csp: "object",
  permissions: "list",
  domain: "string",
  prefersBorder: "boolean",
  listed: true,
  cache: true,
};

const APP_PAGE: OptionTable<AppPage> = { uri: "string", registration: "object" };

/** A document type within these characters. Comments may precede it. */
const MAX_PROLOGUE_CHARS = 4_096;

/**
 * Adds the apps extension to a server. Call it once per server.
 * @throws {SdkError} `duplicate-name` if the server has the extension.
 *
 * @example
 * const ui = serveApps(server);
 * const page = ui.page("ui://clock/face", { name: "clock-face", html: "<!doctype html><p id=time>" });
 * ui.tool("show_clock", { page }, () => new Date().toISOString());
 */
export function serveApps(server: McpServer): AppServer {
  server.extend(apps);
  return new AppServer(server);
}

/** Registers pages and their tools. `serveApps` makes one. */
export class AppServer {
  readonly #server: McpServer;

  /** @internal */
  constructor(server: McpServer) {
    this.#server = server;
  }

  /**
   * Registers a page under a `ui://` URI.
   * @throws {SdkError} `duplicate-name` or `invalid-argument`.
   */
  page(uri: string, config: AppPageConfig): AppPage {
    const owner = `page "${uri}"`;
    checkPage(owner, uri, config);
    const { html, csp, permissions, domain, prefersBorder, ...listing } = config;
    const ui = { csp, permissions: permissions && permissionsObject(permissions), domain, prefersBorder };
    const meta: JsonObject = { ui: JSON.parse(JSON.stringify(ui)) };
    const registration = this.#server.resource(uri, { ...listing, mimeType: APP_MIME_TYPE, meta }, async () => {
      const text = typeof html === "function" ? await html() : html;
      checkDocument(owner, text);
      return { text, mimeType: APP_MIME_TYPE, _meta: meta };
    });
    return { uri, registration };
  }

  /**
   * Registers a tool, as `server.tool` does. Clients without the extension use it as a tool without a page.
   * @throws {SdkError} `duplicate-name`, `invalid-argument` or `unusable-schema`.
   */
  tool<const Input extends Schema | undefined = undefined, Output extends Schema | undefined = undefined>(
    name: string,
    config: AppToolConfig<Input, Output>,
    // Conditional, as in `McpServer.tool`.
    handler: Output extends unknown ? ToolHandler<Input, Output> : never,
  ): ItemRegistration {
    const owner = `tool "${name}"`;
    checkKind(owner, config, "object");
    const { page, visibility, meta, ...tool } = config;
    if (page !== undefined) checkAppPage(`${owner}: page`, page);
    checkVisibility(owner, visibility);
    if (meta?.ui !== undefined) throw invalid(`${owner}: meta.ui: use page and visibility instead`);
    const isForPages = visibility !== undefined && !visibility.includes("model");
    const ui = { ...(page && { resourceUri: page.uri }), ...(visibility && { visibility: [...visibility] }) };
    const listed = tool.listed ?? (isForPages ? showsApps : true);
    return this.#server.tool<Input, Output>(name, { ...tool, listed, meta: { ...meta, ui } }, handler);
  }
}

/** Whether the client of a request shows pages. */
export function showsApps(context: ServerContext): boolean {
  try {
    return context.extension(apps)?.settings.mimeTypes.includes(APP_MIME_TYPE) === true;
  } catch {
    // Settings that break the schema: the client is served as one without pages.
    return false;
  }
}

function checkPage(owner: string, uri: string, config: AppPageConfig): void {
  checkOptions(owner, config, PAGE_OPTIONS);
  const { html, csp = {}, permissions = [] } = config;
  if (typeof uri !== "string" || !uri.startsWith(APP_SCHEME))
    throw invalid(`${owner}: expected a URI such as ui://clock/face`);
  if (typeof html !== "function") checkDocument(owner, html);
  checkOptions(`${owner}: csp`, csp, CSP_OPTIONS);
  for (const list of CSP_LISTS) {
    const wrong = csp[list]?.find((each) => !ORIGIN.test(each));
    if (wrong === undefined) continue;
    const expected = "an origin such as https://api.example.com or https://*.example.com";
    throw invalid(`${owner}: csp.${list}: expected ${expected}, got ${JSON.stringify(wrong)}`);
  }
  const unknown = permissions.find((each) => !APP_PERMISSIONS.includes(each));
  if (unknown === undefined) return;
  throw invalid(`${owner}: permissions: ${JSON.stringify(unknown)} is none of ${APP_PERMISSIONS.join(", ")}`);
}

function checkAppPage(owner: string, page: AppPage): void {
  checkOptions(owner, page, APP_PAGE);
  if (page.uri === undefined) throw invalid(`${owner}: expected a page that ui.page returned`);
}

function checkDocument(owner: string, html: unknown): void {
  if (typeof html === "string" && /<!doctype html/i.test(html.slice(0, MAX_PROLOGUE_CHARS))) return;
  throw invalid(`${owner}: html: expected an HTML document that starts with <!doctype html>`);
}

function checkVisibility(owner: string, visibility: unknown): void {
  if (visibility === undefined) return;
  const isList = Array.isArray(visibility) && visibility.length > 0;
  if (isList && visibility.every((who) => who === "model" || who === "app")) return;
  throw invalid(`${owner}: visibility: expected ["model"], ["app"] or both`);
}

function invalid(message: string): SdkError {
  return new SdkError("invalid-argument", message);
}
