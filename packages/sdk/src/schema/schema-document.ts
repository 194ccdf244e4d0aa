/**
 * Reads a plain JSON Schema once: checks its bounds and the shape of its keywords, finds every subschema, and resolves
 * every reference inside the document. Knows no validator; never changes what it reads, never fetches anything.
 */
import { SdkError } from "../errors/sdk-error.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { dialectOf } from "./dialects.js";
import { assertionKeywords, subschemaKeywords } from "./keywords.js";
import { refuseEndlessReferences, resolveReferences } from "./references.js";
import { type SchemaDocument, type SchemaNode, unusable } from "./schema-node.js";
import { shown } from "./validation.js";

export interface SchemaLimits {
  /** Levels to which subschemas nest. @defaultValue 64 */
  readonly maxDepth?: number;
  /** Subschemas in one schema. @defaultValue 10_000 */
  readonly maxSubschemas?: number;
  /**
   * Steps of one validation. Applying a subschema to a part of the value is one step. Matching patterns, comparing
   * values and searching long lists of names take further steps.
   * @defaultValue 250_000
   */
  readonly maxEvaluations?: number;
}

const defaultMaxDepth = 64;
const defaultMaxSubschemas = 10_000;

/** @throws SdkError `unusable-schema` */
export function readSchemaDocument(schema: JsonObject, limits: SchemaLimits = {}): SchemaDocument {
  const { maxDepth = defaultMaxDepth, maxSubschemas = defaultMaxSubschemas } = limits;
  const root = nodeAt(schema, "", undefined);
  const document: [SchemaNode, ...SchemaNode[]] = [root];
  // An explicit queue: a hostile schema must not decide how deep this recurses.
  for (const node of document) {
    if (node.depth > maxDepth) {
      throw unusable(node.pointer, `nests subschemas deeper than the limit of ${maxDepth}, or contains itself`);
    }
    addChildren(node);
    refuseOtherDialect(node, schema);
    if (document.length + node.children.length > maxSubschemas) {
      throw unusable("", `has more than the limit of ${maxSubschemas} subschemas`);
    }
    for (const child of node.children) document.push(child.node);
  }
  refuseWhatIsNotJson(schema);
  resolveReferences(document, dialectOf(schema));
  refuseEndlessReferences(document);
  return document;
}

function nodeAt(schema: JsonObject | boolean, pointer: string, parent: SchemaNode | undefined): SchemaNode {
  return {
    schema,
    pointer,
    depth: parent === undefined ? 1 : parent.depth + 1,
    parent,
    children: [],
    references: [],
    resource: undefined,
  };
}

function addChildren(node: SchemaNode): void {
  const { schema, pointer } = node;
  if (typeof schema === "boolean") return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const assertion = assertionKeywords.get(keyword);
    if (assertion !== undefined && !assertion.accepts(value)) {
      throw unusable(pointer, `has a malformed "${keyword}": expected ${assertion.shape}`);
    }
    for (const [key, subschema] of subschemasUnder(keyword, value, pointer)) {
      const step = key === undefined ? keyword : `${keyword}/${escapeToken(String(key))}`;
      const place = `${pointer}/${step}`;
      if (!isJsonObject(subschema) && typeof subschema !== "boolean") {
        throw unusable(place, "is not a schema: expected an object or a boolean");
      }
      const child = nodeAt(subschema, place, node);
      node.children.push({ keyword, key, step, node: child });
    }
  }
}

/** Two dialects in one document would need two readings of the same keywords. */
function refuseOtherDialect({ schema, pointer }: SchemaNode, root: JsonObject): void {
  if (typeof schema === "boolean" || schema.$schema === undefined || dialectOf(schema) === dialectOf(root)) return;
  throw unusable(pointer, `switches to the dialect ${shown(schema.$schema)}; one document has one dialect`);
}

function subschemasUnder(
  keyword: string,
  value: unknown,
  pointer: string,
): Iterable<[string | number | undefined, unknown]> {
  const holder = subschemaKeywords.get(keyword);
  if (holder === undefined) return [];
  if (holder === "one") return [[undefined, value]];
  if (holder === "list" || (holder === "one-or-list" && Array.isArray(value))) {
    if (!Array.isArray(value) || (holder === "list" && value.length === 0)) {
      throw unusable(pointer, `has a malformed "${keyword}": expected a list of at least one schema`);
    }
    return value.entries();
  }
  if (holder === "one-or-list") return [[undefined, value]];
  if (!isJsonObject(value)) throw unusable(pointer, `has a malformed "${keyword}": expected schemas by name`);
  const entries = Object.entries(value);
  return holder === "map" ? entries : entries.filter(([, entry]) => !isNameList(entry));
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

function refuseWhatIsNotJson(schema: JsonObject): void {
  try {
    JSON.stringify(schema);
  } catch (cause) {
    throw new SdkError("unusable-schema", "The schema cannot be written as JSON", { cause });
  }
}
