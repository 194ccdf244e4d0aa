/** The resources of a server: `resources/list`, `resources/templates/list` and `resources/read`. */
import { invalidParams, ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/caching.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { JsonObject } from "../protocol/json.js";
import { isUnsafeInPath, leadsElsewhere } from "../protocol/path-safety.js";
import { explain } from "../protocol/shape.js";
import { readResourceResultShape } from "../protocol/shapes/resources.js";
import type { MatchedVariables } from "../uri-template/match.js";
import type { UriTemplate } from "../uri-template/uri-template.js";
import { isUnfinished } from "./input/input-required.js";
import { Registry } from "./registry.js";
import { type RegisteredResource, type RegisteredTemplate, toReadResult } from "./resource-definition.js";
import type { ServerContext } from "./server-context.js";

export class Resources {
  readonly registry: Registry<RegisteredResource>;
  readonly templates: Registry<RegisteredTemplate>;

  /** Clients hear of new templates as they do of new resources: the specification has one notification for both. */
  constructor(pageSize: number, onChange: () => void) {
    this.registry = new Registry("resources", pageSize, onChange);
    this.templates = new Registry("resource-templates", pageSize, onChange);
  }

  list(params: JsonObject): JsonObject {
    return this.registry.page("resources", params.cursor, "", (resource) => resource.listing);
  }

  listTemplates(params: JsonObject): JsonObject {
    return this.templates.page("resourceTemplates", params.cursor, "", (template) => template.listing);
  }

  async read(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    const uri = String(params.uri);
    const resource = this.registry.get(uri);
    if (resource) {
      const returned = await resource.handler({ uri }, context);
      return finish(uri, returned, resource.listing.mimeType, resource.cache, context);
    }
    for (const { template, acceptsUnsafeValues, handler, listing, cache } of this.templates.items()) {
      const variables = template.match(uri);
      if (!variables || !(acceptsUnsafeValues || areSafe(template, variables))) continue;
      return finish(uri, await handler({ uri, variables }, context), listing.mimeType, cache, context);
    }
    throw notFound(uri, context);
  }
}

function areSafe(template: UriTemplate, variables: MatchedVariables): boolean {
  return Object.entries(variables).every(([name, value]) => {
    // The items of a list may be joined to a path: ["", "etc"] is then "/etc".
    const texts = typeof value === "string" ? [value] : [...value, value.join("/")];
    if (texts.some(isUnsafeInPath)) return false;
    return !(texts.some(leadsElsewhere) && template.isInPath(name));
  });
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
  // The legacy era has no word for it.
  return cache && context.era === "modern" ? { ...cache, ...result } : result;
}

function notFound(uri: string, context: ServerContext): ProtocolError {
  const message = `Resource not found: ${uri}`;
  if (context.era === "modern") return invalidParams(message, { uri });
  return new ProtocolError(ErrorCode.resourceNotFound, message, { data: { uri } });
}
