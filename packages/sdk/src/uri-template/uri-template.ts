/**
 * RFC 6570 URI templates up to level 4: expansion and matching. `parseTemplate` refuses a template that a URI could match in
 * several ways.
 */
import { SdkError } from "../errors/sdk-error.js";
import { expandParts, type TemplateValues } from "./expand.js";
import { type MatchedVariables, matchParts, mayCross } from "./match.js";
import { type Part, parseParts } from "./parse-parts.js";

export class UriTemplate {
  readonly text: string;
  /** The names of the variables, in order. */
  readonly variables: readonly string[];
  readonly #parts: readonly Part[];

  constructor(text: string, parts: readonly Part[]) {
    this.text = text;
    this.#parts = parts;
    this.variables = parts.flatMap((part) => (part.kind === "literal" ? [] : part.variables.map(({ name }) => name)));
  }

  /** Whether a variable is in the path of the URI, rather than in its query or fragment. */
  isInPath(name: string): boolean {
    return this.#parts.some(
      (part) =>
        part.kind === "expression" &&
        part.operator.isInPath &&
        part.variables.some((variable) => variable.name === name),
    );
  }

  expand(values: TemplateValues): string {
    return expandParts(this.#parts, values);
  }

  /**
   * Returns the decoded variables of a URI that matches this template; undefined for any other URI. The value of `{a}` contains
   * no `/`, `?` or `#`; that of `{+a}` may. A variable ends at the first occurrence of the next part of the template. The parts
   * after `{+a}` are read from the right, so that `{+a}` is as long as possible.
   */
  match(uri: string): MatchedVariables | undefined {
    return matchParts(this.#parts, uri);
  }
}

/** @throws {SdkError} `invalid-argument` for invalid syntax, and for templates that a URI could match in several ways. */
export function parseTemplate(text: string): UriTemplate {
  const parts = parseParts(text);
  const template = new UriTemplate(text, parts);
  const repeated = template.variables.find((name, index) => template.variables.indexOf(name) !== index);
  if (repeated !== undefined) throw unmatchable(text, `"${repeated}" stands twice`);
  if (parts.filter(mayCross).length > 1) throw unmatchable(text, "only one variable may be of the kind {+name}");
  for (const [index, part] of parts.entries()) {
    if (part.kind === "literal") continue;
    if (mayCross(part) && part.variables.length > 1) {
      throw unmatchable(text, "an expression of the kind {+name} must have one variable");
    }
    const before = parts[index - 1];
    if (before?.kind === "expression" && part.operator.first === "") {
      throw unmatchable(text, "two variables follow one another without anything between them");
    }
    const exploded = part.variables.findIndex((variable) => variable.isExploded);
    if (!part.operator.isNamed && exploded >= 0 && exploded < part.variables.length - 1) {
      throw unmatchable(text, "an exploded variable must be the last of its expression");
    }
  }
  return template;
}

function unmatchable(text: string, complaint: string): SdkError {
  return new SdkError("invalid-argument", `URI template "${text}" cannot be matched: ${complaint}`);
}
