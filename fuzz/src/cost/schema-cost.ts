/** Schemas and values: what the compiler, the validator and its report take, keyword by keyword. */

import { compileJsonSchema, describeIssues, UnusableSchemaError } from "../../../packages/sdk/src/json-schema/index.js";
import { isJsonObject } from "../../../packages/sdk/src/runtime/json.js";
import { excessOfText } from "../../../packages/sdk/src/wire/json-limits.js";
import type { Random } from "../random.js";
import type { CostTarget } from "./cost-target.js";
import { doubles, items, jsonOf, lengthOf, members, mutatePart, object, type Part, plain, text } from "./parts.js";

interface SchemaInput {
  readonly schema: Part;
  readonly value: Part;
}

/** The longest line that a client or a server reads by default. */
const MAX_BYTES = 10 * 1024 * 1024;

/** As a plain key it would make an object look like a promise to a reader. */
const THEN = "then";

const open = plain(true);
const name = text("k%");

/** Values of every kind. */
const VALUES: readonly Part[] = [
  plain(1),
  plain(1e300),
  plain("a"),
  text("a", 50),
  items(plain(1)),
  items(text("a%")),
  items(text("a", 16_400, "", "%")),
  items(object({ a: plain(1) })),
  doubles(),
  members(name, plain(0)),
  members(text("a", 50, "", "%"), plain(0)),
  members(text("%"), plain(0)),
  items(members(name, plain(0))),
];

/** Every keyword with a cost of its own, with a schema around it and a value that it applies to. */
const KEYWORDS: Readonly<Record<string, readonly [Part, Part]>> = {
  type: [object({ type: items(plain("string")) }), plain(1)],
  const: [object({ const: text("a", 50) }), text("a", 50)],
  enum: [object({ enum: items(text("a%")) }), plain("b")],
  enumNumbers: [object({ enum: doubles() }), items(plain(1))],
  enumObjects: [object({ enum: items(members(name, plain(0))) }), members(name, plain(0))],
  multipleOf: [object({ items: object({ multipleOf: plain(1e-300) }) }), items(plain(1e300))],
  minimum: [object({ items: object({ minimum: plain(2) }) }), items(plain(1))],
  minLength: [object({ minLength: plain(60) }), text("a", 60)],
  maxLength: [object({ maxLength: plain(60) }), text("😀", 50)],
  items: [object({ items: object({ type: plain("string") }) }), items(plain(1))],
  prefixItems: [object({ prefixItems: items(open) }), items(plain(1))],
  itemsList: [object({ items: items(open), additionalItems: plain(false) }), items(plain(1))],
  contains: [object({ contains: plain(false) }), items(plain(1))],
  minContains: [object({ contains: open, minContains: plain(1e9) }), items(plain(1))],
  uniqueItems: [object({ uniqueItems: open }), doubles()],
  uniqueStrings: [object({ uniqueItems: open }), items(text("a", 16_400, "", "%"))],
  uniqueObjects: [object({ uniqueItems: open }), items(members(text("k", 1, "", "%"), plain(0)))],
  properties: [object({ properties: members(name, object({ type: plain("string") })) }), members(name, plain(0))],
  required: [object({ required: items(name) }), members(text("j%"), plain(0))],
  patternProperties: [object({ patternProperties: members(text("x%y"), open) }), members(name, plain(0))],
  additionalProperties: [object({ additionalProperties: object({ type: plain("string") }) }), members(name, plain(0))],
  propertyNames: [object({ propertyNames: object({ maxLength: plain(2) }) }), members(name, plain(0))],
  maxProperties: [object({ maxProperties: plain(1) }), members(name, plain(0))],
  minProperties: [object({ minProperties: plain(1e9) }), members(text("%"), plain(0))],
  dependentRequired: [object({ dependentRequired: members(name, items(text("j%"))) }), members(name, plain(0))],
  dependentSchemas: [object({ dependentSchemas: members(name, open) }), members(name, plain(0))],
  dependencies: [object({ dependencies: members(name, items(text("j%"))) }), members(name, plain(0))],
  allOf: [object({ allOf: items(object({ type: plain("string") })) }), plain("a")],
  anyOf: [object({ anyOf: items(object({ type: plain("string") })) }), plain(1)],
  oneOf: [object({ oneOf: items(object({ minimum: plain(2) })) }), plain(1)],
  not: [object({ not: object({ not: object({ type: plain("string") }) }) }), plain("a")],
  if: [object({ if: open, [THEN]: object({ type: plain("string") }), else: open }), plain(1)],
  unevaluatedProperties: [
    object({ allOf: items(object({ properties: members(name, open) })), unevaluatedProperties: plain(false) }),
    members(name, plain(0)),
  ],
  unevaluatedItems: [
    object({ anyOf: items(object({ contains: open })), unevaluatedItems: plain(false) }),
    items(plain(1)),
  ],
  $ref: [object({ allOf: items(object({ $ref: plain("#/$defs/k0") })), $defs: members(name, open) }), plain(1)],
  $refPointer: [object({ $ref: text("/a", 4, "#") }), plain(1)],
  $id: [object({ $defs: members(name, object({ $id: text("x%"), $ref: text("x%") })) }), plain(1)],
  $anchor: [object({ $defs: members(name, object({ $anchor: text("x%"), $ref: text("#x%") })) }), plain(1)],
  $dynamicRef: [
    object({
      $defs: members(name, object({ $id: text("x%"), $dynamicAnchor: plain("n") })),
      $dynamicAnchor: plain("n"),
      items: object({ $dynamicRef: plain("#n") }),
    }),
    items(items(plain(1))),
  ],
  $recursiveRef: [
    object({
      $schema: plain("https://json-schema.org/draft/2019-09/schema"),
      $recursiveAnchor: open,
      items: object({ $recursiveRef: plain("#") }),
    }),
    items(items(plain(1))),
  ],
  draft04: [
    object({
      $schema: plain("http://json-schema.org/draft-04/schema#"),
      definitions: members(name, object({ id: text("#x%") })),
      allOf: items(object({ $ref: text("#x%") })),
    }),
    plain(1),
  ],
  default: [object({ default: items(members(name, text("a", 9))) }), plain(1)],
};

/** Constructs of patterns, as the text that is repeated and the one around it. */
const PATTERNS: Readonly<Record<string, readonly [piece: string, before: string, after: string]>> = {
  literal: ["a", "", "b%"],
  dot: [".", "", "x%"],
  class: ["[a-z]", "^", "%$"],
  negatedClass: ["[^a]", "", "x%"],
  property: ["\\p{L}", "", "x%"],
  propertyClass: ["\\p{L}\\p{M}", "[^", "]x%"],
  escapes: ["\\W\\S\\D", "", "x%"],
  beyondAscii: ["\u4e00\u4e8c", "(?:a*b*)*", "%"],
  choice: ["a|", "^(?:", "b)*%$"],
  choiceOfMany: ["%|", "^(?:", "b)*$"],
  star: ["a*", "", "b%"],
  optional: ["a?", "^", "b%$"],
  counted: ["a{1,3}", "", "b%"],
  nestedCounts: ["(?:a{3}){3}", "", "b%"],
  groups: ["()", "", "%"],
  namedGroup: ["(?<n>a)?", "", "%"],
  nested: ["(", "", "a%".padEnd(2, ")")],
  lookahead: ["(?=a*b)", "", "x%"],
  negativeLookahead: ["(?!a)", "", "x%"],
  boundary: ["\\b\\B", "", "x%"],
  backtracking: ["(a+)+", "^", "$%"],
};

/** Formats, as the text that is repeated and the one around it. */
const FORMATS: Readonly<Record<string, readonly [piece: string, before: string, after: string]>> = {
  date: ["1", "2026-07-2", ""],
  "date-time": ["1", "2026-07-28T00:00:00.", "Z"],
  duration: ["1", "P", "D"],
  email: ["a.", "", "a@b.c"],
  hostname: ["a.", "", "a"],
  ipv4: ["1.", "", "1"],
  ipv6: ["1:", "", ":1"],
  "json-pointer": ["/~0", "", ""],
  regex: ["\\p{L}", "[", "]"],
  "relative-json-pointer": ["1", "", "/a"],
  time: ["1", "00:00:00.", "Z"],
  uri: ["%41", "a://b@[::1]:1/", "?d#e"],
  "uri-reference": ["/a", "", "?d#e"],
  "uri-template": ["{a}", "", "{b,c*}"],
  uuid: ["-", "123e4567-e89b-42d3-a456-42661417400", ""],
};

export const SCHEMA_COSTS: readonly CostTarget<SchemaInput>[] = [
  ...Object.entries(KEYWORDS).map(([keyword, [schema, value]]) =>
    costOf(`cost-keyword-${keyword}`, () => ({ schema, value })),
  ),
  ...Object.entries(PATTERNS).map(([construct, piece]) =>
    costOf(`cost-pattern-${construct}`, (random) => {
      const pattern = text(piece[0], random.between(1, 4), piece[1], piece[2]);
      const subject = random.pick([text("a", 50), text("a\u4e00", 50), text("ab", 50, "", "!")]);
      return random.pick([
        { schema: object({ pattern }), value: subject },
        { schema: object({ items: object({ pattern }) }), value: items(subject) },
        { schema: object({ anyOf: items(object({ pattern })) }), value: subject },
        { schema: object({ patternProperties: members(pattern, open) }), value: members(name, plain(0)) },
      ]);
    }),
  ),
  ...Object.entries(FORMATS).map(([format, piece]) =>
    costOf(`cost-format-${format}`, (random) => {
      const value = text(piece[0], random.between(1, 4), piece[1], piece[2]);
      const schema = object({ format: plain(format) });
      return random.pick([
        { schema, value },
        { schema: object({ items: schema }), value: items(value) },
        { schema: object({ propertyNames: schema }), value: members(value, plain(0)) },
      ]);
    }),
  ),
];

function costOf(targetName: string, seed: (random: Random) => SchemaInput): CostTarget<SchemaInput> {
  return { name: targetName, seed, mutate, bytes, prepare, show: (input) => JSON.stringify(input) };
}

function bytes({ schema, value }: SchemaInput): number {
  return lengthOf(schema) + lengthOf(value);
}

function prepare({ schema, value }: SchemaInput): (() => void) | undefined {
  if (lengthOf(schema) > MAX_BYTES || lengthOf(value) > MAX_BYTES) return undefined;
  const texts = [schema, value].map((part) => JSON.stringify(jsonOf(part)));
  if (texts.some((json) => json.length > MAX_BYTES || excessOfText(json, {}) !== undefined)) return undefined;
  // As from the wire: no string has been hashed or compared before.
  const [received, argument] = texts.map((json): unknown => JSON.parse(json));
  return () => {
    try {
      const result = compileJsonSchema(isJsonObject(received) ? received : {})(argument);
      if (!result.ok) describeIssues(result.issues, "v");
    } catch (error) {
      if (!(error instanceof UnusableSchemaError)) throw error;
    }
  };
}

function mutate(input: SchemaInput, random: Random): SchemaInput {
  const { schema, value } = input;
  const other = random.pick(Object.values(KEYWORDS));
  switch (random.below(12)) {
    case 0:
      return { schema: object({ items: schema }), value: items(value) };
    case 1:
      return { schema: object({ additionalProperties: schema }), value: members(name, value) };
    case 2:
      return {
        schema: object({ allOf: items(object({ $ref: plain("#/$defs/d") })), $defs: object({ d: schema }) }),
        value,
      };
    case 3:
      return { schema: object({ not: object({ not: schema }) }), value };
    case 4:
      return { schema: object({ anyOf: items(schema), type: plain(["object", "array", "string"]) }), value };
    case 5:
      return { schema: merged(schema, other[0]), value: random.oneIn(2) ? value : other[1] };
    case 6:
      return { schema, value: random.pick(VALUES) };
    case 7:
    case 8:
    case 9:
      return { schema: mutatePart(schema, random), value };
    default:
      return { schema, value: mutatePart(value, random) };
  }
}

function merged(one: Part, other: Part): Part {
  if (one.kind !== "object" || other.kind !== "object") return one;
  return object({ ...other.members, ...one.members });
}
