/** The variables of a URI template, typed by its text where the compiler knows that. Nothing here exists at run time. */

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
