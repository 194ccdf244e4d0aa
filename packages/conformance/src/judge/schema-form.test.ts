import { expect, test } from "vitest";
import { schemaFormFault } from "./schema-form.js";

test.each([
  [{}],
  [true],
  [{ type: ["string", "null"], enum: [], "x-mcp-header": 1, pattern: "(" }],
  [{ type: "object", properties: { a: { $ref: "#/$defs/a" }, b: false }, $defs: { a: { items: true } } }],
  [{ allOf: [{ not: { minimum: 1 } }], prefixItems: [{}], required: ["a", "b"], multipleOf: 0.5 }],
  [{ $schema: "http://json-schema.org/draft-07/schema#", items: [{}], type: "any" }],
])("%j is a schema, or of another dialect", (schema) => {
  expect(schemaFormFault(schema)).toBe(undefined);
});

test.each([
  [7, "the schema is no schema"],
  [{ type: "any" }, "/type"],
  [{ type: ["string", "string"] }, "/type"],
  [{ properties: { a: { type: "text" } } }, "/properties/a/type"],
  [{ properties: { a: "string" } }, "/properties/a is no schema"],
  [{ properties: [] }, "/properties"],
  [{ required: "a" }, "/required"],
  [{ required: ["a", "a"] }, "/required"],
  [{ anyOf: [] }, "/anyOf"],
  [{ anyOf: [{ minimum: "1" }] }, "/anyOf/0/minimum"],
  [{ items: [{}] }, "/items is no schema"],
  [{ $schema: "https://json-schema.org/draft/2020-12/schema", minLength: -1 }, "/minLength"],
  [{ multipleOf: 0 }, "/multipleOf"],
])("%j is no schema: %s", (schema, fault) => {
  expect(schemaFormFault(schema)).toBe(fault);
});

test("a schema without bound is left at its bound", () => {
  let deep: object = { type: "any" };
  for (let depth = 0; depth < 5000; depth += 1) deep = { items: deep };
  const wide = { properties: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, {}])) };

  expect(schemaFormFault(deep)).toBe(undefined);
  expect(schemaFormFault({ ...wide, not: {} })).toBe(undefined);
});
