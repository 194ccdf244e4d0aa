/** What an author registers as a resource or a resource template. */
import { SdkError } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/caching.js";
import type { Annotations, BlobResourceContents, ResourceContents, TextResourceContents } from "../protocol/content.js";
import type { Icon } from "../protocol/implementation.js";
import type { InputRequiredResult } from "../protocol/input-required.js";
import type { JsonObject } from "../protocol/json.js";
import type { ReadResourceResult, Resource, ResourceTemplate } from "../protocol/resources.js";
import type { ExtensionResult } from "../routing/result-type.js";
import { encodeBase64 } from "../runtime/base64.js";
import { parseTemplate, type UriTemplate } from "../uri-template/uri-template.js";
import { checkCacheHint } from "./cache-hint.js";
import type { Completer } from "./completion.js";
import { frozenDefinition } from "./frozen-definition.js";
import type { ServerContext } from "./server-context.js";

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
  /** How long, and by whom, what is read may be kept; the server's own hint otherwise. */
  cache?: CacheHint | undefined;
}

/** Everything about a resource but its URI and handler. */
export interface ResourceConfig extends CommonResourceConfig {
  /** The raw size in bytes, if it is known. */
  size?: number | undefined;
}

/** Everything about a resource template but its text and handler. */
export interface ResourceTemplateConfig extends CommonResourceConfig {
  /** Suggestions for the template's variables, by name. */
  complete?: { readonly [variable: string]: Completer } | undefined;
  /**
   * Accepts URIs whose decoded values could lead a file path out of its directory: a `..` segment, a NUL, and in the path
   * of the URI also a leading slash, backslash or drive letter and a `file:` URL. Without it such URIs do not match.
   * @defaultValue false
   */
  acceptsUnsafeValues?: boolean | undefined;
}

/** Contents whose URI defaults to the one that was asked for. */
export type ReturnedContents =
  | (Omit<TextResourceContents, "uri"> & { uri?: string | undefined })
  | (Omit<BlobResourceContents, "uri"> & { uri?: string | undefined });

/**
 * What a read may return: text, bytes, contents, several of them, a full result, or what it needs to know first; undefined
 * or null if there is no such resource.
 */
export type ResourceReturn =
  | string
  | Uint8Array
  | ReturnedContents
  | ReturnedContents[]
  | ReadResourceResult
  | InputRequiredResult
  | ExtensionResult
  | undefined
  | null;

/** The variables of a template as they stood in the URI, decoded. */
export type TemplateVariables = { readonly [name: string]: string | string[] | undefined };

export type ResourceHandler = (
  request: { readonly uri: string },
  context: ServerContext,
) => ResourceReturn | Promise<ResourceReturn>;

export type ResourceTemplateHandler = (
  request: { readonly uri: string; readonly variables: TemplateVariables },
  context: ServerContext,
) => ResourceReturn | Promise<ResourceReturn>;

export interface RegisteredResource {
  readonly listing: Resource;
  readonly cache: CacheHint | undefined;
  readonly handler: ResourceHandler;
}

export interface RegisteredTemplate {
  readonly listing: ResourceTemplate;
  readonly template: UriTemplate;
  readonly acceptsUnsafeValues: boolean;
  readonly cache: CacheHint | undefined;
  readonly completers: { readonly [variable: string]: Completer };
  readonly handler: ResourceTemplateHandler;
}

/** @throws {SdkError} `invalid-argument` if the URI is not absolute. */
export function defineResource(uri: string, config: ResourceConfig, handler: ResourceHandler): RegisteredResource {
  if (!URL.canParse(uri)) {
    throw new SdkError("invalid-argument", `resource "${uri}": expected an absolute URI such as "notes://today"`);
  }
  const { cache, meta, ...described } = config;
  checkCacheHint(cache, `resource "${uri}"`);
  return { listing: frozenDefinition({ uri, ...described, _meta: meta }), cache, handler };
}

/** @throws {SdkError} `invalid-argument` if the template cannot be parsed or matched. */
export function defineTemplate(
  text: string,
  config: ResourceTemplateConfig,
  handler: ResourceTemplateHandler,
): RegisteredTemplate {
  const { cache, meta, complete = {}, acceptsUnsafeValues = false, ...described } = config;
  checkCacheHint(cache, `resource template "${text}"`);
  const template = parseTemplate(text);
  for (const variable of Object.keys(complete)) {
    if (!template.variables.includes(variable)) {
      throw new SdkError(
        "invalid-argument",
        `resource template "${text}": complete.${variable} names no variable of it`,
      );
    }
  }
  const listing = frozenDefinition({ uriTemplate: text, ...described, _meta: meta });
  return { listing, template, acceptsUnsafeValues, cache, completers: complete, handler };
}

/** From what a handler returns to the result of `resources/read`. */
export function toReadResult(returned: unknown, uri: string, mimeType: string | undefined): JsonObject {
  if (typeof returned === "object" && returned !== null && Object.hasOwn(returned, "contents")) {
    return { ...returned };
  }
  const parts: unknown[] = Array.isArray(returned) ? returned : [returned];
  return { contents: parts.map((part) => toContents(part, uri, mimeType)) };
}

function toContents(part: unknown, uri: string, mimeType: string | undefined): ResourceContents | JsonObject {
  const defaults = mimeType === undefined ? { uri } : { uri, mimeType };
  if (typeof part === "string") return { ...defaults, text: part };
  if (part instanceof Uint8Array) return { ...defaults, blob: encodeBase64(part) };
  if (typeof part === "object") return { ...defaults, ...part };
  throw new SdkError(
    "invalid-result",
    `resource "${uri}" returned ${typeof part}; expected text, bytes, contents or a result`,
  );
}
