/** The variables of a URI template: their types, inferred from the text of the template, and their values in a URI. */
import { isAbsolutePath, isUnsafeInPath } from "../protocol/path-safety.js";
import type { MatchedVariables } from "../uri-template/match.js";
import type { UriMatcher } from "../uri-template/uri-template.js";

/** The decoded values of a template's variables in a URI. */
export type TemplateVariables = { readonly [name: string]: string | string[] | undefined };

/** The types of a template's variables; any names if the text is not a literal type. */
export type VariablesOf<Template extends string> = string extends Template ? TemplateVariables : Named<Template>;

type Named<Template extends string> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? Expressed<Expression> & Named<Rest>
  : unknown;

/** Variables are optional in expressions that expand to nothing without them. In others, all but the first are optional. */
type Expressed<Expression extends string> = Expression extends `${"?" | "&" | ";" | "/" | "." | "#"}${infer List}`
  ? Listed<List, undefined>
  : Expression extends `+${infer List}`
    ? Listed<List, never>
    : Listed<Expression, never>;

type Listed<List extends string, Absent> = List extends `${infer First},${infer Rest}`
  ? Variable<First, Absent> & Listed<Rest, undefined>
  : Variable<List, Absent>;

type Variable<Text extends string, Absent> = Text extends `${infer Name}*`
  ? { readonly [Key in Name]: string[] | Absent }
  : Text extends `${infer Name}:${string}`
    ? { readonly [Key in Name]: string | Absent }
    : { readonly [Key in Text]: string | Absent };

/** The parts of a registered template that decide which URIs match. */
export interface MatchableTemplate {
  readonly template: UriMatcher;
  /** Whether values may be unsafe in a file path, such as `..` segments. */
  readonly acceptsUnsafeValues: boolean;
}

/** The variables of a URI that matches the template with safe values; undefined for any other. */
export function matchTemplate(
  { template, acceptsUnsafeValues }: MatchableTemplate,
  uri: string,
): MatchedVariables | undefined {
  const variables = template.match(uri);
  return variables && (acceptsUnsafeValues || areSafe(template, variables)) ? variables : undefined;
}

function areSafe(template: UriMatcher, variables: MatchedVariables): boolean {
  return Object.entries(variables).every(([name, value]) => {
    // A handler may join a list to a path: ["", "etc"] becomes "/etc".
    const texts = typeof value === "string" ? [value] : [...value, value.join("/")];
    if (texts.some(isUnsafeInPath)) return false;
    return !(texts.some(isAbsolutePath) && template.isInPath(name));
  });
}
