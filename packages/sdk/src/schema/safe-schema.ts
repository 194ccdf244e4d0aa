/**
 * Rewrites a schema for `@cfworker/json-schema`: references resolved to entries of a lookup table, every evaluation
 * metered, patterns left to a matcher that cannot stall. What has no part in validation is not carried over.
 */
import type { Schema as LibrarySchema } from "@cfworker/json-schema";
import type { JsonObject } from "../protocol/json.js";
import type { Dialect } from "./dialects.js";
import { assertionKeywords } from "./keywords.js";
import { isSafeNamePattern } from "./name-pattern.js";
import { compilePattern } from "./pattern-matcher.js";
import { type SchemaDocument, type SchemaNode, unusable } from "./schema-node.js";
import { clip } from "./validation.js";

export interface SafeSchema {
  readonly root: LibrarySchema | boolean;
  /** Every subschema by its number in the document, which is what references name. */
  readonly lookup: Record<string, LibrarySchema | boolean>;
  /** Tests for strings, by the name of the format that stands for the pattern. */
  readonly patterns: ReadonlyMap<string, (text: string) => boolean>;
  readonly meter: Meter;
}

interface Meter {
  evaluationsLeft: number;
}

/** Leads the name of a format that stands for a pattern. */
export const patternFormat = "parley-pattern:";

/** The library compares all items with all others, so arrays that must be unique have a limit. */
const maxUniqueItems = 1000;

/** The formats of JSON Schema; the library knows others besides, one of them with a pattern that can stall. */
const checkedFormats: ReadonlySet<unknown> = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "json-pointer",
  "regex",
  "relative-json-pointer",
  "time",
  "uri",
  "uri-reference",
  "uri-template",
  "uuid",
]);

/** @throws SdkError `unusable-schema` for patterns that cannot be run safely */
export function writeSafeSchema(document: SchemaDocument, dialect: Dialect): SafeSchema {
  const writer = new SafeSchemaWriter(document, dialect);
  // Children come after their parents, so from the end each node finds its children written.
  for (const node of document.toReversed()) writer.write(node);
  return writer;
}

class SafeSchemaWriter implements SafeSchema {
  readonly meter: Meter = { evaluationsLeft: 0 };
  readonly lookup: Record<string, LibrarySchema | boolean> = Object.create(null);
  readonly patterns = new Map<string, (text: string) => boolean>();
  readonly #prototype: object = meteredBy(this.meter);
  readonly #dialect: Dialect;
  readonly #names: ReadonlyMap<SchemaNode, string>;

  constructor(document: SchemaDocument, dialect: Dialect) {
    this.#dialect = dialect;
    this.#names = new Map(document.map((node, index) => [node, String(index)]));
  }

  get root(): LibrarySchema | boolean {
    return this.lookup["0"] as LibrarySchema; // a document is never empty
  }

  write(node: SchemaNode): void {
    const { schema } = node;
    this.lookup[this.#nameOf(node)] = typeof schema === "boolean" ? schema : this.#rewrite(node, schema);
  }

  #rewrite(node: SchemaNode, schema: JsonObject): LibrarySchema {
    const safe: LibrarySchema = Object.create(this.#prototype);
    for (const keyword of assertionKeywords.keys()) {
      if (schema[keyword] !== undefined) safe[keyword] = schema[keyword];
    }
    this.#addSubschemas(safe, node, schema);
    const conditions: LibrarySchema[] = [];
    for (const [keyword, target] of node.targets) {
      if (keyword === "$ref") safe.$ref = this.#nameOf(target);
      else conditions.push({ $ref: this.#nameOf(target) });
    }
    if (!checkedFormats.has(safe.format)) delete safe.format;
    if (safe.pattern !== undefined) {
      conditions.push({ format: this.#formatFor(safe.pattern, node) });
      delete safe.pattern;
    }
    if (safe.uniqueItems === true) {
      conditions.push({ maxItems: maxUniqueItems });
      conditions.push({ if: { minItems: maxUniqueItems + 1 }, else: { uniqueItems: true } });
      delete safe.uniqueItems;
    }
    if (conditions.length > 0) safe.allOf = [...(safe.allOf ?? []), ...conditions];
    this.#refuseFlags(safe, node);
    return safe;
  }

  #addSubschemas(safe: LibrarySchema, node: SchemaNode, schema: JsonObject): void {
    // Maps have no prototype, so that a property may be named `__proto__`.
    if (schema.dependencies !== undefined) safe.dependencies = Object.assign(Object.create(null), schema.dependencies);
    if (Array.isArray(schema.items)) safe.items = []; // even without members it lets `additionalItems` apply
    for (const { keyword, key, node: child } of node.children) {
      if (keyword === "patternProperties") refuseUnsafeName(String(key), node);
      const subschema = this.lookup[this.#nameOf(child)];
      if (key === undefined) {
        safe[keyword] = subschema;
        continue;
      }
      safe[keyword] ??= typeof key === "number" ? [] : Object.create(null);
      safe[keyword][key] = subschema;
    }
  }

  #formatFor(pattern: string, node: SchemaNode): string {
    const name = patternFormat + pattern;
    if (!this.patterns.has(name)) this.patterns.set(name, compileSafely(pattern, node));
    return name;
  }

  #refuseFlags({ exclusiveMinimum, exclusiveMaximum }: LibrarySchema, node: SchemaNode): void {
    if (
      this.#dialect !== "draft-04" &&
      (typeof exclusiveMinimum === "boolean" || typeof exclusiveMaximum === "boolean")
    ) {
      throw unusable(node.pointer, "has a boolean exclusive bound, which is draft-04; expected a number");
    }
  }

  #nameOf(node: SchemaNode): string {
    return String(this.#names.get(node));
  }
}

/**
 * What rewritten schemas inherit. The library reads this property once for every subschema it applies, and has no use
 * for it where references are resolved beforehand.
 */
function meteredBy(meter: Meter): object {
  return Object.create(null, {
    __absolute_recursive_ref__: {
      get(): void {
        meter.evaluationsLeft -= 1;
        if (meter.evaluationsLeft < 0) throw new RangeError("the value and its schema take too many steps");
      },
    },
  });
}

function compileSafely(pattern: string, node: SchemaNode): (text: string) => boolean {
  let test: ((text: string) => boolean) | undefined;
  try {
    test = compilePattern(pattern);
  } catch {
    throw unusable(node.pointer, `has a "pattern" that is no regular expression: ${clip(pattern)}`);
  }
  if (test === undefined) {
    throw unusable(
      node.pointer,
      `has a "pattern" that is too large or uses back references or look-behind: ${clip(pattern)}`,
    );
  }
  return test;
}

function refuseUnsafeName(pattern: string, node: SchemaNode): void {
  compileSafely(pattern, node);
  if (isSafeNamePattern(pattern)) return;
  throw unusable(
    node.pointer,
    `has a pattern for names that could take long: ${clip(pattern)}; expected one repetition at most`,
  );
}
