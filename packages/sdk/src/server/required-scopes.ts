/** The scopes that a request needs: those of the tool, resource or prompt that it names. */
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { filterBytes } from "./changes/listen-streams.js";
import type { RegisteredPrompt } from "./prompt-definition.js";
import type { Registry } from "./registry.js";
import type { RegisteredResource, RegisteredTemplate } from "./resource-definition.js";
import { matchTemplate } from "./template-variables.js";
import type { RegisteredTool } from "./tool-definition.js";

type Scopes = readonly string[];

/** The registries whose items may need scopes. */
export interface ScopedRegistries {
  readonly tools: Registry<RegisteredTool>;
  readonly prompts: Registry<RegisteredPrompt>;
  readonly resources: Registry<RegisteredResource>;
  readonly templates: Registry<RegisteredTemplate>;
  /** The most resources that one listen stream may watch. Streams with more are refused. */
  readonly maxSubscribedResources: number;
  /** The most bytes of a listen filter. Filters with more are refused. */
  readonly maxBytesPerSession: number;
}

const NONE: Scopes = [];

export class RequiredScopes {
  readonly #registries: ScopedRegistries;
  readonly #byMethod: ReadonlyMap<string, (params: JsonObject) => Scopes>;

  constructor(registries: ScopedRegistries) {
    const { tools, prompts } = registries;
    this.#registries = registries;
    this.#byMethod = new Map<string, (params: JsonObject) => Scopes>([
      ["tools/call", ({ name }) => tools.get(textOf(name))?.scopes ?? NONE],
      ["prompts/get", ({ name }) => prompts.get(textOf(name))?.scopes ?? NONE],
      ["resources/read", ({ uri }) => this.#ofResource(textOf(uri))],
      ["resources/subscribe", ({ uri }) => this.#ofResource(textOf(uri))],
      ["subscriptions/listen", ({ notifications }) => this.#ofSubscriptions(notifications)],
      ["completion/complete", ({ ref }) => this.#ofReference(ref)],
    ]);
  }

  /** The scopes of one request. Never throws, even for malformed params. */
  of(method: string, params: JsonObject | undefined): Scopes {
    const find = this.#byMethod.get(method);
    return find === undefined || params === undefined ? NONE : find(params);
  }

  #ofResource(uri: string): Scopes {
    const { resources, templates } = this.#registries;
    const resource = resources.get(uri);
    if (resource) return resource.scopes;
    if (!this.#hasScopedTemplate()) return NONE;
    for (const template of templates.items()) if (matchTemplate(template, uri)) return template.scopes;
    return NONE;
  }

  /** Fast path: without scoped templates, no URI needs to be matched. */
  #hasScopedTemplate(): boolean {
    for (const { scopes } of this.#registries.templates.items()) if (scopes.length > 0) return true;
    return false;
  }

  #ofSubscriptions(filter: unknown): Scopes {
    const uris = isJsonObject(filter) ? filter.resourceSubscriptions : undefined;
    // A stream counts repeated URIs once.
    const distinct = [...new Set(Array.isArray(uris) ? uris.map(textOf) : [])];
    const { maxSubscribedResources, maxBytesPerSession } = this.#registries;
    // Templates are matched only for streams that are not going to be refused for their size.
    if (distinct.length > maxSubscribedResources) return NONE;
    if (filterBytes({ resourceSubscriptions: distinct }) > maxBytesPerSession) return NONE;
    return distinct.flatMap((uri) => this.#ofResource(uri));
  }

  #ofReference(ref: unknown): Scopes {
    if (!isJsonObject(ref)) return NONE;
    const { resources, templates, prompts } = this.#registries;
    if (ref.type === "ref/prompt") return prompts.get(textOf(ref.name))?.scopes ?? NONE;
    const uri = textOf(ref.uri);
    return (templates.get(uri) ?? resources.get(uri))?.scopes ?? NONE;
  }
}

/** Converts a name like the handlers do. `String` throws for some objects; handlers never see those. */
function textOf(name: unknown): string {
  try {
    return String(name);
  } catch {
    return "";
  }
}
