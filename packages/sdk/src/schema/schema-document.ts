/**
 * Reads a plain JSON Schema once: checks its bounds and the shape of its keywords, finds every subschema, and resolves
 * every reference inside the document. Knows no validator; never changes what it reads, never fetches anything.
 */
import { checkLimit, SdkError } from "../errors/sdk-error.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { type Budget, PER_STEP, STEPS, WorkBudget } from "../runtime/work-budget.js";
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
   * Steps to read and compile one schema. A member counts as 2, a subschema as 12 more; patterns and references add to
   * it. A schema that takes more is refused as `unusable-schema`.
   * @defaultValue 250_000
   */
  readonly maxCompilationSteps?: number;
  /**
   * Steps of one validation; saying what is wrong may take as many again. Applying a subschema to a part of the value
   * is one; matching patterns, comparing values and looking up names add to it. A value that takes more is refused.
   * @defaultValue 250_000
   */
  readonly maxEvaluations?: number;
}

const defaultMaxDepth = 64;
const defaultMaxSubschemas = 10_000;
const defaultMaxCompilationSteps = 250_000;
/** How deep the values in a schema may nest: twice what the wire lets through. */
const maxValueDepth = 1024;

/** @throws {SdkError} `invalid-argument` for a limit below 1, or one that is no number. */
export function checkSchemaLimits(limits: SchemaLimits = {}): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== undefined) checkLimit(`schemaLimits.${name}`, limit);
  }
}

/** The budget for reading and compiling one schema. */
export function compilationBudget({ maxCompilationSteps = defaultMaxCompilationSteps }: SchemaLimits): Budget {
  return new WorkBudget(maxCompilationSteps, tooManySteps);
}

/** @throws SdkError `unusable-schema` */
export function readSchemaDocument(
  schema: JsonObject,
  limits: SchemaLimits = {},
  budget: Budget = compilationBudget(limits),
): SchemaDocument {
  const { maxDepth = defaultMaxDepth, maxSubschemas = defaultMaxSubschemas } = limits;
  spendOnSize(schema, budget);
  const root = nodeAt(schema, "", undefined);
  const document: [SchemaNode, ...SchemaNode[]] = [root];
  // An explicit queue: a hostile schema must not decide how deep this recurses.
  for (const node of document) {
    budget.spend(STEPS.readSchema);
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
 * Pays for everything in a schema before any of it is read. All that is done with a schema afterwards takes time in line
 * with its size, except for what spends steps of its own.
 */
function spendOnSize(schema: JsonObject, budget: Budget): void {
  try {
    visit(schema, budget, 1);
  } catch (cause) {
    if (cause instanceof SdkError) throw cause;
    throw new SdkError("unusable-schema", "The schema cannot be written as JSON", { cause });
  }
}

function visit(value: unknown, budget: Budget, depth: number): void {
  if (typeof value === "string") budget.spendOn(value.length, PER_STEP.readCharacters);
  if (typeof value === "bigint") throw new TypeError("a bigint is no JSON");
  if (typeof value === "function" || typeof value === "symbol") throw noJson(value);
  if (typeof value !== "object" || value === null) return;
  if (depth > maxValueDepth) {
    throw new SdkError("unusable-schema", `The schema nests deeper than ${maxValueDepth} levels, or contains itself`);
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

function noJson(value: unknown): SdkError {
  return new SdkError("unusable-schema", `The schema cannot be written as JSON: it holds a ${typeof value}`);
}

function tooManySteps(limit: number): Error {
  return new SdkError(
    "unusable-schema",
    `The schema takes more than the limit of ${limit} steps to compile; make it smaller, or raise schemaLimits.maxCompilationSteps`,
  );
}
