/**
 * One field of a form, in the part of JSON Schema that the protocol has for it. Keywords that merely narrow a field
 * further (`pattern`, `multipleOf`, other formats) are left out: the answer is checked against the whole schema.
 */
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { type Choice, choiceItems, choicesOf, singleChoice } from "./form-choices.js";
import { formRefusal } from "./form-refusal.js";

/** Keywords by which a schema points to others instead of saying what it takes. */
export const referenceKeywords: readonly string[] = ["$ref", "$dynamicRef", "$recursiveRef"];

const formats: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** @throws SdkError `invalid-argument` for what no field of a form can be */
export function formField(name: string, schema: unknown): JsonObject {
  if (!isJsonObject(schema)) throw untyped(name);
  refuseComposition(name, schema);
  const choices = choicesOf(schema);
  const field = choices === undefined ? plainField(name, schema) : choiceField(name, schema, choices);
  if (schema.default !== undefined) field.default = schema.default;
  return field;
}

function refuseComposition(name: string, schema: JsonObject): void {
  if (referenceKeywords.some((keyword) => schema[keyword] !== undefined)) {
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
  // A second pattern beside the first has no other place to be.
  const keyword = ["allOf", "not", "if"].find(
    (key) => schema[key] !== undefined && !(key === "allOf" && isPatternList(allOf)),
  );
  if (keyword !== undefined) throw formRefusal([name], `a form has no "${keyword}"`);
}

function isPatternList(parts: unknown): boolean {
  return Array.isArray(parts) && parts.every((part) => isJsonObject(part) && Object.keys(part).join() === "pattern");
}

function choiceField(name: string, schema: JsonObject, choices: readonly Choice[]): JsonObject {
  // A constant that is a boolean, such as consent that must be given, narrows a box to tick.
  if (choices.length > 0 && choices.every(({ value }) => typeof value === "boolean")) return typed("boolean", schema);
  const { enumNames } = schema;
  if (enumNames === undefined) return { ...typed("string", schema), ...singleChoice(choices, name) };
  const isFit = Array.isArray(enumNames) && enumNames.every((label) => typeof label === "string");
  if (!isFit || enumNames.length !== choices.length || !Array.isArray(schema.enum)) {
    throw formRefusal([name], '"enumNames" must be a list of strings, one for each value of "enum"');
  }
  singleChoice(choices, name);
  return { ...typed("string", schema), enum: schema.enum, enumNames };
}

function plainField(name: string, schema: JsonObject): JsonObject {
  const { type } = schema;
  switch (type) {
    case "string":
      return {
        ...typed(type, schema),
        ...numbersAmong(schema, "minLength", "maxLength"),
        ...(formats.has(schema.format) && { format: schema.format }),
      };
    case "number":
    case "integer":
      return { ...typed(type, schema), ...bounds(schema) };
    case "boolean":
      return typed(type, schema);
    case "array":
      return {
        ...typed(type, schema),
        ...numbersAmong(schema, "minItems", "maxItems"),
        items: choiceItems(itemChoices(name, schema), name),
      };
    case "object":
      throw formRefusal([name], "a form has no nested objects");
    default:
      throw untyped(name);
  }
}

function itemChoices(name: string, { items, prefixItems }: JsonObject): readonly Choice[] {
  if (prefixItems !== undefined || Array.isArray(items)) throw formRefusal([name], "a form has no tuples");
  if (isJsonObject(items) && items.type === "object") throw formRefusal([name], "a form has no arrays of objects");
  const choices = isJsonObject(items) ? choicesOf(items) : undefined;
  if (choices !== undefined) return choices;
  throw formRefusal([name], "a form's arrays are choices of several: their items must be an enum of strings");
}

function typed(type: string, { title, description }: JsonObject): JsonObject {
  return {
    type,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
  };
}

function numbersAmong(schema: JsonObject, ...keywords: string[]): JsonObject {
  return Object.fromEntries(keywords.filter((key) => typeof schema[key] === "number").map((key) => [key, schema[key]]));
}

/** A form has no exclusive bounds: between whole numbers there is the next one, else the bound itself has to do. */
function bounds({ type, ...schema }: JsonObject): JsonObject {
  const isWhole = type === "integer";
  const above = numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY);
  const below = numberOr(schema.exclusiveMaximum, Number.POSITIVE_INFINITY);
  const minimum = Math.max(numberOr(schema.minimum, Number.NEGATIVE_INFINITY), isWhole ? Math.floor(above) + 1 : above);
  const maximum = Math.min(numberOr(schema.maximum, Number.POSITIVE_INFINITY), isWhole ? Math.ceil(below) - 1 : below);
  // Libraries put the range of their number type beside every integer; it tells a user nothing.
  return {
    ...(minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function untyped(name: string): Error {
  return formRefusal(
    [name],
    "a field needs a type: string, number, integer, boolean, or array for a choice of several",
  );
}
