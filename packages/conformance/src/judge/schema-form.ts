/**
 * Whether a value is a JSON Schema: the forms of its keywords, by the vocabularies of 2020-12. Schemas of other dialects are not
 * judged. Unknown keywords are allowed.
 */
import { isObject, type JsonObject } from "../wire/json-rpc.js";

const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];
const MAX_SCHEMAS = 20_000;
const MAX_DEPTH = 200;

type Form = (value: unknown) => boolean;

const isNumber: Form = (value) => typeof value === "number";
const isCount: Form = (value) => Number.isInteger(value) && Number(value) >= 0;
const isText: Form = (value) => typeof value === "string";
const isFlag: Form = (value) => typeof value === "boolean";
const isNames: Form = (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

const FORMS: Readonly<Record<string, Form>> = {
  type: (value) =>
    TYPES.includes(String(value)) || (isNames(value) && (value as string[]).every((name) => TYPES.includes(name))),
  enum: Array.isArray,
  required: isNames,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => typeof value === "number" && value > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  uniqueItems: isFlag,
  pattern: isText,
  format: isText,
  title: isText,
  description: isText,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  examples: Array.isArray,
  $ref: isText,
  $id: isText,
};

/** Keywords that hold one schema, a list of schemas, or a map of schemas. */
const SCHEMAS = [
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "if",
  "then",
  "else",
  "not",
];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "dependentSchemas", "$defs"];

/** The first keyword that is no schema of 2020-12, with its place. `undefined` for a schema without fault, or of another dialect. */
export function schemaFormFault(schema: unknown): string | undefined {
  const dialect = isObject(schema) ? schema.$schema : undefined;
  if (dialect !== undefined && !DIALECT.test(String(dialect))) return undefined;
  let left = MAX_SCHEMAS;
  const faultOf = (value: unknown, at: string, depth: number): string | undefined => {
    left -= 1;
    if (left < 0 || depth > MAX_DEPTH || typeof value === "boolean") return undefined;
    if (!isObject(value)) return `${at || "the schema"} is no schema`;
    const odd = Object.keys(FORMS).find((keyword) => keyword in value && !FORMS[keyword]?.(value[keyword]));
    if (odd !== undefined) return `${at}/${odd}`;
    for (const [place, inner] of innerSchemas(value)) {
      const fault = inner === undefined ? `${at}/${place}` : faultOf(inner, `${at}/${place}`, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return faultOf(schema, "", 0);
}

/** The schemas inside of one, by their places. A list or map that is none has the schema `undefined`. */
function innerSchemas(schema: JsonObject): [place: string, inner: unknown][] {
  const single = SCHEMAS.filter((keyword) => keyword in schema).map((keyword): [string, unknown] => [
    keyword,
    schema[keyword],
  ]);
  const listed = LISTS.filter((keyword) => keyword in schema).flatMap((keyword): [string, unknown][] => {
    const list = schema[keyword];
    if (!Array.isArray(list) || list.length === 0) return [[keyword, undefined]];
    return list.map((inner, index) => [`${keyword}/${index}`, inner]);
  });
  const mapped = MAPS.filter((keyword) => keyword in schema).flatMap((keyword): [string, unknown][] => {
    const map = schema[keyword];
    if (!isObject(map)) return [[keyword, undefined]];
    return Object.entries(map).map(([name, inner]) => [`${keyword}/${name}`, inner]);
  });
  return [...single, ...listed, ...mapped];
}
