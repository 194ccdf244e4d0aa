/** The steps that users count with `maxCompilationSteps` and `maxEvaluations`: a schema that fits into a limit today fits tomorrow. */
import { expect, test } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import { compileJsonSchema } from "./compile-json-schema.js";
import { UnusableSchemaError } from "./unusable-schema-error.js";

const MAX_STEPS = 1 << 16;

/** The lowest limit that holds. */
function least(holds: (limit: number) => boolean): number {
  let [low, high] = [0, MAX_STEPS];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function compilationSteps(schema: JsonObject): number {
  return least((maxCompilationSteps) => {
    try {
      compileJsonSchema(schema, { maxCompilationSteps });
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(UnusableSchemaError);
      return false;
    }
  });
}

const evaluationSteps = (schema: JsonObject, value: unknown): number =>
  least((maxEvaluations) => compileJsonSchema(schema, { maxEvaluations })(value).ok);

const CONDITIONS = JSON.parse(
  '{ "if": { "type": "string" }, "then": { "minLength": 1 }, "else": false, "not": { "const": "b" } }',
);
const text = "x".repeat(2_048);

test.each<[what: string, schema: JsonObject, value: unknown, compilation: number, evaluation: number]>([
  ["nothing", {}, 1, 12, 1],
  ["a type", { type: "string" }, "a", 14, 1],
  ["members", { properties: { a: {}, b: { type: "number" } }, required: ["a"] }, { a: 1, b: 2 }, 46, 4],
  ["other members", { additionalProperties: { type: "number" } }, { a: 1, b: 2 }, 28, 5],
  ["patterns of names", { patternProperties: { "^x-": {} }, propertyNames: { maxLength: 9 } }, { "x-a": 1 }, 238, 5],
  ["items", { prefixItems: [{ type: "number" }], items: { type: "string" } }, [1, "a", "b"], 44, 4],
  ["items that are unlike", { uniqueItems: true }, [{ a: text }, { a: 1, b: 2 }, 3], 14, 97],
  ["some items", { contains: { const: 1 }, minContains: 2 }, [1, 2, 1], 31, 4],
  ["values", { enum: ["a", { b: text }, [1]] }, { b: text }, 115, 86],
  ["a multiple", { multipleOf: 1e-20 }, 3e-20, 14, 33],
  ["lengths", { minLength: 1, maxLength: 4_096 }, text, 16, 1],
  ["a format", { format: "uri" }, `https://example.com/${text}`, 14, 263],
  ["a pattern of the built-in engine", { pattern: "^x+$" }, text, 216, 130],
  ["a pattern of the package", { pattern: "^(?:x+x+)+é*$" }, text, 96, 1351],
  ["alternatives", { anyOf: [{ type: "number" }, { type: "string" }] }, "a", 43, 3],
  ["one alternative", { oneOf: [{ type: "number" }, { const: 1 }, { const: "a" }] }, "a", 59, 4],
  ["conditions", CONDITIONS, "a", 75, 4],
  [
    "dependencies",
    { dependentRequired: { a: ["b"] }, dependentSchemas: { b: { minProperties: 2 } } },
    { a: 1, b: 2 },
    34,
    5,
  ],
  [
    "references",
    { $defs: { a: { $anchor: "x", type: "array", items: { $ref: "#x" } } }, $ref: "#/$defs/a" },
    [[], []],
    59,
    3,
  ],
  ["dynamic references", { $id: "https://a.example/", $dynamicAnchor: "x", items: { $dynamicRef: "#x" } }, [[]], 63, 3],
  [
    "unevaluated members",
    { allOf: [{ properties: { a: {} } }], patternProperties: { "^b": {} }, unevaluatedProperties: { type: "number" } },
    { a: 1, b: 2, c: 3 },
    332,
    24,
  ],
  [
    "unevaluated items",
    { anyOf: [{ prefixItems: [{}] }, { contains: { const: 3 } }], unevaluatedItems: { type: "number" } },
    [1, 2, 3],
    182,
    15,
  ],
  ["a described reference", { $defs: { a: {} }, items: { $ref: "#/$defs/a", title: "A" } }, [1], 51, 1],
])("of %s", (_what, schema, value, compilation, evaluation) => {
  expect([compilationSteps(schema), evaluationSteps(schema, value)]).toEqual([compilation, evaluation]);
});
