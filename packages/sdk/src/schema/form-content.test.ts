import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SdkError } from "../errors/sdk-error.js";
import type { ElicitSchema } from "../protocol/elicitation.js";
import { REVISIONS, type Revision } from "../protocol/revisions.js";
import { type WireSchema, wireSchemas } from "../protocol/wire-schema.fixture.js";
import type { JsonObject } from "../runtime/json.js";
import { applyDefaults, checkOf, compileForm, downgradeForm } from "./form-schema.js";

const text = fc.string({ minLength: 1 });

/** Choices, with or without labels. */
const choices = fc.uniqueArray(text, { minLength: 1, maxLength: 4 });
const labeled = choices.map((values) => values.map((value) => ({ const: value, title: `${value}!` })));

/** Schemas of one field: within what forms have and a little outside of it, many with a default that fits. */
const fields: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constant("string"), title: text, default: fc.string() }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("string"), pattern: fc.constant("") }),
  fc.record({
    type: fc.constantFrom("integer", "number"),
    exclusiveMinimum: fc.integer({ max: -1 }),
    default: fc.nat(),
  }),
  fc.record({ type: fc.constant("boolean"), default: fc.boolean() }, { requiredKeys: ["type"] }),
  choices.map((values) => ({ enum: values, default: values[0] })),
  choices.map((values) => ({ type: "string", enum: values, enumNames: values })),
  labeled.map((options) => ({ anyOf: options, default: options.at(-1)?.const })),
  choices.map((values) => ({ type: "array", items: { enum: values }, uniqueItems: true, default: values })),
  labeled.map((options) => ({ type: "array", items: { oneOf: options }, minItems: 0 })),
);

const schemas: fc.Arbitrary<JsonObject & { properties: { [name: string]: JsonObject } }> = fc.record({
  type: fc.constant("object"),
  properties: fc.dictionary(text, fields, { maxKeys: 6 }),
  additionalProperties: fc.constant(false),
});

/** The fields of a form that the definitions exclude. They let unknown keywords pass. */
function excluded({ judge }: WireSchema, { properties }: ElicitSchema): JsonObject[] {
  return Object.values(properties).filter((field) => judge("PrimitiveSchemaDefinition", field).length > 0);
}

describe("any form", () => {
  test("has defaults that pass its own check and the schema's, and fill nothing that was entered", () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const { requestedSchema, validate } = compileForm(schema);
        const filled = applyDefaults(requestedSchema, {});
        const names = Object.keys(schema.properties).filter((name) => schema.properties[name]?.default !== undefined);
        expect(Object.keys(filled).sort()).toEqual(names.sort());
        expect(checkOf(requestedSchema)(filled)).toEqual({ ok: true, value: filled });
        expect(validate({})).toEqual({ ok: true, value: filled });
        expect(applyDefaults(requestedSchema, filled)).toBe(filled);
      }),
    );
  });

  test("is made from itself again, unchanged", () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const { requestedSchema } = compileForm(schema);
        expect(compileForm({ ...requestedSchema }).requestedSchema).toEqual(requestedSchema);
      }),
    );
  });

  const judges = [...(wireSchemas ?? [])].filter(([, { definitions }]) => "PrimitiveSchemaDefinition" in definitions);
  test(`is one by the wire schemas of ${judges.map(([revision]) => revision).join(", ") || "no revision here"}`, () => {
    const isMultiple = ({ type }: JsonObject) => type === "array";
    fc.assert(
      fc.property(schemas, (schema) => {
        const { requestedSchema } = compileForm(schema);
        for (const [revision, wire] of judges) {
          if (revision < "2025-11-25" && Object.values(requestedSchema.properties).some(isMultiple)) continue;
          expect(excluded(wire, downgradeForm(requestedSchema, revision)), revision).toEqual([]);
        }
      }),
    );
  });
});

describe("an older revision", () => {
  const { requestedSchema } = compileForm({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      name: { type: "string", default: "x" },
      size: { type: "integer", minimum: 1, default: 3 },
      ok: { type: "boolean", default: true },
      color: { type: "string", title: "Color", oneOf: [{ const: "#f00", title: "Red" }], default: "#f00" },
      shape: { type: "string", enum: ["round"], default: "round" },
    },
    required: ["ok"],
  });

  test("has defaults for booleans alone, and names for choices", () => {
    expect(downgradeForm(requestedSchema, "2025-06-18")).toEqual({
      type: "object",
      properties: {
        name: { type: "string" },
        size: { type: "integer", minimum: 1 },
        ok: { type: "boolean", default: true },
        color: { type: "string", title: "Color", enum: ["#f00"], enumNames: ["Red"] },
        shape: { type: "string", enum: ["round"] },
      },
      required: ["ok"],
    });
    expect(downgradeForm({ type: "object", properties: {} }, "2025-06-18")).toEqual({ type: "object", properties: {} });
  });

  test("has nothing like a union or labels that are missing", () => {
    const union = { type: "string", oneOf: [{ type: "string" }] };
    const unlabeled = { type: "string", oneOf: [{ const: "a" }] };
    expect(downgradeForm({ type: "object", properties: { union, unlabeled } }, "2025-06-18").properties).toEqual({
      union: { type: "string" },
      unlabeled: { type: "string", enum: ["a"], enumNames: ["a"] },
    });
  });

  test("has no choice of several", () => {
    const tags = { type: "array", items: { type: "string", enum: ["a"] } };
    const downgrade = (revision: Revision) => downgradeForm({ type: "object", properties: { tags } }, revision);
    expect(() => downgrade("2025-06-18")).toThrow(
      "schema.tags: a choice of several needs revision 2025-11-25 or later",
    );
    expect(() => downgrade("2025-06-18")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(downgrade("2025-11-25").properties).toEqual({ tags });
  });

  test.each(REVISIONS.filter((revision) => revision >= "2025-11-25"))("but %s has it all", (revision) => {
    expect(downgradeForm(requestedSchema, revision)).toBe(requestedSchema);
  });
});

describe("a peer's form", () => {
  /** Nested, nullable and more: what a server should not have sent. */
  const odd: ElicitSchema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2 },
      deep: { type: "object", properties: { x: { type: "string" } }, default: { x: "y" } },
      list: { type: "array", items: { type: "number" }, default: [1] },
      none: { default: null },
      size: { default: 7 },
      tags: { default: ["a"] },
    },
    required: ["name"],
  };

  test("fills in the defaults that a field can have", () => {
    expect(applyDefaults(odd, { name: "ab" })).toEqual({ name: "ab", size: 7, tags: ["a"] });
    expect(applyDefaults(odd, { size: 1, tags: [] })).toEqual({ size: 1, tags: [] });
  });

  test("is checked as far as it is understood", () => {
    const content = { name: "ab", deep: { x: "y" } };
    expect(checkOf(odd)(content)).toEqual({ ok: true, value: content });
    expect(checkOf(odd)({ name: "a" })).toMatchObject({ ok: false, issues: [{ path: ["name"] }] });
    expect(checkOf(odd)({})).toMatchObject({ ok: false });
  });

  test.each<JsonObject>([
    { $schema: "https://example.com/dialect" },
    { properties: { a: { $ref: "https://example.com/a" } } },
    { "~standard": {} },
  ])("that cannot be used is refused: %j", (part) => {
    expect(() => checkOf({ type: "object", properties: {}, required: ["a"], ...part })).toThrow(SdkError);
  });
});
