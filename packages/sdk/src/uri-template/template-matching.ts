/**
 * Matching of URIs against templates, the inverse of expansion, in one pass from the left and one from the right: every
 * expression ends where a character comes that it cannot expand to. One may lie between the two passes and take the rest.
 */
import { SdkError } from "../errors/sdk-error.js";
import { readRegion, type TemplateMatch } from "./template-region.js";
import { encode } from "./template-expansion.js";
import type { Expression, TemplateParts, TemplateStep } from "./template-syntax.js";

interface BoundedStep extends TemplateStep {
  /** The characters at which the expression ends. */
  readonly stops: string;
}

export interface MatchPlan {
  readonly prefix: string;
  readonly fromLeft: readonly BoundedStep[];
  readonly floating: TemplateStep | undefined;
  /** Last step first. */
  readonly fromRight: readonly BoundedStep[];
}

/**
 * Works out how to match a template.
 * @throws SdkError `invalid-argument` for a template whose expressions cannot always be told apart
 */
export function planMatch(parts: TemplateParts, text: string): MatchPlan {
  const prefix = encode(parts.prefix, true);
  const steps = parts.steps.map(({ expression, literal }) => ({ expression, literal: encode(literal, true) }));
  refuseWhatLosesValues(steps, text);
  const fromLeft: BoundedStep[] = [];
  const fromRight: BoundedStep[] = [];
  let floating: TemplateStep | undefined;
  let before = prefix;
  for (const [index, step] of steps.entries()) {
    const { expression } = step;
    const followers = followersOf(steps, index);
    if (floating !== undefined) {
      const precursor = before.slice(-1);
      if (precursor === "" || canProduce(expression, precursor)) {
        throw unmatchable(text, `nothing tells where ${floating.expression.text} ends and ${expression.text} begins`);
      }
      fromRight.unshift({ ...step, stops: stopsOf(expression) + precursor });
    } else if (followers === undefined || [...followers].some((character) => canProduce(expression, character))) {
      floating = step;
    } else {
      fromLeft.push({ ...step, stops: stopsOf(expression) + followers });
    }
    before = step.literal;
  }
  return { prefix, fromLeft, floating, fromRight };
}

/** The variables of a URI made from the template; reads every character a fixed number of times. */
export function matchUri({ prefix, fromLeft, floating, fromRight }: MatchPlan, uri: string): TemplateMatch | undefined {
  const match: TemplateMatch = Object.create(null);
  if (!uri.startsWith(prefix)) return undefined;
  let start = prefix.length;
  for (const { expression, literal, stops } of fromLeft) {
    const stop = scanForward(uri, start, expression.operator.first, stops);
    if (!readRegion(expression, uri.slice(start, stop), match) || !uri.startsWith(literal, stop)) return undefined;
    start = stop + literal.length;
  }
  if (floating === undefined) return start === uri.length ? match : undefined;

  let end = uri.length;
  for (const { expression, literal, stops } of fromRight) {
    const stop = end - literal.length;
    if (stop < start || !uri.startsWith(literal, stop)) return undefined;
    end = scanBackward(uri, start, stop, stops);
    if (!readRegion(expression, uri.slice(end, stop), match)) return undefined;
  }
  const stop = end - floating.literal.length;
  if (stop < start || !uri.startsWith(floating.literal, stop)) return undefined;
  if (scanBackward(uri, start, stop, stopsOf(floating.expression)) !== start) return undefined;
  return readRegion(floating.expression, uri.slice(start, stop), match) ? match : undefined;
}

function scanForward(uri: string, from: number, first: string, stops: string): number {
  if (!uri.startsWith(first, from)) return from;
  let at = from + first.length;
  while (at < uri.length && !stops.includes(uri.charAt(at))) at += 1;
  return at;
}

function scanBackward(uri: string, start: number, from: number, stops: string): number {
  let at = from;
  while (at > start && !stops.includes(uri.charAt(at - 1))) at -= 1;
  return at;
}

/** Where an expression ends even if the URI was not written by expansion, so that `{name}` never crosses a `/`. */
function stopsOf({ operator }: Expression): string {
  if (operator.allowsReserved) return "";
  if (operator.separator === "&") return "#";
  return operator.first === "/" ? "?#" : "/?#";
}

/** The characters that may come right behind a step's expression; `undefined` if any may. */
function followersOf(steps: readonly TemplateStep[], index: number): string | undefined {
  let followers = "";
  for (const [offset, { expression, literal }] of steps.slice(index).entries()) {
    const { first } = expression.operator;
    if (offset > 0) {
      if (first === "") return undefined;
      // It may expand to nothing, so what follows it counts as well.
      followers += first;
    }
    if (literal !== "") return followers + literal.charAt(0);
  }
  return followers;
}

/** Whether an expansion of the expression can contain the character. */
function canProduce({ operator, variables }: Expression, character: string): boolean {
  if (operator.allowsReserved || /[\w.~%-]/.test(character)) return true;
  const hasSeparator = operator.first !== "" || variables.length > 1 || variables.some(({ isExploded }) => isExploded);
  const marks = operator.first + (hasSeparator ? operator.separator : "") + (operator.isNamed ? "=" : "");
  return marks.includes(character);
}

/** Some expressions expand different values to the same text. */
function refuseWhatLosesValues(steps: readonly TemplateStep[], text: string): void {
  const names = new Set<string>();
  for (const { expression } of steps) {
    const { operator, variables } = expression;
    for (const [index, { name, isExploded }] of variables.entries()) {
      if (names.has(name)) throw unmatchable(text, `the variable "${name}" occurs twice`);
      names.add(name);
      const isLast = index === variables.length - 1;
      if (isExploded && !operator.isNamed && !isLast) {
        throw unmatchable(text, `in ${expression.text}, nothing tells where the list "${name}" ends`);
      }
      // The values can themselves contain the separator.
      if ((operator.allowsReserved || operator.first === ".") && (isExploded || !isLast)) {
        throw unmatchable(text, `in ${expression.text}, nothing tells one value from the next`);
      }
    }
  }
}

function unmatchable(text: string, problem: string): SdkError {
  return new SdkError("invalid-argument", `URI template "${text}" cannot be matched: ${problem}`);
}
