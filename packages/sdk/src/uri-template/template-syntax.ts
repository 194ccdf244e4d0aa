/** The grammar of URI templates (RFC 6570, all four levels): text in, literals and expressions out. */
import { SdkError } from "../errors/sdk-error.js";

export interface Operator {
  /** What a non-empty expansion starts with. */
  readonly first: "" | "#" | "." | "/" | ";" | "?" | "&";
  readonly separator: "," | "." | "/" | ";" | "&";
  readonly isNamed: boolean;
  /** What stands behind a name without a value. */
  readonly ifEmpty: "" | "=";
  readonly allowsReserved: boolean;
}

export interface VariableSpec {
  readonly name: string;
  readonly isExploded: boolean;
  /** How many characters of the value are used. */
  readonly maxLength: number;
}

export interface Expression {
  /** As written, braces included. */
  readonly text: string;
  readonly operator: Operator;
  readonly variables: readonly VariableSpec[];
}

export interface TemplateParts {
  /** The literal before the first expression. */
  readonly prefix: string;
  /** Each expression with the literal that follows it. Literals may be empty. */
  readonly steps: readonly TemplateStep[];
}

export interface TemplateStep {
  readonly expression: Expression;
  readonly literal: string;
}

const simple: Operator = { first: "", separator: ",", isNamed: false, ifEmpty: "", allowsReserved: false };
const operators: ReadonlyMap<string, Operator> = new Map([
  ["+", { ...simple, allowsReserved: true }],
  ["#", { ...simple, first: "#", allowsReserved: true }],
  [".", { ...simple, first: ".", separator: "." }],
  ["/", { ...simple, first: "/", separator: "/" }],
  [";", { ...simple, first: ";", separator: ";", isNamed: true }],
  ["?", { ...simple, first: "?", separator: "&", isNamed: true, ifEmpty: "=" }],
  ["&", { ...simple, first: "&", separator: "&", isNamed: true, ifEmpty: "=" }],
]);

const reservedOperators: ReadonlySet<string> = new Set("=,!@|");
const variable = /^((?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*)(?:(\*)|:([1-9]\d{0,3}))?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what a literal must not hold
const illegalInLiteral = /[\x00-\x20\x7f"<>\\^`|}]|%(?![0-9A-Fa-f]{2})/;

/** @throws SdkError `invalid-argument` with the position of what is wrong */
export function parseTemplateParts(text: string): TemplateParts {
  const prefix = literalAt(text, 0);
  const steps: TemplateStep[] = [];
  let at = prefix.length;
  while (at < text.length) {
    const close = text.indexOf("}", at);
    if (close === -1) throw syntaxError(text, at, `"{" without "}"`);
    const literal = literalAt(text, close + 1);
    steps.push({ expression: parseExpression(text, at, close), literal });
    at = close + 1 + literal.length;
  }
  return { prefix, steps };
}

function literalAt(text: string, at: number): string {
  const open = text.indexOf("{", at);
  const literal = text.slice(at, open === -1 ? text.length : open);
  const illegal = illegalInLiteral.exec(literal);
  if (illegal !== null) throw syntaxError(text, at + illegal.index, `"${illegal[0]}" cannot stand in a literal`);
  return literal;
}

function parseExpression(text: string, open: number, close: number): Expression {
  let at = open + 1;
  const symbol = text.charAt(at);
  if (reservedOperators.has(symbol)) throw syntaxError(text, at, `"${symbol}" is no operator`);
  const operator = operators.get(symbol) ?? simple;
  if (operator !== simple) at += 1;
  const variables: VariableSpec[] = [];
  for (const spec of text.slice(at, close).split(",")) {
    const [, name, star, length] = variable.exec(spec) ?? [];
    if (name === undefined) throw syntaxError(text, at, `expected a variable name, got "${spec}"`);
    const maxLength = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    variables.push({ name, isExploded: star !== undefined, maxLength });
    at += spec.length + 1;
  }
  return { text: text.slice(open, close + 1), operator, variables };
}

function syntaxError(text: string, position: number, problem: string): SdkError {
  return new SdkError("invalid-argument", `URI template "${text}", position ${position}: ${problem}`);
}
