/** The checker's validator: cases of its own, and the official suite where it lies beside the checkout. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SchemaNotUnderstood, schemaFault } from "./json-schema.js";

const SUITE = new URL("../../../../../shared/reference/json-schema-suite/tests/draft2020-12/", import.meta.url);

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** Whether the validator accepts, or `undefined` if it does not understand the schema. */
function accepts(schema: unknown, value: unknown): boolean | undefined {
  try {
    return schemaFault(schema, value) === undefined;
  } catch (error) {
    if (error instanceof SchemaNotUnderstood) return undefined;
    throw error;
  }
}

test.each([
  [{ type: "object", required: ["a"] }, {}, "the value lacks a"],
  [{ properties: { a: { items: { type: "string" } } } }, { a: ["x", 1] }, ".a[1] is no string"],
  [{ $defs: { even: { multipleOf: 2 } }, $ref: "#/$defs/even" }, 3, "the value is no multiple of 2"],
  [{ additionalProperties: false, properties: { a: true } }, { b: 1 }, ".b is not allowed"],
  [{ oneOf: [{ type: "string" }, { const: "x" }] }, "x", "the value fails oneOf"],
  [{ if: { type: "string" }, else: { minimum: 2 } }, 1, "the value is out of range"],
])("%j tells what is wrong with %j", (schema, value, fault) => {
  expect(schemaFault(schema, value)).toBe(fault);
});

test.each([
  [{ $ref: "https://example.com/schema" }],
  [{ unevaluatedProperties: false }],
  [{ items: [{ type: "string" }] }],
  [{ $schema: "http://json-schema.org/draft-04/schema#" }],
  [{ $ref: "#" }],
])("%j is not decided", (schema) => {
  expect(() => schemaFault(schema, [1])).toThrow(SchemaNotUnderstood);
});

const files = existsSync(SUITE) ? readdirSync(SUITE).filter((file) => file.endsWith(".json")) : [];
const cases = files.flatMap((file) =>
  (JSON.parse(readFileSync(new URL(file, SUITE), "utf8")) as Group[]).flatMap(({ description, schema, tests }) =>
    tests.map((one) => ({ ...one, schema, name: `${file} ${description}: ${one.description}` })),
  ),
);

test("no case of the official suite is decided wrongly", () => {
  const wrong = cases.filter(({ schema, data, valid }) => accepts(schema, data) === !valid);

  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("seven of ten cases of the official suite are decided, where it is present", () => {
  const decided = cases.filter(({ schema, data }) => accepts(schema, data) !== undefined);

  expect(cases.length > 0).toBe(existsSync(SUITE));
  expect(decided.length).toBeGreaterThanOrEqual(0.7 * cases.length);
});

test("a pattern without an end is not decided", () => {
  const schema = { type: "string", pattern: "^(a+)+$" };

  expect(() => schemaFault(schema, `${"a".repeat(64)}!`)).toThrow("it takes too long");
});
