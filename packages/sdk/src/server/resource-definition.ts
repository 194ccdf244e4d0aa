/** What an author registers as a resource or a resource template. */
import { SdkError } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/caching.js";
import type { Annotations, TextResourceContents } from "../protocol/content.js";
import type { Icon } from "../protocol/implementation.js";
import type { InputRequiredResult } from "../protocol/input-required.js";
import type { ReadResourceResult, Resource, ResourceTemplate } from "../protocol/resources.js";
import { resourceShape, resourceTemplateShape } from "../protocol/shapes/resources.js";
import type { ExtensionResult } from "../routing/result-type.js";
import { encodeBase64 } from "../runtime/base64.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { parseTemplate, type UriTemplate } from "../uri-template/uri-template.js";
import type { Completer } from "./completion.js";
import { frozenCopy } from "./frozen-copy.js";
import { checkCacheHint, checkListing, checkRegistration, checkScopes } from "./registration-checks.js";
import { encodeContents, encodeEach, type ReturnedBlob } from "./returned-content.js";
import type { ServerContext } from "./server-context.js";
import type { TemplateVariables } from "./template-variables.js";

interface CommonResourceConfig {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  /** Also the default of the contents that are read. */
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  icons?: Icon[] | undefined;
  /** Listed as the resource's `_meta`. */
  meta?: JsonObject | undefined;
  /**
   * Scopes of the access token that callers need. Without a caller, as over stdio, they are not checked; a caller
   * without an access token is refused.
   * @defaultValue none
   */
  scopes?: readonly string[] | undefined;
  /** How long, and by whom, what is read may be kept; the server's own hint otherwise. With scopes it is private. */
  cache?: CacheHint | undefined;
}

/** Everything about a resource but its URI and handler. */
export interface ResourceConfig extends CommonResourceConfig {
  /** The raw size in bytes, if it is known. */
  size?: number | undefined;
}

/** Everything about a resource template but its text and handler. */
export interface ResourceTemplateConfig extends CommonResourceConfig {
  /**
   * Lists resources of this template in `resources/list`, after those that are registered by themselves. It is called for
   * each page that a client asks for.
   * @defaultValue none
   */
  list?: ResourceLister | undefined;
  /** Suggestions for the template's variables, by name. */
  complete?: { readonly [variable: string]: Completer } | undefined;
  /**
   * Accepts URIs whose decoded values could lead a file path out of its directory: a `..` segment, a NUL, and in the path
   * of the URI also a leading slash, backslash or drive letter and a `file:` URL. Without it such URIs do not match.
   * @defaultValue false
   */
  acceptsUnsafeValues?: boolean | undefined;
}

/** Resources of a template, and where the next of them are to be had. */
export interface ListedResources {
  resources: Resource[];
  /** Handed to the lister for the next page. A client may make one up, so check it. */
  nextCursor?: string | undefined;
}

/**
 * Lists the resources of a template: all of them, or a page. Their URIs fit the template; their MIME type is the template's
 * unless they have one. Pages longer than the server's `pageSize` are cut, and the lister is called again for the rest.
 */
export type ResourceLister = (
  request: { readonly cursor: string | undefined },
  context: ServerContext,
) => Resource[] | ListedResources | Promise<Resource[] | ListedResources>;

/** Contents whose URI defaults to the one that was asked for. */
export type ReturnedContents =
  | (Omit<TextResourceContents, "uri"> & { uri?: string | undefined })
  | (Omit<ReturnedBlob, "uri"> & { uri?: string | undefined });

/** A full result whose contents may hold bytes. */
export type ReturnedRead = Omit<ReadResourceResult, "contents"> & { contents: (TextResourceContents | ReturnedBlob)[] };

/**
 * What a read may return: text, bytes, contents, several of them, a full result, or what it needs to know first; undefined
 * or null if there is no such resource.
 */
export type ResourceReturn =
  | string
  | Uint8Array
  | ReturnedContents
  | ReturnedContents[]
  | ReturnedRead
  | InputRequiredResult
  | ExtensionResult
  | undefined
  | null;

export type ResourceHandler = (
  request: { readonly uri: string },
  context: ServerContext,
) => ResourceReturn | Promise<ResourceReturn>;

export type ResourceTemplateHandler<Variables = TemplateVariables> = (
  request: { readonly uri: string; readonly variables: Variables },
  context: ServerContext,
) => ResourceReturn | Promise<ResourceReturn>;

export interface RegisteredResource {
  readonly listing: Resource;
  readonly scopes: readonly string[];
  readonly cache: CacheHint | undefined;
  readonly handler: ResourceHandler;
}

export interface RegisteredTemplate {
  readonly listing: ResourceTemplate;
  readonly scopes: readonly string[];
  readonly template: UriTemplate;
  readonly acceptsUnsafeValues: boolean;
  readonly cache: CacheHint | undefined;
  readonly completers: { readonly [variable: string]: Completer };
  readonly list: ResourceLister | undefined;
  readonly handler: (
    request: { readonly uri: string; readonly variables: TemplateVariables },
    context: ServerContext,
  ) => unknown;
}

/** @throws {SdkError} `invalid-argument` for what is no absolute URI, and for a template. */
export function defineResource(uri: string, config: ResourceConfig, handler: ResourceHandler): RegisteredResource {
  const owner = `resource "${uri}"`;
  if (/[{}]/.test(uri)) {
    throw new SdkError(
      "invalid-argument",
      `${owner}: for a URI with variables use resourceTemplate(template, { name }, handler)`,
    );
  }
  // `URL` takes spaces and backslashes, and a client that writes the URI by the rules would not find the resource.
  if (!URL.canParse(uri) || /[\s\\]/.test(uri)) {
    throw new SdkError(
      "invalid-argument",
      `${owner}: expected an absolute URI such as "notes://today" first, without spaces and backslashes`,
    );
  }
  checkRegistration(owner, "resource(uri, { name }, handler)", config, handler);
  const { cache, meta, scopes: given, ...described } = config;
  checkCacheHint(cache, owner);
  const scopes = checkScopes(owner, given);
  const listing = { uri, ...described, _meta: meta };
  checkListing(owner, listing, resourceShape);
  return { listing: frozenCopy(listing, owner), scopes, cache: scopedCache(cache, scopes), handler };
}

/** @throws {SdkError} `invalid-argument` if the template cannot be parsed or matched. */
export function defineTemplate(
  text: string,
  config: ResourceTemplateConfig,
  handler: (request: { readonly uri: string; readonly variables: never }, context: ServerContext) => unknown,
): RegisteredTemplate {
  const owner = `resource template "${text}"`;
  checkRegistration(owner, "resourceTemplate(template, { name }, handler)", config, handler);
  const { cache, meta, scopes: given, complete = {}, acceptsUnsafeValues = false, list, ...described } = config;
  checkCacheHint(cache, owner);
  const scopes = checkScopes(owner, given);
  if (list !== undefined && typeof list !== "function") {
    throw new SdkError("invalid-argument", `${owner}: config.list: expected a function, got ${typeof list}`);
  }
  const template = parseTemplate(text);
  for (const variable of Object.keys(complete)) {
    if (!template.variables.includes(variable)) {
      throw new SdkError("invalid-argument", `${owner}: complete.${variable} names no variable of it`);
    }
  }
  const listing = { uriTemplate: text, ...described, _meta: meta };
  checkListing(owner, listing, resourceTemplateShape);
  // Its variables are those of the template, which is what the author's type says.
  const run = handler as RegisteredTemplate["handler"];
  return {
    listing: frozenCopy(listing, owner),
    template,
    acceptsUnsafeValues,
    scopes,
    cache: scopedCache(cache, scopes),
    completers: complete,
    list,
    handler: run,
  };
}

/** A shared cache would hand the contents to callers without the scopes. */
function scopedCache(cache: CacheHint | undefined, scopes: readonly string[]): CacheHint | undefined {
  return scopes.length === 0 ? cache : { ...cache, cacheScope: "private" };
}

/** From what a handler returns to the result of `resources/read`. */
export function toReadResult(returned: unknown, uri: string, mimeType: string | undefined): JsonObject {
  if (isJsonObject(returned) && Object.hasOwn(returned, "contents")) {
    return { ...returned, contents: encodeEach(returned.contents, encodeContents) };
  }
  const parts: unknown[] = Array.isArray(returned) ? returned : [returned];
  return { contents: parts.map((part) => toContents(part, uri, mimeType)) };
}

function toContents(part: unknown, uri: string, mimeType: string | undefined): unknown {
  const defaults = mimeType === undefined ? { uri } : { uri, mimeType };
  if (typeof part === "string") return { ...defaults, text: part };
  if (part instanceof Uint8Array) return { ...defaults, blob: encodeBase64(part) };
  if (typeof part === "object") return encodeContents({ ...defaults, ...part });
  throw new SdkError(
    "invalid-result",
    `resource "${uri}" returned ${typeof part}; expected text, bytes, contents or a result`,
  );
}
