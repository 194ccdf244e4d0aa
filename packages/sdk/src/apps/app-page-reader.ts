/** Pages at a client: finds the page of a tool, reads it, and checks what it asks for before a host shows it. */
import type { CallOptions } from "../client/call-options.js";
import type { Client } from "../client/client.js";
import { checkLimit } from "../errors/option-checks.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ResourceContents } from "../protocol/content.js";
import type { Tool } from "../protocol/tools.js";
import { decodeBase64 } from "../runtime/base64.js";
import { isJsonObject } from "../runtime/json.js";
import {
  APP_MIME_TYPE,
  APP_PERMISSIONS,
  APP_SCHEME,
  type AppCsp,
  type AppPermission,
  pageUriOf,
  uiOf,
} from "./apps-extension.js";
import { CSP_LISTS, ORIGIN } from "./page-policy.js";

/** A page as its server gave it. */
export interface ReadAppPage {
  readonly uri: string;
  /** Untrusted HTML. Show it in a sandboxed frame only. */
  readonly html: string;
  /** The origins that the page asks for, and whether it compiles WebAssembly. A host may allow less, never more. */
  readonly csp: AppCsp;
  /** Entries of the page's `csp` that are no origins. They stay blocked. */
  readonly refusedDomains: readonly string[];
  /** The features of the browser that the page asks for. */
  readonly permissions: readonly AppPermission[];
  /** The origin that the page asks for; undefined without one. */
  readonly domain: string | undefined;
  /** Whether the page wants a border; undefined if the host decides. */
  readonly prefersBorder: boolean | undefined;
}

/** How to read a page. */
export interface ReadAppPageOptions extends CallOptions {
  /** UTF-16 code units of the HTML. @defaultValue 8_388_608 */
  readonly maxPageChars?: number | undefined;
}

const DEFAULT_MAX_PAGE_CHARS = 8_388_608;
/** A code unit of UTF-16 has at most three bytes in UTF-8, which are four characters of Base64. */
const MAX_BASE64_PER_CHAR = 4;
const BASE64_PADDING = 4;
/** Origins of one list. Longer lists are cut. */
const MAX_DOMAINS = 256;

/**
 * Reads the page of a tool.
 * @throws {SdkError} `invalid-argument` for a tool without a page, `invalid-result` for a page that a host must not show,
 *   `too-large` for one beyond `maxPageChars`.
 *
 * @example
 * for await (const tool of client.tools()) {
 *   if (pageUriOf(tool) !== undefined) console.log((await readAppPage(client, tool)).html);
 * }
 */
export async function readAppPage(
  client: Client,
  tool: Tool,
  { maxPageChars = DEFAULT_MAX_PAGE_CHARS, ...options }: ReadAppPageOptions = {},
): Promise<ReadAppPage> {
  checkLimit("maxPageChars", maxPageChars);
  const uri = pageUriOf(tool);
  if (uri === undefined)
    throw new SdkError("invalid-argument", `tool "${tool.name}" has no page: check pageUriOf(tool)`);
  if (!uri.startsWith(APP_SCHEME)) throw refused(uri, `expected a URI that starts with ${APP_SCHEME}`);
  const { contents } = await client.readResource(uri, options);
  const content = contents.find((each) => each.uri === uri);
  if (content === undefined) throw refused(uri, "the answer has no content of this URI");
  if (!isAppType(content.mimeType)) {
    throw refused(uri, `expected the MIME type ${APP_MIME_TYPE}, got ${JSON.stringify(content.mimeType)}`);
  }
  if ("blob" in content && content.blob.length > maxPageChars * MAX_BASE64_PER_CHAR + BASE64_PADDING) {
    throw tooLarge(uri, `${content.blob.length} characters of Base64`, maxPageChars);
  }
  const html = htmlOf(uri, content);
  if (html.length > maxPageChars) throw tooLarge(uri, `${html.length} characters`, maxPageChars);
  return { uri, html, ...uiMetadataOf(content) };
}

/** MIME types ignore case, and spaces around their parameters. */
function isAppType(mimeType: string | undefined): boolean {
  return mimeType?.toLowerCase().replace(/[\s"]/g, "") === APP_MIME_TYPE;
}

function htmlOf(uri: string, content: ResourceContents): string {
  if ("text" in content) return content.text;
  try {
    const bytes = Uint8Array.from(decodeBase64(content.blob), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SdkError("invalid-result", `page "${uri}": its blob is not HTML in UTF-8`, { cause });
  }
}

function uiMetadataOf(content: ResourceContents): Omit<ReadAppPage, "uri" | "html"> {
  const { csp, permissions, domain, prefersBorder } = uiOf(content);
  const given = isJsonObject(csp) ? csp : {};
  const wanted = CSP_LISTS.map((list) => [list, textsIn(given[list])] as const);
  return {
    csp: {
      ...Object.fromEntries(wanted.map(([list, domains]) => [list, domains.filter((each) => ORIGIN.test(each))])),
      ...(given.wasmUnsafeEval === true && { wasmUnsafeEval: true }),
    },
    refusedDomains: wanted.flatMap(([, domains]) => domains.filter((each) => !ORIGIN.test(each))),
    permissions: APP_PERMISSIONS.filter((name) => isJsonObject(permissions) && isJsonObject(permissions[name])),
    domain: typeof domain === "string" ? domain : undefined,
    prefersBorder: typeof prefersBorder === "boolean" ? prefersBorder : undefined,
  };
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === "string").slice(0, MAX_DOMAINS) : [];
}

function tooLarge(uri: string, size: string, maxPageChars: number): SdkError {
  return new SdkError("too-large", `page "${uri}": ${size}; maxPageChars allows ${maxPageChars}`);
}

function refused(uri: string, complaint: string): SdkError {
  return new SdkError("invalid-result", `page "${uri}": ${complaint}; it cannot be shown`);
}
