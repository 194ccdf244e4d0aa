/**
 * RFC 6570 URI templates up to level 4: expansion and matching. A template that a URI could match in several ways is refused. Servers
 * only match, so the bundle of a server has no code for the expansion.
 */
import { SdkError } from "../errors/sdk-error.js";
import { expandParts, type TemplateValues } from "./expand.js";
import { type MatchedVariables, matchParts, mayCross } from "./match.js";
import { type Part, parseParts } from "./parse-parts.js";

/** Matches URIs against a parsed template. `parseMatcher` makes one. */
export class UriMatcher {
  /** The template as it was parsed. */
  readonly text: string;
  /** The names of the variables, in order. */
  readonly variables: readonly string[];
  readonly #parts: readonly Part[];

  constructor(text: string, parts: readonly Part[]) {
    this.text = text;
    this.#parts = parts;
    this.variables = variablesOf(parts);
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

  /**
   * Returns the decoded variables of a URI that matches this template; undefined for any other URI. The value of `{a}` contains
   * no `/`, `?` or `#`; that of `{+a}` may. A variable ends at the first occurrence of the next part of the template. The parts
   * after `{+a}` are read from the right, so that `{+a}` is as long as possible.
   */
  match(uri: string): MatchedVariables | undefined {
    return matchParts(this.#parts, uri);
  }
}

/** A parsed URI template of RFC 6570. `parseTemplate` makes one. */
export class UriTemplate extends UriMatcher {
  readonly #parts: readonly Part[];

  constructor(text: string, parts: readonly Part[]) {
    super(text, parts);
    this.#parts = parts;
  }

  /** The URI for these values. Values are percent-encoded. */
  expand(values: TemplateValues): string {
    return expandParts(this.#parts, values);
  }
}

/**
 * Parses a URI template, to expand it or to match URIs against it.
 * @throws {SdkError} `invalid-argument` for invalid syntax, and for templates that a URI could match in several ways.
 *
 * @example
 * const uri = parseTemplate("notes://{day}").expand({ day: "monday" });
 */
export function parseTemplate(text: string): UriTemplate {
  return new UriTemplate(text, parseMatchable(text));
}

/** `parseTemplate` without the expansion. @throws {SdkError} `invalid-argument`, as above. */
export function parseMatcher(text: string): UriMatcher {
  return new UriMatcher(text, parseMatchable(text));
}

function variablesOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => (part.kind === "literal" ? [] : part.variables.map(({ name }) => name)));
}

function parseMatchable(text: string): readonly Part[] {
  const parts = parseParts(text);
  const variables = variablesOf(parts);
  const repeated = variables.find((name, index) => variables.indexOf(name) !== index);
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
  return parts;
}

function unmatchable(text: string, complaint: string): SdkError {
  return new SdkError("invalid-argument", `URI template "${text}" cannot be matched: ${complaint}`);
}
