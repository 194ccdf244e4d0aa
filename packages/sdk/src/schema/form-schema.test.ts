import { describe, expect, test } from "vitest";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import type { JsonObject } from "../runtime/json.js";
import type { JsonSchemaValidator } from "./compile-schema.js";
import { compileForm, compileFormOnce } from "./form-schema.js";
import type { Schema } from "./schema.js";

/** What a form makes of one property. */
function field(schema: unknown): JsonObject | undefined {
  return compileForm({ type: "object", properties: { f: schema } }).requestedSchema.properties.f;
}

/** What is wrong with an answer, in words; undefined if nothing is. */
async function complaint(schema: Schema, content: unknown): Promise<string | undefined> {
  const result = await compileForm(schema).validate(content);
  return result.ok ? undefined : describeIssues(result.issues, "content");
}

describe("a form that keeps to the protocol's part of JSON Schema goes out as it is", () => {
  const labels = { title: "Title", description: "Description" };

  test.each<JsonObject>([
    { type: "string" },
    { type: "string", ...labels, minLength: 1, maxLength: 20, format: "email", default: "a@b.example" },
    { type: "string", format: "uri" },
    { type: "string", format: "date" },
    { type: "string", format: "date-time" },
    { type: "number", ...labels, minimum: 0, maximum: 1.5, default: 0.5 },
    { type: "integer", minimum: -3, default: 0 },
    { type: "boolean", ...labels, default: false },
    { type: "string", ...labels, enum: ["a", "b"], default: "a" },
    { type: "string", enum: ["a", "b"], enumNames: ["A", "B"], default: "b" },
    {
      type: "string",
      oneOf: [
        { const: "a", title: "A" },
        { const: "b", title: "B" },
      ],
      default: "a",
    },
    { type: "array", ...labels, minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b"] }, default: ["a"] },
    { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, default: [] },
  ])("%j", (schema) => {
    expect(field(schema)).toEqual(schema);
  });

  test("with the name of its dialect and what is required", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string" }, b: { type: "boolean" } },
      required: ["b"],
    };
    expect(compileForm(schema).requestedSchema).toEqual(schema);
  });

  test("and may have no fields at all", () => {
    expect(compileForm({ type: "object" }).requestedSchema).toEqual({ type: "object", properties: {} });
  });

  test("whatever the fields are called", () => {
    const properties = JSON.parse(
      '{ "__proto__": { "type": "string", "default": "x" }, "constructor": { "type": "string" } }',
    );
    const { requestedSchema, validate } = compileForm({ type: "object", properties, required: ["constructor"] });
    expect(Object.entries(requestedSchema.properties)).toEqual(Object.entries(properties));
    expect(validate(JSON.parse('{ "constructor": "y" }'))).toEqual({
      ok: true,
      value: JSON.parse('{ "constructor": "y", "__proto__": "x" }'),
    });
  });
});

describe("what narrows a field further goes out as written", () => {
  test.each<JsonObject>([
    { type: "string", pattern: "^a", examples: ["a"], "x-hint": 1, readOnly: true },
    { type: "string", allOf: [{ pattern: "a" }, { pattern: "b" }] },
    { type: "number", multipleOf: 5, "x-hint": 1 },
    { type: "boolean", const: true, "x-hint": 1 },
    { type: "string", enum: ["a"], "x-hint": 1 },
    { type: "array", items: { type: "string", enum: ["a"] }, uniqueItems: true },
  ])("%j", (schema) => {
    expect(field(schema)).toEqual(schema);
  });

  test("also around the fields", () => {
    const schema = { type: "object", title: "T", description: "D", properties: { a: { type: "string" } } };
    for (const additionalProperties of [true, false, {}]) {
      const around = { ...schema, additionalProperties };
      expect(compileForm(around).requestedSchema).toEqual(around);
    }
  });
});

describe("what clients know another word for is put in that", () => {
  test.each<[JsonObject, JsonObject]>([
    [
      { type: "string", format: "uuid", pattern: "^[0-9a-f-]{36}$" },
      { type: "string", pattern: "^[0-9a-f-]{36}$" },
    ],
    [
      { type: "string", format: "starts_with", allOf: [{ pattern: "^x" }] },
      { type: "string", allOf: [{ pattern: "^x" }] },
    ],
    [
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1, minimum: 0, maximum: 1 },
    ],
    [{ enum: [true, false] }, { type: "boolean" }],
    [
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9.5 },
      { type: "integer", minimum: 1, maximum: 9 },
    ],
    [
      { type: "integer", minimum: 5, exclusiveMinimum: 0, maximum: 7, exclusiveMaximum: 100 },
      { type: "integer", minimum: 5, maximum: 7 },
    ],
    [{ type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, { type: "integer" }],
    [
      { const: true, description: "I agree" },
      { type: "boolean", const: true, description: "I agree" },
    ],
    [
      { const: "a", title: "The field's own" },
      { type: "string", title: "The field's own", enum: ["a"] },
    ],
    [{ enum: ["a", "b", "a"] }, { type: "string", enum: ["a", "b"] }],
    [{ anyOf: [{ const: "a" }, { enum: ["b", "c"], title: "lost" }] }, { type: "string", enum: ["a", "b", "c"] }],
    [
      { anyOf: [{ const: "a", title: "A" }, { const: "b", description: "B" }, { const: "c" }] },
      {
        type: "string",
        oneOf: [
          { const: "a", title: "A" },
          { const: "b", title: "B" },
          { const: "c", title: "c" },
        ],
      },
    ],
    [
      { type: "array", items: { oneOf: [{ const: "a", title: "A" }] } },
      { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
    ],
    [
      { type: "array", items: { enum: ["a"] } },
      { type: "array", items: { type: "string", enum: ["a"] } },
    ],
  ])("%j", (schema, expected) => {
    expect(field(schema)).toEqual(expected);
  });

  test("and holds for the answer as it was written", async () => {
    const properties = { a: { type: "string", pattern: "^x" }, n: { type: "number", exclusiveMinimum: 0 } };
    const schema = { type: "object", properties, additionalProperties: false };
    expect(await complaint(schema, { a: "x", n: 1 })).toBeUndefined();
    expect(await complaint(schema, { a: "y" })).toContain("content.a: ");
    expect(await complaint(schema, { n: 0 })).toContain("content.n: ");
    expect(await complaint(schema, { b: 1 })).toContain("content.b: ");
  });
});

describe("what no form can express is refused with the field's path", () => {
  test.each<[unknown, string]>([
    [{ type: "object", properties: {} }, "a form has no nested objects"],
    [{ type: "array", items: { type: "object" } }, "a form has no arrays of objects"],
    [{ type: "array", prefixItems: [{ type: "string" }] }, "a form has no tuples"],
    [{ type: "array", items: { type: "string" } }, "a form's arrays are choices of several"],
    [{ type: "array" }, "a form's arrays are choices of several"],
    [{ type: "array", items: { enum: [1] } }, "a form's choices are strings"],
    [{ type: ["string", "number"] }, "a form has no unions, except of string constants"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "a form has no unions, except of string constants"],
    [{ type: "string", oneOf: [{ const: "a" }, true] }, "a form has no unions, except of string constants"],
    [{ type: ["string", "null"] }, "a form has no nullable fields; make it optional instead"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "a form has no nullable fields; make it optional instead"],
    [{ $ref: "#/properties/g" }, "a form has no references; write the field out in its place"],
    [{ type: "string", allOf: [{ minLength: 2 }] }, 'a form has no "allOf"'],
    [{ type: "string", allOf: [true] }, 'a form has no "allOf"'],
    [{ type: "string", not: { const: "x" } }, 'a form has no "not"'],
    [{ type: "number", enum: [1, 2] }, "a form's choices are strings"],
    [{ enum: ["a", null] }, "a form's choices are strings"],
    [{ type: "string", enum: [] }, "there must be something to choose from"],
    [
      { type: "string", enum: ["a"], enumNames: ["A", "B"] },
      '"enumNames" must be a list of strings, one for each value',
    ],
    [{ type: "string", enum: ["a"], enumNames: [1] }, '"enumNames" must be a list of strings, one for each value'],
    [{ type: "string", enum: ["a"], enumNames: "A" }, '"enumNames" must be a list of strings, one for each value'],
    [{ type: "string", const: "a", enumNames: ["A"] }, '"enumNames" must be a list of strings, one for each value'],
    [{ enum: [1], enumNames: ["A"] }, "a form's choices are strings"],
    [{ type: "string", format: "uuid" }, 'a form has no format "uuid"; use a pattern, or one of email, uri'],
    [{}, "a field needs a type: string, number, integer, boolean, or array for a choice of several"],
    [true, "a field needs a type: string, number, integer, boolean, or array for a choice of several"],
    [{ type: "string", default: 1 }, "the default does not fit"],
    [{ type: "string", enum: ["a"], default: "b" }, "the default does not fit"],
    [{ type: "integer", minimum: 1, default: 0 }, "the default does not fit"],
    [{ type: "boolean", default: {} }, "the default does not fit"],
  ])("%j", (schema, message) => {
    const g = { type: "string" };
    const compile = () => compileForm({ type: "object", properties: { g, address: schema } });
    expect(compile).toThrow(SdkError);
    expect(compile).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(compile).toThrow(`schema.address: ${message}`);
  });

  const fields = { a: { type: "string" } };
  test.each<[JsonObject, string]>([
    [{ type: "string" }, "schema: a form is an object with a property for each field"],
    [{ type: "object", additionalProperties: { type: "string" } }, "schema: a form has a fixed set of fields"],
    [{ type: "object", patternProperties: { "^a": {} } }, 'schema: a form has no "patternProperties"'],
    [{ type: "object", properties: fields, anyOf: [{ required: ["a"] }] }, 'schema: a form has no "anyOf"'],
    [{ type: "object", properties: fields, dependentRequired: {} }, 'schema: a form has no "dependentRequired"'],
    [{ type: "object", properties: fields, required: ["b"] }, "schema.b: is required but not among the properties"],
  ])("also around the fields: %j", (schema, message) => {
    expect(() => compileForm(schema)).toThrow(message);
  });
});

describe("an answer", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      size: { type: "integer", default: 3 },
      mail: { type: "string", format: "email" },
    },
    required: ["name", "size"],
  };
  const { validate } = compileForm(schema);

  test("is given the defaults, and keeps what was entered", () => {
    expect(validate({ name: "x" })).toEqual({ ok: true, value: { name: "x", size: 3 } });
    expect(validate({ name: "x", size: 5 })).toEqual({ ok: true, value: { name: "x", size: 5 } });
  });

  test.each([
    [{}, "content.name: required"],
    [undefined, "content.name: required"],
    [{ name: 1 }, "content.name: "],
    [{ name: "x", mail: "nobody" }, "content.mail: "],
    ["text", "content: "],
  ])("is checked: %j", async (content, message) => {
    expect(await complaint(schema, content)).toContain(message);
  });

  test("may be nothing where nothing is required", () => {
    expect(compileForm({ type: "object" }).validate(undefined)).toEqual({ ok: true, value: {} });
  });

  test("is checked by another validator if one is given", () => {
    const issues = [{ path: ["name"], message: "never" }];
    const validator: JsonSchemaValidator = { compile: () => () => ({ ok: false, issues }) };
    expect(compileForm(schema, { validator }).validate({})).toEqual({ ok: false, issues });
  });
});

test("a schema seen before is not compiled again", () => {
  const schema = { type: "object", properties: {} };
  const form = compileFormOnce(schema);
  expect(compileFormOnce(schema)).toBe(form);
  expect(compileFormOnce({ ...schema })).not.toBe(form);
});
