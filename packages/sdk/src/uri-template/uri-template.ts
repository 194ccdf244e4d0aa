/** URI templates (RFC 6570): parsed once, then expanded with values or matched against URIs. */
import { SdkError } from "../errors/sdk-error.js";
import { expandTemplate, type TemplateVariables } from "./template-expansion.js";
import { type MatchPlan, matchUri, planMatch } from "./template-matching.js";
import type { TemplateMatch } from "./template-region.js";
import { parseTemplateParts, type TemplateParts } from "./template-syntax.js";

export interface UriTemplateLimits {
  /** How long a template may be: 4,096 characters by default. */
  readonly maxTemplateLength?: number;
  /** How long a URI may be to be matched at all: 65,536 characters by default. */
  readonly maxUriLength?: number;
}

const defaultMaxTemplateLength = 4096;
const defaultMaxUriLength = 65_536;

/**
 * Parses a URI template.
 * @throws SdkError `invalid-argument` with the position of what is wrong
 */
export function parseTemplate(text: string, limits: UriTemplateLimits = {}): UriTemplate {
  const { maxTemplateLength = defaultMaxTemplateLength, maxUriLength = defaultMaxUriLength } = limits;
  if (text.length > maxTemplateLength) {
    throw new SdkError("invalid-argument", `URI template of ${text.length} characters; at most ${maxTemplateLength} are allowed`);
  }
  return new UriTemplate(text, parseTemplateParts(text), maxUriLength);
}

/**
 * A parsed template. Matching undoes expansion, for templates in which every expression but one is followed (or, behind
 * that one, preceded) by a character that its own expansion cannot contain:
 *
 * - `{name}` is one or more characters and never crosses `/`, `?` or `#`; `{+path}` and `{#part}` cross anything.
 * - `{.x}`, `{/x}`, `{;x}`, `{?x}`, `{&x}` and `{#x}` may be missing. Of several variables in `{a,b}` or `{/a,b}` the last
 *   may be; in `{;a,b}`, `{?a,b}` and `{&a,b}` any may be, in any order, but no other name may come.
 * - `{x*}` yields a list and stands last in its expression unless that is named; any other variable yields a string,
 *   and `{x:3}` one of three characters at most. Values are percent-decoded.
 * - Not matchable: a variable that occurs twice, and `{+a,b}`, `{#a,b}` and `{.a,b}` with lists or several variables.
 */
export class UriTemplate {
  readonly text: string;
  /** The names of the variables, each once, in the order they come. */
  readonly variables: readonly string[];
  readonly #parts: TemplateParts;
  readonly #maxUriLength: number;
  #plan: MatchPlan | undefined;

  /** Use `parseTemplate`. */
  constructor(text: string, parts: TemplateParts, maxUriLength: number) {
    this.text = text;
    this.#parts = parts;
    this.#maxUriLength = maxUriLength;
    const specs = parts.steps.flatMap(({ expression }) => expression.variables);
    this.variables = [...new Set(specs.map(({ name }) => name))];
  }

  /** @throws SdkError `invalid-argument` for text that is no Unicode, and for a prefix of what is no string */
  expand(variables: TemplateVariables): string {
    return expandTemplate(this.#parts, variables);
  }

  /** @throws SdkError `invalid-argument` for a template whose variables cannot always be told apart */
  assertMatchable(): void {
    this.#matchPlan();
  }

  /**
   * The variables of a URI made from this template, in time linear in its length; `undefined` if it is not one.
   * @throws SdkError `invalid-argument` where `assertMatchable` does
   */
  match(uri: string): TemplateMatch | undefined {
    const plan = this.#matchPlan();
    return uri.length > this.#maxUriLength ? undefined : matchUri(plan, uri);
  }

  #matchPlan(): MatchPlan {
    this.#plan ??= planMatch(this.#parts, this.text);
    return this.#plan;
  }
}
