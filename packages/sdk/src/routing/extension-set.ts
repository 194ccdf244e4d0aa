/** The extensions of one side. Declares them, and finds the extension of a method, notification, result type or listen filter. */
import { describeKind } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { NamedCapabilities } from "../protocol/capabilities.js";
import type { Era } from "../protocol/revisions.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { checkDeclaredByHand, type DeclaredExtension, declared, type Extension } from "./extension.js";
import type { ListenFilterDefinition } from "./listen-filter-definition.js";
import type { MethodDefinition } from "./method-definition.js";
import type { AroundCall, ResultTypeDefinition } from "./result-type.js";

/** The part of either side's capabilities that declares extensions. */
export interface ExtensionCapabilities {
  readonly extensions?: NamedCapabilities | undefined;
}

/** A result type and the extension that defines it. */
export interface OwnedResultType {
  readonly extension: Extension;
  readonly type: ResultTypeDefinition;
}

/** A listen filter and the extension that defines it. */
export interface OwnedListenFilter {
  readonly extension: Extension;
  readonly definition: ListenFilterDefinition;
}

export class ExtensionSet<Side extends "client" | "server"> {
  readonly #side: Side;
  /** The extensions that the capabilities of this side declare by hand. */
  readonly #declaredCapabilities: NamedCapabilities;
  readonly #settings = new Map<Extension, JsonObject>();
  /** By the method of a request or notification. */
  readonly #owners = new Map<string, Extension>();
  /** The definitions of methods, of extensions and of the author's own, by name. */
  readonly #methods = new Map<string, MethodDefinition>();
  /** By method and `resultType`: see `keyOf`. */
  readonly #resultTypes = new Map<string, OwnedResultType>();
  /** By the name of the filter. */
  readonly #listenFilters = new Map<string, OwnedListenFilter>();
  /** By the method of a call. */
  readonly #around = new Map<string, AroundCall>();

  /**
   * @param declaredCapabilities the `extensions` member of this side's capabilities
   * @throws {SdkError} `invalid-argument` for invalid declarations, `duplicate-name` for an extension that is given twice.
   */
  constructor(
    side: Side,
    extensions: readonly (Extension | DeclaredExtension<Side>)[] = [],
    declaredCapabilities: NamedCapabilities = {},
  ) {
    this.#side = side;
    this.#declaredCapabilities = declaredCapabilities;
    checkDeclaredByHand(declaredCapabilities);
    for (const extension of extensions) this.add(extension);
  }

  /** @throws {SdkError} `duplicate-name` for a name that another extension defines, `invalid-argument` for wrong settings. */
  add(given: Extension | DeclaredExtension<Side>): void {
    checkExtension(given);
    const { side, extension, settings } = "extension" in given ? given : declared(this.#side, given, {});
    if (side !== this.#side) {
      const complaint = `extension "${extension.id}": these are the settings of a ${side}, not of a ${this.#side}`;
      throw new SdkError("invalid-argument", complaint);
    }
    if (Object.hasOwn(this.#declaredCapabilities, extension.id)) {
      const complaint = "capabilities.extensions declares it by hand too; remove it there and give its settings with";
      const form = this.#side === "client" ? "onClient" : "onServer";
      throw new SdkError("duplicate-name", `extension "${extension.id}": ${complaint} ${form}(…)`);
    }
    const names = [...extension.methods, ...extension.notifications].map(({ method }) => method);
    const types = extension.resultTypes.flatMap((type) =>
      type.methods.map((method) => [keyOf(method, type.resultType), { extension, type }] as const),
    );
    const duplicate =
      [...this.#settings.keys()].find(({ id }) => id === extension.id)?.id ??
      names.find((name) => this.#owners.has(name)) ??
      types.find(([key]) => this.#resultTypes.has(key))?.[0] ??
      extension.listenFilters.find(({ name }) => this.#listenFilters.has(name))?.name ??
      Object.keys(extension.around).find((method) => this.#around.has(method));
    if (duplicate !== undefined) {
      throw new SdkError("duplicate-name", `extension "${extension.id}": an extension already has ${duplicate}`);
    }
    this.#settings.set(extension, settings);
    for (const name of names) this.#owners.set(name, extension);
    for (const definition of extension.methods) this.#methods.set(definition.method, definition);
    for (const [key, owned] of types) this.#resultTypes.set(key, owned);
    for (const definition of extension.listenFilters) {
      this.#listenFilters.set(definition.name, { extension, definition });
    }
    for (const [method, around] of Object.entries(extension.around)) this.#around.set(method, around);
  }

  /** This side's capabilities with the extensions of this set that exist in the era, beside those declared by hand. */
  declaredIn<Capabilities extends ExtensionCapabilities>(era: Era, capabilities: Capabilities): Capabilities {
    const entries = [...this.#settings].filter(([extension]) => existsIn(extension, era));
    if (entries.length === 0) return capabilities;
    const extensions = {
      ...this.#declaredCapabilities,
      ...Object.fromEntries(entries.map(([{ id }, settings]) => [id, settings])),
    };
    return { ...capabilities, extensions };
  }

  /** Whether any extension of the set defines a result type. */
  get hasResultTypes(): boolean {
    return this.#resultTypes.size > 0;
  }

  /** Whether an extension is in the set. */
  has(extension: Extension): boolean {
    return this.#settings.has(extension);
  }

  /** The function that runs in place of calls of a method. */
  aroundOf(method: string): AroundCall | undefined {
    return this.#around.get(method);
  }

  /** The extension that defines a request or notification. */
  ownerOf(name: string): Extension | undefined {
    return this.#owners.get(name);
  }

  /** Adds a method, so that its traits are known. Replaces an earlier definition, unless an extension has the method. */
  define(definition: MethodDefinition): void {
    if (!this.#owners.has(definition.method)) this.#methods.set(definition.method, definition);
  }

  /** The definition of a method. It does not hold in revisions whose specification has a method of the same name. */
  definitionOf(method: string): MethodDefinition | undefined {
    return this.#methods.get(method);
  }

  /** The cacheable methods whose results a notification makes stale. */
  changedBy(notification: string): readonly string[] {
    const changed = [...this.#methods.values()].filter(({ changedBy }) => changedBy?.method === notification);
    return changed.map(({ method }) => method);
  }

  /** The listen filters of all extensions. */
  listenFilters(): Iterable<OwnedListenFilter> {
    return this.#listenFilters.values();
  }

  listenFilter(name: string): OwnedListenFilter | undefined {
    return this.#listenFilters.get(name);
  }

  /** The result type that a method may be answered with, and its extension. */
  resultType(method: string, kind: unknown): OwnedResultType | undefined {
    return this.hasResultTypes && typeof kind === "string" ? this.#resultTypes.get(keyOf(method, kind)) : undefined;
  }
}

/** Whether an extension exists in an era. Extensions with result types are modern only. */
export function existsIn({ resultTypes }: Extension, era: Era): boolean {
  return era === "modern" || resultTypes.length === 0;
}

/** The settings with which the peer declared an extension. Undefined if it did not declare it, or the era does not have it. */
export function declaredSettings(
  extension: Extension,
  era: Era,
  { extensions }: ExtensionCapabilities,
): JsonObject | undefined {
  if (!extensions || !existsIn(extension, era) || !Object.hasOwn(extensions, extension.id)) return undefined;
  const settings = extensions[extension.id];
  return isJsonObject(settings) ? settings : undefined;
}

function keyOf(method: string, kind: string): string {
  return `${method} → ${kind}`;
}

function checkExtension(given: unknown): void {
  if (isJsonObject(given) && ("extension" in given || Array.isArray(given.methods))) return;
  const complaint = `expected an extension, got ${describeKind(given)}`;
  const fix =
    typeof given === "string"
      ? 'import the extension, as in import { tasks } from "parley-mcp/tasks", and write [tasks]'
      : 'write [defineExtension("com.example/weather", { … })]';
  throw new SdkError("invalid-argument", `extensions: ${complaint}; ${fix}`);
}
