/** Expands a template, by RFC 6570 up to level 4. */
import type { Expression, Part, Variable } from "./parse-parts.js";
import { encodeLiteral, encodeValue } from "./percent-encoding.js";

/** The value of a variable. Undefined values, empty lists and empty maps are left out. */
export type TemplateValue =
  | string
  | number
  | boolean
  | readonly string[]
  | { readonly [key: string]: string }
  | undefined;

/** The values of variables, by name. */
export type TemplateValues = { readonly [name: string]: TemplateValue };

export function expandParts(parts: readonly Part[], values: TemplateValues): string {
  return parts.map((part) => (part.kind === "literal" ? part.text : expandExpression(part, values))).join("");
}

function expandExpression(expression: Expression, values: TemplateValues): string {
  const pieces: string[] = [];
  for (const variable of expression.variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    if (value !== undefined) pieces.push(...expandVariable(expression, variable, value));
  }
  return pieces.length === 0 ? "" : expression.operator.first + pieces.join(expression.operator.separator);
}

function expandVariable(expression: Expression, variable: Variable, value: NonNullable<TemplateValue>): string[] {
  const { operator } = expression;
  const encode = operator.allowsReserved ? encodeLiteral : encodeValue;
  const named = (text: string): string =>
    operator.isNamed ? `${variable.name}${text === "" ? operator.ifEmpty : `=${text}`}` : text;
  if (typeof value !== "object") {
    const text = String(value);
    return [named(encode(variable.maxLength === undefined ? text : [...text].slice(0, variable.maxLength).join("")))];
  }
  if (isList(value)) {
    const items = value.map(encode);
    if (variable.isExploded) return items.map(named);
    return items.length === 0 ? [] : [named(items.join(","))];
  }
  const pairs = Object.entries(value).map(([key, member]) => [encode(key), encode(member)] as const);
  if (variable.isExploded) {
    return pairs.map(([key, member]) => `${key}${operator.isNamed && member === "" ? operator.ifEmpty : `=${member}`}`);
  }
  return pairs.length === 0 ? [] : [named(pairs.flat().join(","))];
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value);
}
