/** Expansion of URI templates: values in, URI out. */
import { SdkError } from "../errors/sdk-error.js";
import type { Expression, Operator, TemplateParts, VariableSpec } from "./template-syntax.js";

type Scalar = string | number | boolean;

/** A value for a variable. `undefined`, `null` and empty lists count as not given. */
export type TemplateValue = Scalar | readonly Scalar[] | { readonly [key: string]: Scalar } | null | undefined;

export type TemplateVariables = Readonly<Record<string, TemplateValue>>;

/** @throws SdkError `invalid-argument` for text that is no Unicode, and for a prefix of what is no string */
export function expandTemplate({ prefix, steps }: TemplateParts, variables: TemplateVariables): string {
  const expanded = steps.map(({ expression, literal }) => expandExpression(expression, variables) + encode(literal, true));
  return encode(prefix, true) + expanded.join("");
}

/** Text as it stands in a URI; with `allowsReserved`, characters with a meaning in URIs and `%41` stay as they are. */
export function encode(text: string, allowsReserved: boolean): string {
  try {
    if (allowsReserved) {
      const encoded = encodeURI(text).replaceAll("%5B", "[").replaceAll("%5D", "]");
      return encoded.replace(/%25([0-9A-Fa-f]{2})/g, "%$1");
    }
    return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  } catch (cause) {
    throw new SdkError("invalid-argument", "A URI cannot hold text that is no valid Unicode", { cause });
  }
}

function expandExpression({ operator, variables: specs }: Expression, variables: TemplateVariables): string {
  const expanded: string[] = [];
  for (const spec of specs) {
    const value = Object.hasOwn(variables, spec.name) ? variables[spec.name] : undefined;
    if (value === undefined || value === null) continue;
    if (typeof value !== "object") {
      const prefix = spec.maxLength === Number.POSITIVE_INFINITY ? value : [...String(value)].slice(0, spec.maxLength).join("");
      expanded.push(named(spec.name, encode(String(prefix), operator.allowsReserved), operator));
    } else {
      const text = expandComposite(spec, value, operator);
      if (text !== undefined) expanded.push(text);
    }
  }
  return expanded.length === 0 ? "" : operator.first + expanded.join(operator.separator);
}

function expandComposite(
  { name, isExploded, maxLength }: VariableSpec,
  value: Exclude<TemplateValue, Scalar | null | undefined>,
  operator: Operator,
): string | undefined {
  if (maxLength !== Number.POSITIVE_INFINITY) {
    throw new SdkError("invalid-argument", `URI template variable "${name}": a list or map has no prefix`);
  }
  const write = (scalar: Scalar): string => encode(String(scalar), operator.allowsReserved);
  const entries = Object.entries(value).map(([key, item]) => [write(key), write(item)] as const);
  if (entries.length === 0) return undefined;
  const isList = Array.isArray(value);
  if (!isExploded) {
    const joined = entries.map(([key, item]) => (isList ? item : `${key},${item}`)).join(",");
    return named(name, joined, operator);
  }
  return entries
    .map(([key, item]) => (isList ? named(name, item, operator) : pair(key, item, operator)))
    .join(operator.separator);
}

function named(name: string, value: string, operator: Operator): string {
  return operator.isNamed ? pair(name, value, operator) : value;
}

function pair(name: string, value: string, operator: Operator): string {
  if (value === "" && operator.isNamed) return name + operator.ifEmpty;
  return `${name}=${value}`;
}
