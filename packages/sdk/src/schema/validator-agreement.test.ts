import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../protocol/json.js";
import { defaultJsonSchemaValidator } from "./json-schema-validator.js";

const validator = defaultJsonSchemaValidator();

/** The other validator generates code, which takes its time on a busy machine. */
const deadlineMs = 60_000;

test("the default validator agrees with another on any schema and value", { timeout: deadlineMs }, () => {
  const scalar = fc.oneof(fc.constantFrom(null, true, "", "a", "ab", "b1", 0, 1, 2.5), fc.integer({ min: -3, max: 3 }));
  const { schema, value } = fc.letrec<{ schema: JsonObject; value: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 2 },
      fc.record(
        {
          type: fc.constantFrom("string", "number", "integer", "object", "array", "boolean", "null", [
            "string",
            "null",
          ]),
          enum: fc.array(scalar, { minLength: 1, maxLength: 3 }).map((values) => [...new Set(values)]),
          minimum: fc.integer({ min: -2, max: 2 }),
          maxLength: fc.nat(2),
          pattern: fc.constantFrom("^a", "b$", "\\d", "^(a|b)*$"),
          required: fc.constantFrom(["a"], ["a", "b"]),
          minItems: fc.nat(2),
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          properties: fc.record({ a: tie("schema"), b: tie("schema") }, { requiredKeys: [] }),
          additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
          patternProperties: fc.record({ "^a": tie("schema") }),
          items: tie("schema"),
          prefixItems: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
          propertyNames: fc.constantFrom({ maxLength: 1 }, { const: "a" }),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
          anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
          oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
          not: tie("schema"),
          if: tie("schema"),
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: tie("schema"),
          else: tie("schema"),
          $ref: fc.constant("#/$defs/text"),
        },
        { requiredKeys: [] },
      ),
    ) as fc.Arbitrary<JsonObject>,
    value: fc.oneof(
      { maxDepth: 2 },
      scalar,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "ab"), tie("value"), { maxKeys: 3 }).map((map) => ({ ...map })),
    ),
  }));
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  fc.assert(
    fc.property(schema, value, (body, instance) => {
      const whole = { ...body, $defs: { text: { type: "string" } } };
      const before = structuredClone(whole);
      const result = validator.compile(whole)(instance);
      expect(result.ok).toBe(ajv.validate(whole, instance));
      if (!result.ok) expect(result.issues.length).toBeGreaterThan(0);
      expect(whole).toEqual(before);
      ajv.removeSchema(whole);
    }),
    { numRuns: 60 },
  );
});
