/** Finds the `x-mcp-header` annotations of a tool's input schema and holds them against the rules of the specification. */
import { PARAM_HEADER_PREFIX } from "./http-headers.js";
import { isJsonObject, type JsonObject } from "./json.js";

/** One argument that travels in a header as well. */
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
  search.visit(inputSchema, undefined, true);
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

/** A schema's place: the last name of its path, and the place around it. A path is made only where one is needed. */
interface Place {
  readonly name: string;
  readonly around: Place | undefined;
}

class Search {
  readonly headers: ToolHeader[] = [];
  reason: string | undefined;
  readonly #taken = new Set<string>();

  /** `isReachable` says that only `properties` lie between the root and this schema. The root has no place. */
  visit(schema: unknown, place: Place | undefined, isReachable: boolean): void {
    if (!isJsonObject(schema)) return;
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === ANNOTATION) this.#annotate(value, schema, place, isReachable);
      else if (keyword === "properties") this.#visitMembers(value, place, isReachable);
      else if (NAMED_SCHEMAS.has(keyword)) this.#visitMembers(value, { name: keyword, around: place }, false);
      else if (!DATA.has(keyword)) this.#visitOther(value, { name: keyword, around: place });
      if (this.reason !== undefined) return;
    }
  }

  #visitMembers(members: unknown, around: Place | undefined, isReachable: boolean): void {
    if (!isJsonObject(members)) return;
    for (const [name, schema] of Object.entries(members)) {
      this.visit(schema, { name, around }, isReachable);
      if (this.reason !== undefined) return;
    }
  }

  #visitOther(value: unknown, place: Place): void {
    for (const schema of Array.isArray(value) ? value : [value]) this.visit(schema, place, false);
  }

  #annotate(name: unknown, schema: JsonObject, place: Place | undefined, isReachable: boolean): void {
    const fault = this.#faultOf(name, schema, isReachable && place !== undefined);
    if (fault !== undefined) {
      const where = place === undefined ? "the schema itself" : pathOf(place).join(".");
      this.reason ??= `${where}: ${ANNOTATION} ${fault}`;
      return;
    }
    const header = `${PARAM_HEADER_PREFIX}${String(name).toLowerCase()}`;
    this.#taken.add(header);
    this.headers.push({ header, path: pathOf(place) });
  }

  #faultOf(name: unknown, schema: JsonObject, isReachable: boolean): string | undefined {
    if (typeof name !== "string" || !TOKEN.test(name)) {
      return `must be a name that HTTP allows for a header, got ${JSON.stringify(name)}`;
    }
    if (!isReachable) return "must be on a property that is reached through properties alone";
    if (!isPrimitive(schema.type)) return "must be on a property of type string, integer or boolean";
    if (this.#taken.has(`${PARAM_HEADER_PREFIX}${name.toLowerCase()}`)) return `${name} is used twice`;
    return undefined;
  }
}

function pathOf(place: Place | undefined): string[] {
  const path: string[] = [];
  for (let at = place; at !== undefined; at = at.around) path.push(at.name);
  return path.reverse();
}

/** One of the three types, perhaps with `null`, which has no header. */
function isPrimitive(type: unknown): boolean {
  if (!Array.isArray(type)) return PRIMITIVES.has(type);
  const [only, ...others] = type.filter((name) => name !== "null");
  return others.length === 0 && PRIMITIVES.has(only);
}
