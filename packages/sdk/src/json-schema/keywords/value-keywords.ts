/** Keywords for values of any kind: `type`, `enum` and `const`. */
import type { Budget } from "../../runtime/work-budget.js";
import { isJson, type TypeName } from "../json-kind.js";
import { clip } from "../validation-result.js";
import type { KeywordSource } from "../validator/compiled-node.js";
import type { Check } from "../validator/validation-run.js";
import { ValueSet } from "./value-set.js";

const TYPE_TESTS: Readonly<Record<TypeName, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  string: (value) => typeof value === "string",
};

const TYPE_NAMES = Object.keys(TYPE_TESTS) as TypeName[]; // the record has no other keys
const TYPE_BITS = Object.fromEntries(TYPE_NAMES.map((name, index) => [name, 1 << index])) as Record<TypeName, number>;

/** Options that a message lists. */
const MAX_SHOWN_OPTIONS = 20;

/** The names in `type`; `undefined` where there are none. */
export function typesOf({ schema }: KeywordSource): readonly TypeName[] | undefined {
  return schema.type === undefined ? undefined : [...new Set([schema.type].flat() as TypeName[])]; // checked when it was read
}

/** The types as bits. Comparing bits makes `anyOf` with thousands of alternatives cheap to report. */
export function bitsOf(types: readonly TypeName[]): number {
  return types.reduce((bits, name) => bits | TYPE_BITS[name], 0);
}

/** The bits of all types of a value: an integer is also a number. */
export function typeBitsOf(value: unknown): number {
  return bitsOf(TYPE_NAMES.filter((name) => TYPE_TESTS[name](value)));
}

/** The first check of a schema: the value has one of the types or, without types, is JSON. */
export function typeCheck(types: readonly TypeName[] | undefined): Check {
  if (types === undefined) return (value, run) => isJson(value) || run.failKind("a JSON value", value);
  const expected = types.join(" or ");
  const [only, ...others] = types;
  const isMember =
    only !== undefined && others.length === 0
      ? TYPE_TESTS[only]
      : (value: unknown) => types.some((name) => TYPE_TESTS[name](value));
  return (value, run) => isMember(value) || run.failKind(expected, value);
}

export function valueChecks({ schema, budget }: KeywordSource): Check[] {
  const checks: Check[] = [];
  if (Array.isArray(schema.enum)) checks.push(optionCheck(schema.enum, enumMessage(schema.enum), budget));
  if (schema.const !== undefined) {
    checks.push(optionCheck([schema.const], `expected ${textOf(schema.const)}`, budget));
  }
  return checks;
}

function optionCheck(options: readonly unknown[], message: string, budget: Budget): Check {
  const known = new ValueSet();
  for (const option of options) known.add(option, budget);
  return (value, run) => known.has(value, run) || run.fail(message);
}

function enumMessage(options: readonly unknown[]): string {
  const shown = options.slice(0, MAX_SHOWN_OPTIONS).map(textOf);
  if (options.length > shown.length) shown.push("…");
  return `expected one of ${clip(shown.join(", "))}`;
}

/** A value as short JSON. */
function textOf(value: unknown): string {
  return clip(JSON.stringify(typeof value === "string" ? clip(value) : value));
}
