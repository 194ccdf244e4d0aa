/** Keywords for values of any kind: `type`, `enum` and `const`. */
import { clip } from "../validation.js";
import { canonicalText } from "./canonical-text.js";
import type { KeywordSource } from "./compiled-node.js";
import { isJson, type TypeName } from "./json-kind.js";
import { type Check, Run } from "./run.js";

const typeTests: Readonly<Record<TypeName, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  string: (value) => typeof value === "string",
};

/** What a message shows of a list. */
const maxShownOptions = 20;

/** The names in `type`; `undefined` where there are none. */
export function typesOf({ schema }: KeywordSource): readonly TypeName[] | undefined {
  return schema.type === undefined ? undefined : ([schema.type].flat() as TypeName[]); // checked when it was read
}

export function isOfType(value: unknown, types: readonly TypeName[]): boolean {
  return types.some((name) => typeTests[name](value));
}

/** The check that comes first: of the types, or that the value is JSON at all. */
export function typeCheck(types: readonly TypeName[] | undefined): Check {
  if (types === undefined) return (value, run) => isJson(value) || run.failKind("a JSON value", value);
  const expected = types.join(" or ");
  const [only, ...others] = types;
  const isMember =
    only !== undefined && others.length === 0 ? typeTests[only] : (value: unknown) => isOfType(value, types);
  return (value, run) => isMember(value) || run.failKind(expected, value);
}

export function valueChecks({ schema }: KeywordSource): Check[] {
  const checks: Check[] = [];
  if (Array.isArray(schema.enum)) checks.push(optionCheck(schema.enum, enumMessage(schema.enum)));
  if (schema.const !== undefined) {
    checks.push(optionCheck([schema.const], `expected ${clip(JSON.stringify(schema.const))}`));
  }
  return checks;
}

function optionCheck(options: readonly unknown[], message: string): Check {
  const scalars = new Set(options.filter((option) => typeof option !== "object" || option === null));
  const reader = new Run(Number.POSITIVE_INFINITY);
  const texts = new Set(
    options
      .filter((option) => typeof option === "object" && option !== null)
      .map((option) => canonicalText(option, reader)),
  );
  return (value, run) => {
    const isStructured = typeof value === "object" && value !== null;
    const isOption = isStructured ? texts.size > 0 && texts.has(canonicalText(value, run)) : scalars.has(value);
    return isOption || run.fail(message);
  };
}

function enumMessage(options: readonly unknown[]): string {
  const shown = options.slice(0, maxShownOptions).map((option) => clip(JSON.stringify(option)));
  if (options.length > shown.length) shown.push("…");
  return `expected one of ${clip(shown.join(", "))}`;
}
