/**
 * Reading a URI back into the variables of a template, in one pass from left to right. A variable ends at the first
 * place where what follows it in the template stands; nothing is tried twice, so the time is linear in the URI.
 */
import type { Expression, Part, Variable } from "./parse-parts.js";
import { decode } from "./percent-encoding.js";

/** A string, or a list for an exploded variable. Variables of an absent `{/a}`, `{?a}` and the like are missing. */
export interface MatchedVariables {
  [name: string]: string | string[];
}

/** Structure that a value has only in encoded form, unless its operator allows reserved characters. */
const RESERVED_STRUCTURE = /[/?#]/;
const NOT_FOUND = -1;

/** Undefined if the URI does not follow the template. */
export function matchParts(parts: readonly Part[], uri: string): MatchedVariables | undefined {
  const variables: MatchedVariables = Object.create(null);
  let position = 0;
  for (const [index, part] of parts.entries()) {
    if (part.kind === "literal") {
      if (!uri.startsWith(part.text, position)) return undefined;
      position += part.text.length;
      continue;
    }
    const { first } = part.operator;
    // An expression whose variables are all undefined leaves no trace, not even its first character.
    if (first !== "" && !uri.startsWith(first, position)) continue;
    position += first.length;
    const end = endOfExpression(parts, index, uri, position);
    if (end === NOT_FOUND || !readExpression(part, uri.slice(position, end), variables)) return undefined;
    position = end;
  }
  return position === uri.length ? variables : undefined;
}

function endOfExpression(parts: readonly Part[], index: number, uri: string, from: number): number {
  let end = uri.length;
  for (let next = index + 1; next < parts.length; next += 1) {
    const part = parts[next] as Part; // the loop's condition keeps the index inside
    if (part.kind === "literal") {
      const found = findLiteral(part.text, uri, from, next === parts.length - 1);
      return found === NOT_FOUND ? NOT_FOUND : Math.min(end, found);
    }
    const found = uri.indexOf(part.operator.first, from);
    if (found !== NOT_FOUND) end = Math.min(end, found);
  }
  return end;
}

/** The last literal of a template stands at the very end, wherever else its text may occur. */
function findLiteral(text: string, uri: string, from: number, isLast: boolean): number {
  if (!isLast) return uri.indexOf(text, from);
  const start = uri.length - text.length;
  return start >= from && uri.endsWith(text) ? start : NOT_FOUND;
}

function readExpression(expression: Expression, text: string, variables: MatchedVariables): boolean {
  const { operator, variables: wanted } = expression;
  if (operator.isNamed) return readNamed(expression, text, variables);
  const [only] = wanted;
  if (wanted.length === 1 && only && !only.isExploded) return readValue(expression, only, text, variables);
  const pieces = text.split(operator.separator);
  const last = wanted.length - 1;
  if (pieces.length > wanted.length && !wanted[last]?.isExploded) return false;
  return wanted.every((variable, place) => {
    if (place >= pieces.length) return true;
    if (!variable.isExploded) return readValue(expression, variable, pieces[place] as string, variables);
    return pieces.slice(place).every((piece) => addItem(expression, variable, piece, variables));
  });
}

/** `name=value` pairs in any order, each variable once unless it is exploded, and no others. */
function readNamed(expression: Expression, text: string, variables: MatchedVariables): boolean {
  const wanted = new Map(expression.variables.map((variable) => [variable.name, variable]));
  return text.split(expression.operator.separator).every((pair) => {
    const equals = pair.indexOf("=");
    const variable = wanted.get(equals < 0 ? pair : pair.slice(0, equals));
    if (!variable) return false;
    const value = equals < 0 ? "" : pair.slice(equals + 1);
    if (variable.isExploded) return addItem(expression, variable, value, variables);
    return !(variable.name in variables) && readValue(expression, variable, value, variables);
  });
}

function readValue(expression: Expression, variable: Variable, text: string, variables: MatchedVariables): boolean {
  const value = readText(expression, text);
  if (value === undefined) return false;
  if (variable.maxLength !== undefined && [...value].length > variable.maxLength) return false;
  variables[variable.name] = value;
  return true;
}

function addItem(expression: Expression, variable: Variable, text: string, variables: MatchedVariables): boolean {
  const value = readText(expression, text);
  if (value === undefined) return false;
  const items = variables[variable.name];
  if (Array.isArray(items)) items.push(value);
  else variables[variable.name] = [value];
  return true;
}

function readText(expression: Expression, text: string): string | undefined {
  return !expression.operator.allowsReserved && RESERVED_STRUCTURE.test(text) ? undefined : decode(text);
}
