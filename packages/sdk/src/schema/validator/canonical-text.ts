/** Equality of JSON values, by a text that two of them share if and only if they are equal. */
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import type { Run } from "./run.js";

/** How many comparisons of names one step buys. */
const comparisonsPerStep = 8;

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
  let text = "[";
  for (const item of items) text += `${canonicalText(item, run)},`;
  return `${text}]`;
}

function ofObject(value: JsonObject, run: Run): string {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  run.spend(Math.floor((names.length * Math.log2(names.length + 1)) / comparisonsPerStep));
  let text = "{";
  for (const name of names.sort()) text += `${textOf(name, run)}:${canonicalText(value[name], run)},`;
  return `${text}}`;
}

function textOf(scalar: unknown, run: Run): string {
  const text = String(JSON.stringify(scalar));
  run.spend(1 + (text.length >>> 6));
  return text;
}
