/** Finds the `x-mcp-header` annotations of a tool's input schema and checks them against the specification. */

import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { PARAM_HEADER_PREFIX } from "./http-headers.js";

/** One argument that is mirrored into a header. */
export interface ToolHeader {
  /** The header's name in lower case, `mcp-param-` included. */
  readonly header: string;
  /** The names of the properties that lead to the argument. */
  readonly path: readonly string[];
}

export type ToolHeaders =
  | { readonly ok: true; readonly headers: readonly ToolHeader[] }
  | { readonly ok: false; readonly reason: string };

const ANNOTATION = "x-mcp-header";
/** Characters of all header names of a tool. Node reads no more of all headers of a request. */
const MAX_NAME_CHARACTERS = 16_384;
const MAX_SHOWN_CHARACTERS = 100;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** Keywords whose value is data and holds no schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose members are schemas under names of the author's choosing. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
]);

/** The headers that calls to the tool carry, or why its definition is invalid. */
export function findToolHeaders(inputSchema: unknown): ToolHeaders {
  const search = new Search();
  search.visit(inputSchema, true);
  return search.reason === undefined ? { ok: true, headers: search.headers } : { ok: false, reason: search.reason };
}

/** The value at a header's path, or undefined if there is none. */
export function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

class Search {
  readonly headers: ToolHeader[] = [];
  /** Why the first faulty annotation is one. The search ends there. */
  reason: string | undefined;
  readonly #taken = new Set<string>();
  /** The keys from the root to the schema in question: copied for each annotation, and not for each schema. */
  readonly #path: string[] = [];
  #nameCharacters = 0;

  /** `isReachable` says that only `properties` lie between the root and this schema. */
  visit(schema: unknown, isReachable: boolean): void {
    if (!isJsonObject(schema)) return;
    for (const keyword of Object.keys(schema)) {
      if (this.reason !== undefined) return;
      const value = schema[keyword];
      if (keyword === ANNOTATION) this.#annotate(value, schema, isReachable);
      else if (keyword === "properties") this.#visitMembers(value, isReachable);
      else if (NAMED_SCHEMAS.has(keyword)) this.#below(keyword, () => this.#visitMembers(value, false));
      else if (!DATA.has(keyword)) this.#below(keyword, () => this.#visitOther(value));
    }
  }

  #below(key: string, visit: () => void): void {
    this.#path.push(key);
    visit();
    this.#path.pop();
  }

  #visitMembers(members: unknown, isReachable: boolean): void {
    if (!isJsonObject(members)) return;
    for (const name of Object.keys(members)) this.#below(name, () => this.visit(members[name], isReachable));
  }

  #visitOther(value: unknown): void {
    for (const schema of Array.isArray(value) ? value : [value]) this.visit(schema, false);
  }

  #annotate(name: unknown, schema: JsonObject, isReachable: boolean): void {
    const path = [...this.#path];
    const fault = this.#faultOf(name, schema, path, isReachable);
    if (fault !== undefined) {
      this.reason ??= `${path.length === 0 ? "the schema itself" : path.join(".")}: ${ANNOTATION} ${fault}`;
      return;
    }
    const header = `${PARAM_HEADER_PREFIX}${String(name).toLowerCase()}`;
    this.#nameCharacters += header.length;
    this.#taken.add(header);
    this.headers.push({ header, path });
  }

  #faultOf(name: unknown, schema: JsonObject, path: readonly string[], isReachable: boolean): string | undefined {
    if (typeof name !== "string" || !TOKEN.test(name)) {
      return `must be a name that HTTP allows for a header, got ${shown(name)}`;
    }
    if (!isReachable || path.length === 0) return "must be on a property that is reached through properties alone";
    if (!isPrimitive(schema.type)) return "must be on a property of type string, integer or boolean";
    if (this.#taken.has(`${PARAM_HEADER_PREFIX}${name.toLowerCase()}`)) return `${name} is used twice`;
    if (this.#nameCharacters + PARAM_HEADER_PREFIX.length + name.length > MAX_NAME_CHARACTERS) {
      return `must leave the names of all headers within ${MAX_NAME_CHARACTERS} characters`;
    }
    return undefined;
  }
}

function shown(name: unknown): string {
  return JSON.stringify(name).slice(0, MAX_SHOWN_CHARACTERS);
}

/** One of the three types, perhaps with `null`, which has no header. */
function isPrimitive(type: unknown): boolean {
  if (!Array.isArray(type)) return PRIMITIVES.has(type);
  const [only, ...others] = type.filter((name) => name !== "null");
  return others.length === 0 && PRIMITIVES.has(only);
}
