/** Random JSON Schemas and values that have a chance to fit them. */
import type { Random } from "./random.js";

type Schema = Record<string, unknown> | boolean;

const SCALARS: readonly unknown[] = [null, true, false, "", "a", "ab", "b1", "😀", 0, 1, 2, -1, 2.5, -0.5, 3];
const NAMES: readonly string[] = ["a", "b", "ab", "c"];
const SINCE_2019: readonly string[] = ["2019-09", "2020-12"];

export function randomValue(random: Random, depth: number): unknown {
  const kind = depth === 0 ? 0 : random.below(4);
  if (kind < 2) return random.pick(SCALARS);
  if (kind === 2) return random.list(0, 4, () => randomValue(random, depth - 1));
  return Object.fromEntries(random.list(0, 4, () => [random.pick(NAMES), randomValue(random, depth - 1)] as const));
}

/** A schema of the dialect, with definitions that it may refer to. */
export function randomSchema(random: Random, dialect: string): Record<string, unknown> {
  const definitions = {
    s: { type: "string" },
    t: { properties: { a: { type: "integer" } }, items: { $ref: "#/definitions/s" } },
    u: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/definitions/u" } }] },
  };
  return { ...schemaOf(random, dialect, 3), definitions };
}

function schemaOf(random: Random, dialect: string, depth: number): Record<string, unknown> {
  const keywords = Object.entries({ ...plain(random), ...(depth > 0 && nested(random, dialect, depth - 1)) });
  return Object.fromEntries(random.list(0, 4, () => random.pick(keywords)).map(([name, make]) => [name, make()]));
}

function anySchema(random: Random, dialect: string, depth: number): Schema {
  return random.oneIn(6) ? random.oneIn(2) : schemaOf(random, dialect, depth);
}

type Keywords = Readonly<Record<string, () => unknown>>;

function plain(random: Random): Keywords {
  const small = () => random.between(-2, 2);
  const count = () => random.below(3);
  const constant = () => random.pick([...SCALARS, [1], { a: 1 }, [], {}]);
  const type = () => random.pick(["string", "number", "integer", "object", "array", "boolean", "null"]);
  return {
    type: () => (random.oneIn(3) ? [...new Set([type(), type()])] : type()),
    enum: () => [constant(), constant()].slice(0, random.between(1, 2)),
    const: constant,
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    exclusiveMaximum: small,
    multipleOf: () => random.pick([0.5, 1, 2, 0.1]),
    minLength: count,
    maxLength: count,
    pattern: () => random.pick(["^a", "b$", "\\d", "^(a|b)*$", "^[a-z]+[0-9]*$", "^.{2}$", "\\p{L}"]),
    minItems: count,
    maxItems: count,
    uniqueItems: () => random.oneIn(2),
    required: () => random.pick([["a"], ["a", "b"], []]),
    minProperties: count,
    maxProperties: count,
    propertyNames: () => random.pick([{ maxLength: 1 }, { const: "a" }, { pattern: "^a" }, false]),
    $ref: () => random.pick(["#/definitions/s", "#/definitions/t", "#/definitions/u"]),
  };
}

function nested(random: Random, dialect: string, depth: number): Keywords {
  const any = () => anySchema(random, dialect, depth);
  const list = () => random.list(1, 3, any);
  const members = (...names: string[]) => Object.fromEntries(random.list(1, 2, () => [random.pick(names), any()]));
  return {
    properties: () => members("a", "b", "ab"),
    patternProperties: () => members("^a", "b$"),
    additionalProperties: any,
    contains: any,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: any,
    if: any,
    [THEN]: any,
    else: any,
    ...(dialect === "2020-12"
      ? { prefixItems: list, items: any }
      : { items: () => (random.oneIn(2) ? list() : any()), additionalItems: any }),
    ...(SINCE_2019.includes(dialect)
      ? {
          minContains: () => random.below(3),
          maxContains: () => random.below(3),
          dependentRequired: () => random.pick([{ a: ["b"] }, { b: ["a", "c"] }]),
          dependentSchemas: () => members("a", "b"),
          unevaluatedProperties: any,
          unevaluatedItems: any,
        }
      : { dependencies: () => ({ ...members("a"), b: random.pick([["a"], ["a", "c"]]) }) }),
  };
}

/** As a plain key it would make an object look like a promise to a reader. */
const THEN = "then";
