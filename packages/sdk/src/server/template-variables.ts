/** The variables of a URI template: their types, read from the text of the template, and their values in a URI. */
import { isUnsafeInPath, leadsElsewhere } from "../protocol/path-safety.js";
import type { MatchedVariables } from "../uri-template/match.js";
import type { UriTemplate } from "../uri-template/uri-template.js";

/** The variables of a template as they stood in the URI, decoded. */
export type TemplateVariables = { readonly [name: string]: string | string[] | undefined };

/** The variables that the text of a template names; any names where the text is not a literal. */
export type VariablesOf<Template extends string> = string extends Template ? TemplateVariables : Named<Template>;

type Named<Template extends string> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? Expressed<Expression> & Named<Rest>
  : unknown;

/** Variables of an expression that leaves no trace if they are absent may be missing, and so may all but the first. */
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

/** The parts of a registered template that decide which URIs it serves. */
export interface MatchableTemplate {
  readonly template: UriTemplate;
  /** Whether values may hold `..` segments and the like. */
  readonly acceptsUnsafeValues: boolean;
}

/** The variables of a URI that fits the template and is safe to serve; undefined for any other. */
export function matchTemplate(
  { template, acceptsUnsafeValues }: MatchableTemplate,
  uri: string,
): MatchedVariables | undefined {
  const variables = template.match(uri);
  return variables && (acceptsUnsafeValues || areSafe(template, variables)) ? variables : undefined;
}

function areSafe(template: UriTemplate, variables: MatchedVariables): boolean {
  return Object.entries(variables).every(([name, value]) => {
    // The items of a list may be joined to a path: ["", "etc"] is then "/etc".
    const texts = typeof value === "string" ? [value] : [...value, value.join("/")];
    if (texts.some(isUnsafeInPath)) return false;
    return !(texts.some(leadsElsewhere) && template.isInPath(name));
  });
}
