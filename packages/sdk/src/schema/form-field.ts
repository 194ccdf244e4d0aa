/**
 * One field of a form. Its keywords are sent as written, so that a client can show and check all of them. Only choices are
 * rewritten to the form that the protocol defines. A field that the protocol excludes is refused.
 */

import { REFERENCE_KEYWORDS } from "../json-schema/index.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { type Choice, choiceItems, choicesOf, formRefusal, singleChoice } from "./form-choices.js";

const FORMAT_NAMES = "email, uri, date and date-time";
const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** @throws SdkError `invalid-argument` for a schema that no field of a form can have */
export function formField(name: string, schema: unknown): JsonObject {
  if (!isJsonObject(schema)) throw untyped(name);
  refuseComposition(name, schema);
  const choices = choicesOf(schema);
  return choices === undefined ? plainField(name, schema) : choiceField(name, schema, choices);
}

function refuseComposition(name: string, schema: JsonObject): void {
  if (REFERENCE_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) {
    throw formRefusal([name], "a form has no references; write the field out in its place");
  }
  const { type, anyOf, oneOf, allOf } = schema;
  const parts = [schema, ...[anyOf, oneOf].flat().filter(isJsonObject)];
  if (parts.some((part) => [part.type].flat().includes("null"))) {
    throw formRefusal([name], "a form has no nullable fields; make it optional instead");
  }
  const isUnion = Array.isArray(type) || anyOf !== undefined || oneOf !== undefined;
  if (isUnion && choicesOf(schema) === undefined) {
    throw formRefusal([name], "a form has no unions, except of string constants");
  }
  // Libraries write a second pattern as `allOf`.
  const keyword = ["allOf", "not", "if"].find(
    (key) => schema[key] !== undefined && !(key === "allOf" && isPatternList(allOf)),
  );
  if (keyword !== undefined) throw formRefusal([name], `a form has no "${keyword}"`);
}

function isPatternList(parts: unknown): boolean {
  return Array.isArray(parts) && parts.every((part) => isJsonObject(part) && Object.keys(part).join() === "pattern");
}

function choiceField(name: string, schema: JsonObject, choices: readonly Choice[]): JsonObject {
  const { type, const: constant, enum: values, oneOf, anyOf, enumNames, ...others } = schema;
  // A boolean constant, such as required consent, is a checkbox with one valid value.
  if (choices.length > 0 && choices.every(({ value }) => typeof value === "boolean")) {
    const [first] = choices;
    const isConstant = choices.every(({ value }) => value === first?.value);
    return { type: "boolean", ...others, ...(isConstant && { const: first?.value }) };
  }
  if (enumNames === undefined) return { type: "string", ...others, ...singleChoice(choices, name) };
  const isFit = Array.isArray(enumNames) && enumNames.every((label) => typeof label === "string");
  if (!isFit || enumNames.length !== choices.length || !Array.isArray(values)) {
    throw formRefusal([name], '"enumNames" must be a list of strings, one for each value of "enum"');
  }
  singleChoice(choices, name);
  return { type: "string", ...others, enum: values, enumNames };
}

function plainField(name: string, schema: JsonObject): JsonObject {
  switch (schema.type) {
    case "string":
      return textField(name, schema);
    case "number":
    case "integer":
      return numberField(schema);
    case "boolean":
      return { ...schema };
    case "array":
      return { ...schema, items: choiceItems(itemChoices(name, schema), name) };
    case "object":
      throw formRefusal([name], "a form has no nested objects");
    default:
      throw untyped(name);
  }
}

/** The protocol has four formats. Other formats are dropped if the library wrote a pattern beside them. */
function textField(name: string, schema: JsonObject): JsonObject {
  const { format, ...others } = schema;
  if (format === undefined || FORMATS.has(format)) return { ...schema };
  if (typeof schema.pattern === "string" || isPatternList(schema.allOf)) return others;
  throw formRefusal([name], `a form has no format ${JSON.stringify(format)}; use a pattern, or one of ${FORMAT_NAMES}`);
}

function itemChoices(name: string, { items, prefixItems }: JsonObject): readonly Choice[] {
  if (prefixItems !== undefined || Array.isArray(items)) throw formRefusal([name], "a form has no tuples");
  if (isJsonObject(items) && items.type === "object") throw formRefusal([name], "a form has no arrays of objects");
  const choices = isJsonObject(items) ? choicesOf(items) : undefined;
  if (choices !== undefined) return choices;
  throw formRefusal([name], "a form's arrays are choices of several: their items must be an enum of strings");
}

/**
 * A number with `minimum` and `maximum`, which every client knows. Exclusive bounds of integers become the next integer.
 * Other exclusive bounds stay beside `minimum` and `maximum`.
 */
function numberField(schema: JsonObject): JsonObject {
  const { minimum: from, maximum: to, exclusiveMinimum, exclusiveMaximum, ...others } = schema;
  const isWhole = schema.type === "integer";
  const above = numberOr(exclusiveMinimum, Number.NEGATIVE_INFINITY);
  const below = numberOr(exclusiveMaximum, Number.POSITIVE_INFINITY);
  const minimum = Math.max(numberOr(from, Number.NEGATIVE_INFINITY), isWhole ? Math.floor(above) + 1 : above);
  const maximum = Math.min(numberOr(to, Number.POSITIVE_INFINITY), isWhole ? Math.ceil(below) - 1 : below);
  // Libraries write the range of safe integers, which tells a user nothing.
  return {
    ...others,
    ...(minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    ...(exclusiveMinimum !== undefined && !isWhole && { exclusiveMinimum }),
    ...(exclusiveMaximum !== undefined && !isWhole && { exclusiveMaximum }),
  };
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

function untyped(name: string): Error {
  return formRefusal(
    [name],
    "a field needs a type: string, number, integer, boolean, or array for a choice of several",
  );
}
