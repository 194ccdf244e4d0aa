/**
 * Matches a URI against a template. The parts before `{+path}` are read from the left, the parts after it from the right. The
 * matcher never backtracks, so its time is linear in the length of the URI.
 */
import type { Expression, Literal, Part, Variable } from "./parse-parts.js";
import { decode } from "./percent-encoding.js";

/** A string, or a list for an exploded variable. Variables of an absent `{/a}`, `{?a}` and the like are missing. */
export interface MatchedVariables {
  [name: string]: string | string[];
}

/** Delimiters that a value contains only percent-encoded, unless its operator allows reserved characters. */
const RESERVED_STRUCTURE = /[/?#]/;
const NOT_FOUND = -1;
/** Characters of a URI. A list of a million values would take seconds to match. */
const MAX_URI_LENGTH = 65_536;

/** Undefined if the URI does not follow the template, or is longer than 65,536 characters. */
export function matchParts(parts: readonly Part[], uri: string): MatchedVariables | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined;
  const variables: MatchedVariables = Object.create(null);
  const crossing = parts.findIndex(mayCross);
  const start = readFromLeft(parts, crossing < 0 ? parts.length : crossing, uri, variables);
  if (start === NOT_FOUND) return undefined;
  if (crossing < 0) return start === uri.length ? variables : undefined;
  const end = readFromRight(parts, crossing, uri, start, variables);
  const isRead = end !== NOT_FOUND && readExpression(parts[crossing] as Expression, uri.slice(start, end), variables);
  return isRead ? variables : undefined;
}

/** Whether a part is `{+path}`, whose value may contain every delimiter. */
export function mayCross(part: Part): boolean {
  return part.kind === "expression" && part.operator.allowsReserved && part.operator.first === "";
}

/** Reads the parts before `until`. A variable ends at the first occurrence of the next part. Returns the end of the last part. */
function readFromLeft(parts: readonly Part[], until: number, uri: string, variables: MatchedVariables): number {
  let position = 0;
  for (const [index, part] of parts.slice(0, until).entries()) {
    if (part.kind === "literal") {
      if (!uri.startsWith(part.text, position)) return NOT_FOUND;
      position += part.text.length;
      continue;
    }
    const { first } = part.operator;
    // An expression without defined variables expands to nothing, not even its first character.
    if (first !== "" && !uri.startsWith(first, position)) continue;
    position += first.length;
    const end = endOfExpression(parts, index, uri, position);
    if (end === NOT_FOUND || !readExpression(part, uri.slice(position, end), variables)) return NOT_FOUND;
    position = end;
  }
  return position;
}

/**
 * Reads the parts after `crossing` from the end of the URI, back to `floor` at most. A variable starts after the last occurrence
 * of the previous part. Returns the start of the first part.
 */
function readFromRight(
  parts: readonly Part[],
  crossing: number,
  uri: string,
  floor: number,
  variables: MatchedVariables,
): number {
  let end = uri.length;
  for (let index = parts.length - 1; index > crossing; index -= 1) {
    const part = parts[index] as Part; // the loop's condition keeps the index inside
    if (part.kind === "literal") {
      if (end - part.text.length < floor || !uri.endsWith(part.text, end)) return NOT_FOUND;
      end -= part.text.length;
      continue;
    }
    const { first } = part.operator;
    // `parseTemplate` refuses an expression without a first character that does not follow a literal.
    const lead = first === "" ? (parts[index - 1] as Literal).text : first;
    const found = uri.lastIndexOf(lead, end - lead.length);
    const start = found + lead.length;
    const isRead = found >= floor && readExpression(part, uri.slice(start, end), variables);
    if (first !== "" && isRead) end = found;
    else if (first === "") {
      if (!isRead) return NOT_FOUND;
      end = start;
    }
  }
  return end;
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

/** The last literal of a template must be at the end of the URI. */
function findLiteral(text: string, uri: string, from: number, isLast: boolean): number {
  if (!isLast) return uri.indexOf(text, from);
  const start = uri.length - text.length;
  return start >= from && uri.endsWith(text) ? start : NOT_FOUND;
}

function readExpression(expression: Expression, text: string, variables: MatchedVariables): boolean {
  const { operator, variables: wanted } = expression;
  if (operator.isNamed) return readNamed(expression, text, variables);
  const pieces = text.split(operator.separator);
  return wanted.every((variable, place) => {
    if (place >= pieces.length) return true;
    const isLast = place === wanted.length - 1;
    if (variable.isExploded)
      return pieces.slice(place).every((piece) => addItem(expression, variable, piece, variables));
    const piece = isLast ? pieces.slice(place).join(operator.separator) : (pieces[place] as string);
    return readValue(expression, variable, piece, variables);
  });
}

/** Reads `name=value` pairs in any order. An unknown name, or a repeated one that is not exploded, does not match. */
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
