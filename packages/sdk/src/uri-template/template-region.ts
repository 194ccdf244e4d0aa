/** The text that one expression of a URI template expanded to, read back into the values of its variables. */
import type { Expression, VariableSpec } from "./template-syntax.js";

/** A variable with `*` comes back as a list, any other as a string; one that did not occur is absent. */
export type TemplateMatch = Record<string, string | string[]>;

/** Adds the values to the match. Returns whether the text can be an expansion of the expression. */
export function readRegion(expression: Expression, region: string, match: TemplateMatch): boolean {
  const { first, isNamed } = expression.operator;
  // Without a first character, nothing would tell an empty value from none; an address with a hole is not matched.
  if (region === "") return first !== "";
  if (!region.startsWith(first)) return false;
  const text = region.slice(first.length);
  return isNamed ? readNamed(expression, text, match) : readPositional(expression, text, match);
}

/** Names may come in any order; each must belong to the expression, and come once unless it is a list. */
function readNamed({ operator, variables }: Expression, text: string, match: TemplateMatch): boolean {
  for (const item of text.split(operator.separator)) {
    const equals = item.indexOf("=");
    const name = equals === -1 ? item : item.slice(0, equals);
    const value = decode(equals === -1 ? "" : item.slice(equals + 1));
    const spec = variables.find((candidate) => candidate.name === name);
    if (spec === undefined || value === undefined || !fits(value, spec)) return false;
    const known = match[name];
    if (known === undefined) match[name] = spec.isExploded ? [value] : value;
    else if (Array.isArray(known)) known.push(value);
    else return false;
  }
  return true;
}

function readPositional({ operator, variables }: Expression, text: string, match: TemplateMatch): boolean {
  const isWhole = operator.separator !== "/" && variables.length === 1 && !variables.some(({ isExploded }) => isExploded);
  const items: string[] = [];
  for (const part of isWhole ? [text] : text.split(operator.separator)) {
    const item = decode(part);
    if (item === undefined) return false;
    items.push(item);
  }
  for (const [index, spec] of variables.entries()) {
    const item = items[index];
    if (item === undefined) break;
    if (spec.isExploded) {
      match[spec.name] = items.slice(index);
      return true;
    }
    if (!fits(item, spec)) return false;
    match[spec.name] = item;
  }
  return items.length <= variables.length;
}

function fits(value: string, { maxLength }: VariableSpec): boolean {
  return maxLength === Number.POSITIVE_INFINITY || [...value].length <= maxLength;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
