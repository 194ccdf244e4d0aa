/** Parses the text of a template into literals and expressions. */
import { SdkError } from "../errors/sdk-error.js";
import { type Operator, operatorOf, SIMPLE } from "./operators.js";
import { encodeLiteral } from "./percent-encoding.js";

export interface Variable {
  readonly name: string;
  /** `{list*}`: each item of a list becomes one value. */
  readonly isExploded: boolean;
  /** `{name:3}`: only this many characters of the value are used. */
  readonly maxLength: number | undefined;
}

export interface Expression {
  readonly kind: "expression";
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** Literal text, encoded as in a URI. */
export interface Literal {
  readonly kind: "literal";
  readonly text: string;
}

export type Part = Literal | Expression;

const MAX_TEMPLATE_LENGTH = 8_192;
const VARIABLE = /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(\*|:([1-9]\d{0,3}))?$/;

/** @throws {SdkError} `invalid-argument` with the place of the mistake. */
export function parseParts(template: string): Part[] {
  if (template.length > MAX_TEMPLATE_LENGTH) {
    throw new SdkError("invalid-argument", `URI template: longer than ${MAX_TEMPLATE_LENGTH} characters`);
  }
  const parts: Part[] = [];
  let position = 0;
  while (position < template.length) {
    const open = template.indexOf("{", position);
    const literal = template.slice(position, open < 0 ? template.length : open);
    if (literal.includes("}")) throw badTemplate(template, position + literal.indexOf("}"), 'a "}" without its "{"');
    if (literal !== "") parts.push({ kind: "literal", text: encodeLiteral(literal) });
    if (open < 0) break;
    const close = template.indexOf("}", open);
    if (close < 0) throw badTemplate(template, open, 'a "{" without its "}"');
    parts.push(parseExpression(template, open + 1, close));
    position = close + 1;
  }
  return parts;
}

function parseExpression(template: string, start: number, end: number): Expression {
  const operator = operatorOf(template.charAt(start));
  const list = template.slice(operator ? start + 1 : start, end);
  const variables = list.split(",").map((text): Variable => {
    const match = VARIABLE.exec(text);
    if (!match?.[1]) throw badTemplate(template, start, `"${text}" is no variable`);
    return {
      name: match[1],
      isExploded: match[2] === "*",
      maxLength: match[3] === undefined ? undefined : Number(match[3]),
    };
  });
  return { kind: "expression", operator: operator ?? SIMPLE, variables };
}

function badTemplate(template: string, position: number, complaint: string): SdkError {
  return new SdkError("invalid-argument", `URI template "${template}": ${complaint} at character ${position + 1}`);
}
