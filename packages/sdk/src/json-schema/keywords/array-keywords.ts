/** Keywords for arrays: length, items, `contains` and `uniqueItems`. */
import type { CompiledNode, KeywordSource } from "../validator/compiled-node.js";
import type { Check, ValidationRun } from "../validator/validation-run.js";
import { ValueSet } from "./value-set.js";

export function arrayChecks(source: KeywordSource): Check[] {
  const { minItems, maxItems, uniqueItems } = source.schema;
  const checks: Check[] = [];
  if (typeof minItems === "number") {
    checks.push(lengthCheck((length) => length >= minItems, `expected at least ${minItems} items`));
  }
  if (typeof maxItems === "number") {
    checks.push(lengthCheck((length) => length <= maxItems, `expected at most ${maxItems} items`));
  }
  const { first, rest } = itemSchemasOf(source);
  if (first.length > 0) checks.push(firstItemsCheck(first));
  if (rest !== undefined && !rest.isOpen) checks.push(itemsCheck(rest, first.length));
  const contains = source.one("contains");
  if (contains !== undefined) checks.push(containsCheck(contains, source.schema));
  if (uniqueItems === true) checks.push(areUnique);
  return checks;
}

/** The schemas for the first items, one each, and the schema for all items after them. */
export function itemSchemasOf(source: KeywordSource): {
  first: readonly CompiledNode[];
  rest: CompiledNode | undefined;
} {
  const isList = Array.isArray(source.schema.items);
  return isList
    ? { first: source.list("items"), rest: source.one("additionalItems") }
    : { first: source.list("prefixItems"), rest: source.one("items") };
}

function lengthCheck(isAllowed: (length: number) => boolean, message: string): Check {
  return (value, run) => !Array.isArray(value) || isAllowed(value.length) || run.fail(message);
}

function firstItemsCheck(schemas: readonly CompiledNode[]): Check {
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    let holds = true;
    let index = 0;
    for (const schema of schemas) {
      if (index === value.length) break;
      if (!run.at(index, value[index], schema.check)) {
        if (run.report === undefined) return false;
        holds = false;
      }
      index += 1;
    }
    return holds;
  };
}

function itemsCheck(schema: CompiledNode, start: number): Check {
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    let holds = true;
    for (let index = start; index < value.length; index += 1) {
      if (run.at(index, value[index], schema.check)) continue;
      if (run.report === undefined) return false;
      holds = false;
    }
    return holds;
  };
}

function containsCheck(schema: CompiledNode, { minContains, maxContains }: KeywordSource["schema"]): Check {
  const min = typeof minContains === "number" ? minContains : 1;
  const max = typeof maxContains === "number" ? maxContains : Number.POSITIVE_INFINITY;
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    let count = 0;
    for (const item of value) {
      if (run.isHeld(schema.check, item)) count += 1;
      if (count > max) return run.fail(`expected at most ${max} items that match "contains"`);
      if (count >= min && max === Number.POSITIVE_INFINITY) return true;
    }
    return count >= min || run.fail(`expected at least ${min} items that match "contains"`);
  };
}

function areUnique(value: unknown, run: ValidationRun): boolean {
  if (!Array.isArray(value)) return true;
  const distinct = new ValueSet();
  for (const item of value) distinct.add(item, run);
  return distinct.size === value.length || run.fail("expected no item twice");
}
