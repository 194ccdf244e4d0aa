/** Canonical JSON: two JSON values have the same text if and only if they are equal. The text itself is not JSON. */
import { type Budget, PER_STEP, STEPS, UNLIMITED } from "./work-budget.js";

/** Twice the depth limit of messages on the wire. The stack has room for it. */
const MAX_DEPTH = 1024;

/**
 * Writes a value with its members sorted by name. Commas follow every item, so `JSON.parse` does not read the text.
 * @throws RangeError for a value that nests too deep, or the error of the budget
 */
export function canonicalJson(value: unknown, budget: Budget = UNLIMITED, depth = 0): string {
  if (typeof value !== "object" || value === null) return textOf(value, budget);
  if (depth > MAX_DEPTH) throw new RangeError("the value nests too deep");
  return Array.isArray(value) ? ofArray(value, budget, depth) : ofObject(value, budget, depth);
}

function ofArray(items: readonly unknown[], budget: Budget, depth: number): string {
  budget.spend(STEPS.writtenValue + items.length);
  if (items.length > 0 && items.every(isPlain)) {
    // Arrays of millions of numbers are written by one native call.
    return JSON.stringify(items);
  }
  let text = "[";
  for (const item of items) text += `${canonicalJson(item, budget, depth + 1)},`;
  return `${text}]`;
}

function ofObject(value: object, budget: Budget, depth: number): string {
  const names = Object.keys(value);
  budget.spend(STEPS.writtenObject);
  spendOnSorting(names, budget);
  let text = "{";
  for (const name of names.sort()) {
    const member: unknown = value[name as keyof typeof value];
    if (member === undefined) continue;
    text += `${textOf(name, budget)}:${canonicalJson(member, budget, depth + 1)},`;
  }
  return `${text}}`;
}

/** Pays for sorting by names and by characters: names with long shared prefixes take longer to compare. */
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

/** Whether a value is a scalar with a short text. */
function isPlain(item: unknown): boolean {
  return typeof item === "number" || typeof item === "boolean" || item === null;
}
