/**
 * Reads a JSON Schema: checks the limits and the shapes of keywords, finds every subschema, and resolves every reference
 * inside the document. It never changes the schema and never fetches anything.
 */
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { type Budget, PER_STEP, STEPS } from "../../runtime/work-budget.js";
import { dialectOf } from "../dialects.js";
import { compilationBudget, DEFAULT_LIMITS, type SchemaLimits } from "../limits.js";
import { UnusableSchemaError, unusableAt } from "../unusable-schema-error.js";
import { shown } from "../validation-result.js";
import { ASSERTION_KEYWORDS, SUBSCHEMA_KEYWORDS } from "./keyword-shapes.js";
import { refuseEndlessReferences, resolveReferences } from "./references.js";
import type { SchemaDocument, SchemaNode } from "./schema-node.js";

/** Levels of values in a schema: twice the `maxJsonDepth` of messages. */
const MAX_VALUE_DEPTH = 1024;

/** Reads a schema. Steps are paid from `budget`. @throws UnusableSchemaError */
export function readSchemaDocument(
  schema: JsonObject,
  limits: SchemaLimits = {},
  budget: Budget = compilationBudget(limits),
): SchemaDocument {
  const { maxDepth = DEFAULT_LIMITS.maxDepth, maxSubschemas = DEFAULT_LIMITS.maxSubschemas } = limits;
  spendOnSize(schema, budget);
  const root = nodeAt(schema, "", undefined);
  const document: [SchemaNode, ...SchemaNode[]] = [root];
  // A queue in place of recursion, because a peer chooses the depth.
  for (const node of document) {
    budget.spend(STEPS.readSchema);
    if (node.depth > maxDepth) {
      throw unusableAt(node.pointer, `nests subschemas deeper than the limit of ${maxDepth}, or contains itself`);
    }
    addChildren(node);
    refuseOtherDialect(node, schema);
    if (document.length + node.children.length > maxSubschemas) {
      throw unusableAt("", `has more than the limit of ${maxSubschemas} subschemas`);
    }
    for (const child of node.children) document.push(child.node);
  }
  resolveReferences(document, dialectOf(schema), budget);
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
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (value === undefined) continue;
    const assertion = ASSERTION_KEYWORDS.get(keyword);
    if (assertion !== undefined && !assertion.accepts(value)) {
      throw unusableAt(pointer, `has a malformed "${keyword}": expected ${assertion.shape}`);
    }
    for (const [key, subschema] of subschemasUnder(keyword, value, pointer)) {
      const step = key === undefined ? keyword : `${keyword}/${escapeToken(String(key))}`;
      const place = `${pointer}/${step}`;
      if (!isJsonObject(subschema) && typeof subschema !== "boolean") {
        throw unusableAt(place, "is not a schema: expected an object or a boolean");
      }
      const child = nodeAt(subschema, place, node);
      node.children.push({ keyword, key, step, node: child });
    }
  }
}

/** A second dialect in one document would change the meaning of keywords. */
function refuseOtherDialect({ schema, pointer }: SchemaNode, root: JsonObject): void {
  if (typeof schema === "boolean" || schema.$schema === undefined || dialectOf(schema) === dialectOf(root)) return;
  throw unusableAt(pointer, `switches to the dialect ${shown(schema.$schema)}; one document has one dialect`);
}

function subschemasUnder(
  keyword: string,
  value: unknown,
  pointer: string,
): Iterable<[string | number | undefined, unknown]> {
  const holder = SUBSCHEMA_KEYWORDS.get(keyword);
  if (holder === undefined) return [];
  if (holder === "one") return [[undefined, value]];
  if (holder === "list" || (holder === "one-or-list" && Array.isArray(value))) {
    if (!Array.isArray(value) || (holder === "list" && value.length === 0)) {
      throw unusableAt(pointer, `has a malformed "${keyword}": expected a list of at least one schema`);
    }
    return value.entries();
  }
  if (holder === "one-or-list") return [[undefined, value]];
  if (!isJsonObject(value)) throw unusableAt(pointer, `has a malformed "${keyword}": expected schemas by name`);
  const entries = Object.keys(value).map((name): [string, unknown] => [name, value[name]]);
  return holder === "map" ? entries : entries.filter(([, entry]) => !isNameList(entry));
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * Pays for the size of a schema before it is read. Later work is linear in the size, or spends steps of its own.
 */
function spendOnSize(schema: JsonObject, budget: Budget): void {
  try {
    visit(schema, budget, 1);
  } catch (cause) {
    if (cause instanceof UnusableSchemaError) throw cause;
    throw new UnusableSchemaError("The schema cannot be written as JSON", { cause });
  }
}

function visit(value: unknown, budget: Budget, depth: number): void {
  if (typeof value === "string") budget.spendOn(value.length, PER_STEP.readCharacters);
  if (typeof value === "bigint") throw new TypeError("a bigint is no JSON");
  if (typeof value === "function" || typeof value === "symbol") throw noJson(value);
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_VALUE_DEPTH) {
    throw new UnusableSchemaError(`The schema nests deeper than ${MAX_VALUE_DEPTH} levels, or contains itself`);
  }
  if (Array.isArray(value)) {
    budget.spendOn(value.length, PER_STEP.readItems);
    for (const item of value) visit(item, budget, depth + 1);
    return;
  }
  // `Object.entries` takes twice as long for an object with many members.
  const members = value as JsonObject;
  for (const name of Object.keys(members)) {
    budget.spend(STEPS.readMember);
    budget.spendOn(name.length, PER_STEP.readCharacters);
    visit(members[name], budget, depth + 1);
  }
}

function noJson(value: unknown): UnusableSchemaError {
  return new UnusableSchemaError(`The schema cannot be written as JSON: it holds a ${typeof value}`);
}
