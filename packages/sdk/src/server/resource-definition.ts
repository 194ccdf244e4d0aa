/** Resource and template registrations: their configuration, and the checked form that the registry holds. */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Annotations, TextResourceContents } from "../protocol/content.js";
import type { Icon } from "../protocol/implementation.js";
import type { InputRequiredResult } from "../protocol/input-required.js";
import type { CacheHint, CacheScope } from "../protocol/message-base.js";
import type { ReadResourceResult, Resource, ResourceTemplate } from "../protocol/resources.js";
import { resourceShape, resourceTemplateShape } from "../protocol/resources.js";
import type { ExtensionResult } from "../routing/result-type.js";
import { encodeBase64 } from "../runtime/base64.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { parseMatcher, type UriMatcher } from "../uri-template/uri-template.js";
import type { Completer } from "./completion.js";
import { frozenCopy } from "./frozen-copy.js";
import type { ListVisibility } from "./list-filter.js";
import { checkCacheHint, checkListed, checkListing, checkRegistration, checkScopes } from "./registration-checks.js";
import { encodeContents, encodeEach, type ReturnedBlob } from "./returned-content.js";
import type { ServerContext } from "./server-context.js";
import type { TemplateVariables } from "./template-variables.js";

interface CommonResourceConfig {
  /** Name for programs, and for user interfaces without a `title`. */
  name: string;
  /** Name for user interfaces. @defaultValue none: clients show `name` */
  title?: string | undefined;
  /** Tells the model what the resource contains. @defaultValue none */
  description?: string | undefined;
  /** Also the MIME type of contents without one. @defaultValue none */
  mimeType?: string | undefined;
  /** The audience, the priority and the last change of the resource. @defaultValue none */
  annotations?: Annotations | undefined;
  /** Pictures for user interfaces. @defaultValue none */
  icons?: Icon[] | undefined;
  /** Listed as the resource's `_meta`. @defaultValue none */
  meta?: JsonObject | undefined;
  /**
   * Scopes that the caller's access token needs. A caller without an access token is refused. Without a caller, as over
   * stdio, scopes are not checked.
   * @defaultValue none
   */
  scopes?: readonly string[] | undefined;
  /**
   * Whether lists contain the resource, or the template with its resources. A function decides for each list request, and makes
   * lists private to their caller. A hidden resource can still be read.
   * @defaultValue true
   */
  listed?: ListVisibility | undefined;
  /** Cache hint of the contents. With scopes, the contents are always private. @defaultValue the hint of the server */
  cache?: CacheHint | undefined;
}

/** The configuration of a resource. */
export interface ResourceConfig extends CommonResourceConfig {
  /** The raw size in bytes. @defaultValue unknown */
  size?: number | undefined;
}

/** The configuration of a resource template. */
export interface ResourceTemplateConfig extends CommonResourceConfig {
  /**
   * Lists resources of this template in `resources/list`, after the resources registered by URI. The server calls it for
   * each page that a client requests.
   * @defaultValue none
   */
  list?: ResourceLister | undefined;
  /**
   * Who may share the pages of `resources/list` in caches. `private`: all its pages are for their caller, since `list` may
   * depend on the request. `public`: `list` returns the same for every caller, and the server's `cache` decides.
   * @defaultValue "private"
   */
  listCacheScope?: CacheScope | undefined;
  /** Completers of the template's variables, by name. @defaultValue none */
  complete?: { readonly [variable: string]: Completer } | undefined;
  /**
   * Accepts URIs whose decoded values are unsafe in a file path. Unsafe are a `..` segment and a NUL; in the path of the URI
   * also a leading slash, backslash or drive letter, and a `file:` URL. By default such URIs do not match.
   * @defaultValue false
   */
  acceptsUnsafeValues?: boolean | undefined;
}

/** One page of a template's resources. */
export interface ListedResources {
  resources: Resource[];
  /** Passed to the lister for the next page. Clients can make up a cursor, so check it. @defaultValue the last page */
  nextCursor?: string | undefined;
}

/**
 * Lists the resources of a template: all of them, or a page. Each URI must match the template. Resources without a MIME type
 * get the template's. The server cuts pages longer than its `pageSize`, and calls the lister again for the rest.
 */
export type ResourceLister = (
  request: { readonly cursor: string | undefined },
  context: ServerContext,
) => Resource[] | ListedResources | Promise<Resource[] | ListedResources>;

/** Contents whose URI defaults to the requested one. */
export type ReturnedContents =
  | (Omit<TextResourceContents, "uri"> & { uri?: string | undefined })
  | (Omit<ReturnedBlob, "uri"> & { uri?: string | undefined });

/** A full result whose contents may hold bytes. */
export type ReturnedRead = Omit<ReadResourceResult, "contents"> & { contents: (TextResourceContents | ReturnedBlob)[] };

/**
 * The return value of a resource handler: text, bytes, contents, a list of contents, a full result, or `inputRequired(…)`.
 * Undefined or null if the resource does not exist.
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

/** Reads a resource. */
export type ResourceHandler = (
  request: { readonly uri: string },
  context: ServerContext,
) => ResourceReturn | Promise<ResourceReturn>;

/** Reads a resource of a template. Gets the URI and the values of the template's variables. */
export type ResourceTemplateHandler<Variables = TemplateVariables> = (
  request: { readonly uri: string; readonly variables: Variables },
  context: ServerContext,
) => ResourceReturn | Promise<ResourceReturn>;

export interface RegisteredResource {
  readonly listing: Resource;
  readonly scopes: readonly string[];
  readonly listed: ListVisibility;
  readonly cache: CacheHint | undefined;
  readonly handler: ResourceHandler;
}

export interface RegisteredTemplate {
  readonly listing: ResourceTemplate;
  readonly scopes: readonly string[];
  readonly listed: ListVisibility;
  readonly template: UriMatcher;
  readonly acceptsUnsafeValues: boolean;
  readonly cache: CacheHint | undefined;
  readonly completers: { readonly [variable: string]: Completer };
  readonly list: ResourceLister | undefined;
  readonly listCacheScope: CacheScope;
  readonly handler: (
    request: { readonly uri: string; readonly variables: TemplateVariables },
    context: ServerContext,
  ) => unknown;
}

const COMMON_OPTIONS: OptionTable<CommonResourceConfig> = {
  name: true,
  title: true,
  description: true,
  mimeType: true,
  annotations: true,
  icons: true,
  meta: true,
  scopes: true,
  listed: true,
  cache: "object",
};

const RESOURCE_OPTIONS: OptionTable<ResourceConfig> = { ...COMMON_OPTIONS, size: true };

const TEMPLATE_OPTIONS: OptionTable<ResourceTemplateConfig> = {
  ...COMMON_OPTIONS,
  list: "function",
  listCacheScope: "string",
  complete: "object",
  acceptsUnsafeValues: "boolean",
};

/** @throws {SdkError} `invalid-argument` for a text that is not an absolute URI, and for a template. */
export function defineResource(uri: string, config: ResourceConfig, handler: ResourceHandler): RegisteredResource {
  const owner = `resource "${uri}"`;
  if (/[{}]/.test(uri)) {
    throw new SdkError(
      "invalid-argument",
      `${owner}: for a URI with variables use resourceTemplate(template, { name }, handler)`,
    );
  }
  // `URL` accepts spaces and backslashes. A client that escapes them would not find the resource.
  if (!URL.canParse(uri) || /[\s\\]/.test(uri)) {
    throw new SdkError(
      "invalid-argument",
      `${owner}: expected an absolute URI such as "notes://today" first, without spaces and backslashes`,
    );
  }
  checkRegistration(owner, "resource(uri, { name }, handler)", config, handler);
  checkOptions(owner, config, RESOURCE_OPTIONS);
  const { cache, meta, scopes: given, listed, ...described } = config;
  checkCacheHint(cache, owner);
  const scopes = checkScopes(owner, given);
  const listing = { uri, ...described, _meta: meta };
  checkListing(owner, listing, resourceShape);
  return {
    listing: frozenCopy(listing, owner),
    scopes,
    listed: checkListed(owner, listed),
    cache: scopedCache(cache, scopes),
    handler,
  };
}

/** @throws {SdkError} `invalid-argument` if the template cannot be parsed or matched. */
export function defineTemplate(
  text: string,
  config: ResourceTemplateConfig,
  handler: (request: { readonly uri: string; readonly variables: never }, context: ServerContext) => unknown,
): RegisteredTemplate {
  const owner = `resource template "${text}"`;
  checkRegistration(owner, "resourceTemplate(template, { name }, handler)", config, handler);
  checkOptions(owner, config, TEMPLATE_OPTIONS);
  const { cache, meta, scopes: given, listed, complete = {}, acceptsUnsafeValues = false, ...others } = config;
  const { list, listCacheScope = "private", ...described } = others;
  checkCacheHint(cache, owner);
  const scopes = checkScopes(owner, given);
  if (listCacheScope !== "private" && listCacheScope !== "public") {
    throw new SdkError("invalid-argument", `${owner}: config.listCacheScope: expected "private" or "public"`);
  }
  const template = parseMatcher(text);
  for (const variable of Object.keys(complete)) {
    if (!template.variables.includes(variable)) {
      const known = template.variables.join(", ") || "none";
      throw new SdkError("invalid-argument", `${owner}: complete.${variable} names no variable of it: ${known}`);
    }
  }
  const listing = { uriTemplate: text, ...described, _meta: meta };
  checkListing(owner, listing, resourceTemplateShape);
  // The handler's `variables` type is derived from the template.
  const run = handler as RegisteredTemplate["handler"];
  return {
    listing: frozenCopy(listing, owner),
    template,
    acceptsUnsafeValues,
    scopes,
    listed: checkListed(owner, listed),
    cache: scopedCache(cache, scopes),
    completers: complete,
    list,
    listCacheScope,
    handler: run,
  };
}

/** Makes the hint private if there are scopes. A shared cache would serve the contents to callers without the scopes. */
function scopedCache(cache: CacheHint | undefined, scopes: readonly string[]): CacheHint | undefined {
  return scopes.length === 0 ? cache : { ...cache, cacheScope: "private" };
}

/** Converts the return value of a handler into the result of `resources/read`. */
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
