/** Equality of JSON values, by a text that two of them share if and only if they are equal. */
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import type { Run } from "./run.js";

/** How many comparisons of names one step buys. */
const comparisonsPerStep = 8;
/** An object takes as long as so many values: its names may be ones that no other object has. */
const stepsPerObject = 3;

/** JSON with the members in the order of their names. */
export function canonicalText(value: unknown, run: Run): string {
  if (typeof value !== "object" || value === null) return textOf(value, run);
  run.enter();
  const text = isJsonObject(value) ? ofObject(value, run) : ofArray(value as unknown[], run); // there is nothing else
  run.leave();
  return text;
}

function ofArray(items: readonly unknown[], run: Run): string {
  run.spend(1);
  if (items.length > 0 && items.every(isPlain)) {
    // There may be millions of them, which takes no time when it is done in one go.
    run.spend(items.length);
    return JSON.stringify(items);
  }
  let text = "[";
  for (const item of items) text += `${canonicalText(item, run)},`;
  return `${text}]`;
}

function ofObject(value: JsonObject, run: Run): string {
  const names = Object.keys(value);
  const comparisons = names.length * Math.log2(names.length + 1);
  run.spend(stepsPerObject + Math.floor(comparisons / comparisonsPerStep));
  let text = "{";
  for (const name of names.sort()) {
    if (value[name] !== undefined) text += `${textOf(name, run)}:${canonicalText(value[name], run)},`;
  }
  return `${text}}`;
}

function textOf(scalar: unknown, run: Run): string {
  const text = String(JSON.stringify(scalar));
  run.spend(1 + (text.length >>> 6));
  return text;
}

/** Whether its text is a short one. */
function isPlain(item: unknown): boolean {
  return typeof item === "number" || typeof item === "boolean" || item === null;
}
