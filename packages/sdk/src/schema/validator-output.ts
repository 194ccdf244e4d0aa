/** Turns what `@cfworker/json-schema` reports, several lines per failure, into one issue per failure in our words. */
import type { OutputUnit } from "@cfworker/json-schema";
import { isJsonObject } from "../protocol/json.js";
import { patternFormat, type SafeSchema } from "./safe-schema.js";
import type { Issue } from "./validation.js";

/** Keywords that only say that something beneath them failed; what did follows in the report. */
const carriers: ReadonlySet<string> = new Set([
  "$ref",
  "additionalItems",
  "additionalProperties",
  "allOf",
  "dependentSchemas",
  "if",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords whose failure is the news, not why each alternative beneath them failed. */
const summaries: ReadonlySet<string> = new Set(["anyOf", "contains", "dependencies", "oneOf", "propertyNames"]);

/** A value may fail in every one of its parts; nobody reads that many. */
const maxIssues = 100;

export function toIssues(errors: readonly OutputUnit[], schema: SafeSchema, value: unknown): Issue[] {
  const issues = new Map<string, Issue>();
  let beneath: string | undefined;
  for (const error of errors) {
    // The library gives a `false` schema no place of its own; it belongs to what was reported before it.
    if (beneath !== undefined && (error.keyword === "false" || error.keywordLocation.startsWith(beneath))) continue;
    beneath = summaries.has(error.keyword) ? `${error.keywordLocation}/` : undefined;
    if (carriers.has(error.keyword)) continue;
    for (const issue of issuesOf(error, schema, value)) issues.set(JSON.stringify(issue), issue);
    if (issues.size >= maxIssues) break;
  }
  return [...issues.values()].slice(0, maxIssues);
}

function issuesOf(error: OutputUnit, schema: SafeSchema, value: unknown): Issue[] {
  const { path, part } = locate(error.instanceLocation, value);
  const expected = expectedBy(error.keywordLocation, schema);
  if (error.keyword === "required" && isJsonObject(part) && Array.isArray(expected)) {
    const missing = expected.filter((name) => !Object.hasOwn(part, name));
    return missing.map((name) => ({ path: [...path, String(name)], message: "required" }));
  }
  return [{ path, message: describe(error, expected, part) }];
}

function describe({ keyword, error }: OutputUnit, expected: unknown, part: unknown): string {
  switch (keyword) {
    case "type":
      return `expected ${[expected].flat().join(" or ")}, got ${typeName(part)}`;
    case "const":
      return `expected ${JSON.stringify(expected)}`;
    case "enum":
      return `expected one of ${[expected]
        .flat()
        .map((option) => JSON.stringify(option))
        .join(", ")}`;
    case "minimum":
      return `expected at least ${expected}`;
    case "maximum":
      return `expected at most ${expected}`;
    case "exclusiveMinimum":
      return `expected more than ${expected}`;
    case "exclusiveMaximum":
      return `expected less than ${expected}`;
    case "multipleOf":
      return `expected a multiple of ${expected}`;
    case "minLength":
      return `expected at least ${expected} characters`;
    case "maxLength":
      return `expected at most ${expected} characters`;
    case "minItems":
      return `expected at least ${expected} items`;
    case "maxItems":
      return `expected at most ${expected} items`;
    case "minProperties":
      return `expected at least ${expected} properties`;
    case "maxProperties":
      return `expected at most ${expected} properties`;
    case "uniqueItems":
      return "expected no item twice";
    case "format":
      return describeFormat(String(expected));
    case "anyOf":
      return "matches none of the alternatives";
    case "oneOf":
      return "expected to match exactly one of the alternatives";
    case "not":
      return "matches what is excluded";
    case "false":
      return "not allowed";
    default:
      return error;
  }
}

function describeFormat(format: string): string {
  if (!format.startsWith(patternFormat)) return `expected the format ${format}`;
  return `expected to match the pattern ${format.slice(patternFormat.length)}`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The path to a part of the value, and the part. */
function locate(location: string, value: unknown): { path: (string | number)[]; part: unknown } {
  const path: (string | number)[] = [];
  let part: unknown = value;
  for (const token of tokensOf(location)) {
    path.push(Array.isArray(part) ? Number(token) : token);
    part = stepInto(part, token);
  }
  return { path, part };
}

/** The value of the keyword that failed, found by the path the evaluation took. */
function expectedBy(location: string, { root, lookup }: SafeSchema): unknown {
  let part: unknown = root;
  for (const token of tokensOf(location)) {
    const next = stepInto(part, token);
    // Beneath a reference the path goes on in its target.
    part = token === "$ref" && typeof next === "string" ? lookup[next] : next;
  }
  return part;
}

function stepInto(part: unknown, token: string): unknown {
  return typeof part === "object" && part !== null && Object.hasOwn(part, token)
    ? part[token as keyof typeof part]
    : undefined;
}

function tokensOf(location: string): string[] {
  return location
    .split("/")
    .slice(1)
    .map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
}
