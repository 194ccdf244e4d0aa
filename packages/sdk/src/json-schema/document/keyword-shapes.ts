/** The keywords of JSON Schema: those that hold subschemas, and the shapes of all others. */
import { isJsonObject, type JsonObject } from "../../runtime/json.js";

/** How a keyword holds subschemas. `dependencies` maps to a schema or a list of names; draft-07 `items` may be a list. */
type SubschemaHolder = "one" | "list" | "map" | "one-or-list" | "map-of-some";

export const SUBSCHEMA_KEYWORDS: ReadonlyMap<string, SubschemaHolder> = new Map([
  ["additionalItems", "one"],
  ["additionalProperties", "one"],
  ["contains", "one"],
  ["contentSchema", "one"],
  ["else", "one"],
  ["if", "one"],
  ["items", "one-or-list"],
  ["not", "one"],
  ["propertyNames", "one"],
  ["then", "one"],
  ["unevaluatedItems", "one"],
  ["unevaluatedProperties", "one"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["prefixItems", "list"],
  ["$defs", "map"],
  ["definitions", "map"],
  ["dependentSchemas", "map"],
  ["patternProperties", "map"],
  ["properties", "map"],
  ["dependencies", "map-of-some"],
]);

/** Keywords whose subschemas apply to the same value as their parent. */
export const IN_PLACE_KEYWORDS: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "dependencies",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "oneOf",
  "then",
]);

/** Up to draft-07 only `$ref` exists. */
export const REFERENCE_KEYWORDS = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

/** Whether a schema asserts nothing beside its `$ref`. */
export function isPlainReference(schema: JsonObject | boolean): boolean {
  return Object.keys(schema).every((keyword) => {
    if (keyword === "$ref" || keyword === "$defs" || keyword === "definitions") return true;
    const isReference = REFERENCE_KEYWORDS.some((name) => name === keyword);
    return !isReference && !ASSERTION_KEYWORDS.has(keyword) && !SUBSCHEMA_KEYWORDS.has(keyword);
  });
}

const TYPE_NAMES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

type Check = (value: unknown) => boolean;
const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => typeof value === "number";
const isNumberOrBoolean: Check = (value) => isNumber(value) || isBoolean(value);
const isPositive: Check = (value) => typeof value === "number" && value > 0;
const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0;
const isStringList: Check = (value) => Array.isArray(value) && value.every(isString);
const isType: Check = (value) =>
  Array.isArray(value) ? value.every((name) => TYPE_NAMES.has(name)) : TYPE_NAMES.has(value);
const isStringListMap: Check = (value) =>
  isJsonObject(value) && Object.keys(value).every((name) => isStringList(value[name]));

/** Keywords without subschemas, with the shape of their values and its description. */
export const ASSERTION_KEYWORDS: ReadonlyMap<string, { readonly accepts: Check; readonly shape: string }> = new Map([
  ["const", { accepts: () => true, shape: "any value" }],
  ["dependentRequired", { accepts: isStringListMap, shape: "lists of names by name" }],
  ["enum", { accepts: Array.isArray, shape: "a list" }],
  ["exclusiveMaximum", { accepts: isNumberOrBoolean, shape: "a number" }],
  ["exclusiveMinimum", { accepts: isNumberOrBoolean, shape: "a number" }],
  ["format", { accepts: isString, shape: "a string" }],
  ["maxContains", { accepts: isCount, shape: "a count" }],
  ["maximum", { accepts: isNumber, shape: "a number" }],
  ["maxItems", { accepts: isCount, shape: "a count" }],
  ["maxLength", { accepts: isCount, shape: "a count" }],
  ["maxProperties", { accepts: isCount, shape: "a count" }],
  ["minContains", { accepts: isCount, shape: "a count" }],
  ["minimum", { accepts: isNumber, shape: "a number" }],
  ["minItems", { accepts: isCount, shape: "a count" }],
  ["minLength", { accepts: isCount, shape: "a count" }],
  ["minProperties", { accepts: isCount, shape: "a count" }],
  ["multipleOf", { accepts: isPositive, shape: "a positive number" }],
  ["pattern", { accepts: isString, shape: "a string" }],
  ["required", { accepts: isStringList, shape: "a list of names" }],
  ["type", { accepts: isType, shape: "a JSON type or a list of them" }],
  ["uniqueItems", { accepts: isBoolean, shape: "a boolean" }],
]);
