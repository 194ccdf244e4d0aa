/** The resources of a server: `resources/list`, `resources/templates/list` and `resources/read`. */
import { invalidParams, ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { CacheHint } from "../protocol/message-base.js";
import type { Resource } from "../protocol/resources.js";
import { readResourceResultShape } from "../protocol/resources.js";
import { explain } from "../protocol/shape.js";
import type { JsonObject } from "../runtime/json.js";
import { shorten } from "../runtime/shorten.js";
import { isUnfinished } from "./input/input-required.js";
import { type ItemFilter, listFilter, privatePage, type ScopedLists } from "./list-filter.js";
import { Registry } from "./registry.js";
import { type RegisteredResource, type RegisteredTemplate, toReadResult } from "./resource-definition.js";
import type { ServerContext } from "./server-context.js";
import { isTemplateListCursor, TemplateLists } from "./template-lists.js";
import { matchTemplate } from "./template-variables.js";

export class Resources {
  readonly registry: Registry<RegisteredResource>;
  readonly templates: Registry<RegisteredTemplate>;
  readonly #members: TemplateLists;
  readonly #lists: ScopedLists;

  /** `onChange` is called for resources and templates. The specification has one notification for both. */
  constructor(pageSize: number, lists: ScopedLists, onChange: () => void) {
    this.#lists = lists;
    this.registry = new Registry("resources", pageSize, onChange);
    this.templates = new Registry("resource-templates", pageSize, onChange);
    this.#members = new TemplateLists(this.templates, pageSize);
  }

  /** Lists registered resources, then those of templates. Synchronous if no template has a lister. */
  list({ cursor }: JsonObject, context: ServerContext): JsonObject | Promise<JsonObject> {
    const isListed = listFilter(this.#lists, context, this.registry);
    if (!this.#members.exist) {
      return privatePage(this.#registered(cursor, isListed), isListed !== undefined, context);
    }
    const ofMembers = listFilter(this.#lists, context, this.templates);
    // meta:cache-hints:same-scope-on-pages: pages without members are as private as those with members.
    const isPrivate = (isListed ?? ofMembers) !== undefined || this.#members.arePrivate;
    if (isTemplateListCursor(cursor)) return this.#withMembers([], cursor, context, ofMembers, isPrivate);
    const page = this.#registered(cursor, isListed);
    if (page.nextCursor !== undefined) return privatePage(page, isPrivate, context);
    // The registry made the page, so its shape is known.
    return this.#withMembers(page.resources as Resource[], undefined, context, ofMembers, isPrivate);
  }

  listTemplates(params: JsonObject, context: ServerContext): JsonObject {
    const isListed = listFilter(this.#lists, context, this.templates);
    const { cursor } = params;
    const page = this.templates.page("resourceTemplates", cursor, "", (template) => template.listing, isListed);
    return privatePage(page, isListed !== undefined, context);
  }

  async read(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    const uri = String(params.uri);
    const resource = this.registry.get(uri);
    if (resource) {
      const returned = await resource.handler({ uri }, context);
      return finish(uri, returned, resource.listing.mimeType, resource.cache, context);
    }
    for (const template of this.templates.items()) {
      const variables = matchTemplate(template, uri);
      if (!variables) continue;
      const returned = await template.handler({ uri, variables }, context);
      return finish(uri, returned, template.listing.mimeType, template.cache, context);
    }
    throw notFound(uri, context);
  }

  #registered(cursor: unknown, isListed: ItemFilter | undefined): JsonObject {
    return this.registry.page("resources", cursor, "", (resource) => resource.listing, isListed);
  }

  async #withMembers(
    begun: readonly Resource[],
    cursor: string | undefined,
    context: ServerContext,
    isListed: ItemFilter | undefined,
    isPrivate: boolean,
  ): Promise<JsonObject> {
    const isTaken = (uri: string) => this.registry.get(uri) !== undefined;
    const page = await this.#members.page(begun, cursor, isTaken, context, isListed);
    return privatePage(page, isPrivate, context);
  }
}

function finish(
  uri: string,
  returned: unknown,
  mimeType: string | undefined,
  cache: CacheHint | undefined,
  context: ServerContext,
): JsonObject {
  if (returned === undefined || returned === null) throw notFound(uri, context);
  if (isUnfinished(returned)) return { ...returned };
  const result = toReadResult(returned, uri, mimeType);
  const fault = readResourceResultShape(result);
  if (fault) {
    throw new SdkError("invalid-result", `resource "${uri}" returned no valid result: ${explain(fault, "result")}`);
  }
  // The legacy era has no cache hints.
  return cache && context.era === "modern" ? { ...cache, ...result } : result;
}

function notFound(uri: string, context: ServerContext): ProtocolError {
  const message = `Resource not found: ${shorten(uri)}`;
  if (context.era === "modern") return invalidParams(message, { uri });
  return new ProtocolError(ErrorCode.resourceNotFound, message, { data: { uri } });
}

/** The default handler of `resources/subscribe`. */
export function subscribeToResource(params: JsonObject, context: ServerContext): JsonObject {
  context.routed.connection.subscribe(String(params.uri), context.caller?.principal);
  return {};
}

/** The default handler of `resources/unsubscribe`. */
export function unsubscribeFromResource(params: JsonObject, context: ServerContext): JsonObject {
  context.routed.connection.unsubscribe(String(params.uri));
  return {};
}
