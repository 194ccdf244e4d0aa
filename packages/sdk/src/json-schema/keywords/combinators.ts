/** Keywords that combine schemas for one value: `allOf`, `anyOf`, `oneOf`, `not` and `if`. */
import { PER_STEP } from "../../runtime/work-budget.js";
import type { CompiledNode, Condition, KeywordSource } from "../validator/compiled-node.js";
import type { Check, ValidationRun } from "../validator/validation-run.js";
import { typeBitsOf } from "./value-keywords.js";

export function combinatorChecks(source: KeywordSource): Check[] {
  const checks: Check[] = source.list("allOf").map((schema) => (value, run) => schema.check(value, run));
  const anyOf = source.list("anyOf");
  if (anyOf.length > 0) checks.push(anyOfCheck(anyOf));
  const oneOf = source.list("oneOf");
  if (oneOf.length > 0) checks.push(oneOfCheck(oneOf));
  const not = source.one("not");
  if (not !== undefined) {
    checks.push((value, run) => !run.isHeld(not.check, value) || run.fail("matches what is excluded"));
  }
  const condition = conditionOf(source);
  if (condition !== undefined) checks.push(conditionCheck(condition));
  return checks;
}

export function conditionOf(source: KeywordSource): Condition | undefined {
  const test = source.one("if");
  return test === undefined ? undefined : { test, met: source.one("then"), unmet: source.one("else") };
}

function conditionCheck({ test, met, unmet }: Condition): Check {
  return (value, run) => {
    const next = run.isHeld(test.check, value) ? met : unmet;
    return next === undefined || next.check(value, run);
  };
}

function anyOfCheck(alternatives: readonly CompiledNode[]): Check {
  return (value, run) => {
    if (run.report !== undefined) return isExplained(alternatives, value, run, (count) => count > 0);
    for (const { check } of alternatives) if (check(value, run)) return true;
    return false;
  };
}

function oneOfCheck(alternatives: readonly CompiledNode[]): Check {
  return (value, run) => {
    if (run.report !== undefined) return isExplained(alternatives, value, run, (count) => count === 1);
    let count = 0;
    for (const { check } of alternatives) {
      if (check(value, run)) count += 1;
      if (count > 1) return false;
    }
    return count === 1;
  };
}

/** Checks the alternatives that match the type of the value. If there is exactly one, reports its issues. */
function isExplained(
  alternatives: readonly CompiledNode[],
  value: unknown,
  run: ValidationRun,
  isEnough: (count: number) => boolean,
): boolean {
  run.spendOn(alternatives.length, PER_STEP.comparedTypes);
  const valueBits = typeBitsOf(value);
  const fitting: CompiledNode[] = [];
  const expected = new Set<string>();
  let expectedBits = 0;
  for (const alternative of alternatives) {
    const { types, typeBits } = alternative;
    if (types === undefined || (typeBits & valueBits) !== 0) fitting.push(alternative);
    else if ((typeBits & ~expectedBits) !== 0) {
      expectedBits |= typeBits;
      for (const name of types) expected.add(name);
    }
  }
  const [only] = fitting;
  if (only === undefined) return run.failKind([...expected].join(" or "), value);
  if (fitting.length === 1) return only.check(value, run);
  const count = fitting.filter(({ check }) => run.isHeld(check, value)).length;
  if (isEnough(count)) return true;
  return run.fail(count === 0 ? "matches none of the alternatives" : "matches more than one of the alternatives");
}
