/** Equality of JSON values, by a text that two of them share if and only if they are equal. */
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import { type Budget, PER_STEP, STEPS } from "../../runtime/work-budget.js";
import { maxNesting, nestsTooDeep } from "./run.js";

/**
 * JSON with the members in the order of their names.
 * @throws RangeError where the value nests too deep, or the error of the budget
 */
export function canonicalText(value: unknown, budget: Budget, depth = 0): string {
  if (typeof value !== "object" || value === null) return textOf(value, budget);
  if (depth > maxNesting) throw nestsTooDeep();
  // There is nothing else.
  return isJsonObject(value) ? ofObject(value, budget, depth) : ofArray(value as unknown[], budget, depth);
}

function ofArray(items: readonly unknown[], budget: Budget, depth: number): string {
  budget.spend(STEPS.writtenValue + items.length);
  if (items.length > 0 && items.every(isPlain)) {
    // There may be millions of them, which takes no time when it is done in one go.
    return JSON.stringify(items);
  }
  let text = "[";
  for (const item of items) text += `${canonicalText(item, budget, depth + 1)},`;
  return `${text}]`;
}

function ofObject(value: JsonObject, budget: Budget, depth: number): string {
  const names = Object.keys(value);
  budget.spend(STEPS.writtenObject);
  spendOnSorting(names, budget);
  let text = "{";
  for (const name of names.sort()) {
    if (value[name] === undefined) continue;
    text += `${textOf(name, budget)}:${canonicalText(value[name], budget, depth + 1)},`;
  }
  return `${text}}`;
}

/** Names may be alike up to their ends. */
function spendOnSorting(names: readonly string[], budget: Budget): void {
  const rounds = Math.log2(names.length + 1);
  budget.spendOn(names.length * rounds, PER_STEP.comparedNames);
  let characters = 0;
  for (const { length } of names) characters += length;
  budget.spendOn(characters * rounds, PER_STEP.comparedCharacters);
}

function textOf(scalar: unknown, budget: Budget): string {
  budget.spend(STEPS.writtenValue);
  if (typeof scalar === "string") budget.spendOn(scalar.length, PER_STEP.writtenCharacters);
  return String(JSON.stringify(scalar));
}

/** Whether its text is a short one. */
function isPlain(item: unknown): boolean {
  return typeof item === "number" || typeof item === "boolean" || item === null;
}
