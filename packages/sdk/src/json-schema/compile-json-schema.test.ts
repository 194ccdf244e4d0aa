import { describe, expect, test } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import { compileJsonSchema } from "./compile-json-schema.js";
import { UnusableSchemaError } from "./unusable-schema-error.js";
import { describeIssues } from "./validation-result.js";

/** What is wrong with a value, in words; undefined if nothing is. */
function complaint(schema: JsonObject, value: unknown): string | undefined {
  const result = compileJsonSchema(schema)(value);
  return result.ok ? undefined : describeIssues(result.issues, "v");
}

const draft7 = { $schema: "http://json-schema.org/draft-07/schema#" };
const draft4 = { $schema: "http://json-schema.org/draft-04/schema" };
const draft2019 = { $schema: "https://json-schema.org/draft/2019-09/schema" };

describe("failures are put in words, with the path", () => {
  test.each<[JsonObject, unknown, string]>([
    [{ type: "string" }, 1, "v: expected string, got number"],
    [{ type: ["string", "null"] }, [], "v: expected string or null, got array"],
    [{ type: "object" }, null, "v: expected object, got null"],
    [{ properties: { a: { items: { type: "string" } } } }, { a: ["x", 1] }, "v.a[1]: expected string, got number"],
    [{ required: ["a", "b"] }, {}, "v.a: required; v.b: required"],
    [{ allOf: [{ required: ["a"] }, { required: ["a"] }] }, {}, "v.a: required"],
    [{ const: { a: 1 } }, 1, 'v: expected {"a":1}'],
    [{ enum: ["a", 1] }, "b", 'v: expected one of "a", 1'],
    [{ minimum: 2 }, 1, "v: expected at least 2"],
    [{ maximum: 2 }, 3, "v: expected at most 2"],
    [{ exclusiveMinimum: 2 }, 2, "v: expected more than 2"],
    [{ exclusiveMaximum: 2 }, 2, "v: expected less than 2"],
    [{ multipleOf: 2 }, 3, "v: expected a multiple of 2"],
    [{ minLength: 2 }, "a", "v: expected at least 2 characters"],
    [{ maxLength: 2 }, "abc", "v: expected at most 2 characters"],
    [{ minItems: 1 }, [], "v: expected at least 1 items"],
    [{ maxItems: 1 }, [1, 2], "v: expected at most 1 items"],
    [{ minProperties: 1 }, {}, "v: expected at least 1 properties"],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, "v: expected at most 1 properties"],
    [{ uniqueItems: true }, [1, 2, 1], "v: expected no item twice"],
    [{ pattern: "^x/~" }, "y", "v: expected to match the pattern ^x/~"],
    [{ pattern: "^x", allOf: [true] }, "y", "v: expected to match the pattern ^x"],
    [{ format: "email" }, "y", "v: expected the format email"],
    [{ anyOf: [{ minimum: 3 }, { multipleOf: 2 }] }, 1, "v: matches none of the alternatives"],
    [{ anyOf: [{ type: "string" }, { type: ["null", "string"] }] }, 1, "v: expected string or null, got number"],
    [{ anyOf: [{ type: "string" }, { properties: { a: false } }] }, { a: 1 }, "v.a: not allowed"],
    [{ oneOf: [{ type: "null" }, { type: "array", items: { type: "null" } }] }, [1], "v[0]: expected null, got number"],
    [{ oneOf: [{ minimum: 3 }, { multipleOf: 2 }] }, 1, "v: matches none of the alternatives"],
    [{ oneOf: [{}, {}] }, 1, "v: matches more than one of the alternatives"],
    [{ not: {} }, 1, "v: matches what is excluded"],
    [{ additionalProperties: false }, { "a/b~c d": 1 }, 'v["a/b~c d"]: not allowed'],
    [
      { not: { type: "object" }, additionalProperties: false },
      { a: 1 },
      "v.a: not allowed; v: matches what is excluded",
    ],
    [{ contains: { type: "string" } }, [1, 2], 'v: expected at least 1 items that match "contains"'],
    [{ contains: true, maxContains: 1 }, [1, 2], 'v: expected at most 1 items that match "contains"'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "v.ab: the name is not allowed"],
    [{ dependentRequired: { a: ["b", "c"] } }, { a: 1 }, 'v.b: required beside "a"; v.c: required beside "a"'],
    [{ ...draft7, dependencies: { a: ["b"] } }, { a: 1 }, 'v.b: required beside "a"'],
    [{ ...draft7, dependencies: { a: { required: ["b"] } } }, { a: 1 }, "v.b: required"],
    [{ unevaluatedProperties: false }, { a: 1, b: 2 }, "v.a: not allowed; v.b: not allowed"],
    [
      { prefixItems: [true], unevaluatedItems: { type: "null" } },
      [1, 2, 3],
      "v[1]: expected null, got number; v[2]: expected null, got number",
    ],
    [{ type: "number" }, Number.NaN, "v: expected number, got NaN"],
    [
      { enum: Array.from({ length: 30 }, (_, index) => index) },
      -1,
      `v: expected one of ${Array.from({ length: 20 }, (_, index) => index).join(", ")}, …`,
    ],
    [
      { properties: { a: { $ref: "#/$defs/s" } }, $defs: { s: { minLength: 3 } } },
      { a: "x" },
      "v.a: expected at least 3 characters",
    ],
    [{ properties: { $ref: { minLength: 3 } } }, { $ref: "x" }, "v.$ref: expected at least 3 characters"],
    [{ if: { type: "string" }, else: { minimum: 2 } }, 1, "v: expected at least 2"],
    [{ prefixItems: [{ minimum: 2 }] }, [1], "v[0]: expected at least 2"],
  ])("%j on %j", (schema, value, words) => {
    expect(complaint(schema, value)).toBe(words);
  });

  test("also of what is no JSON", () => {
    expect(complaint({ enum: [1] }, () => 1)).toBe("v: expected a JSON value, got function");
    expect(complaint({}, undefined)).toBe("v: expected a JSON value, got undefined");
    expect(complaint({ properties: { a: true, b: {} } }, { a: Number.NaN, b: 1n })).toBe(
      "v.a: expected a JSON value, got NaN; v.b: expected a JSON value, got bigint",
    );
    expect(complaint({ items: { type: "string" } }, [undefined])).toBe("v[0]: expected string, got undefined");
  });

  test("at most a hundred of them", () => {
    const result = compileJsonSchema({ required: Array.from({ length: 500 }, (_, index) => `k${index}`) })({});
    expect(result).toMatchObject({ ok: false, issues: expect.objectContaining({ length: 100 }) });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 1]));
    expect(compileJsonSchema({ additionalProperties: false })(many)).toMatchObject({
      ok: false,
      issues: expect.objectContaining({ length: 100 }),
    });
  });
});

describe("validates as the dialect says", () => {
  test.each<[string, JsonObject, unknown[], unknown[]]>([
    [
      "a recursive schema",
      { type: "object", properties: { next: { $ref: "#" } } },
      [{ next: { next: {} } }],
      [{ next: { next: 1 } }],
    ],
    [
      "a dynamic reference",
      { $dynamicAnchor: "n", type: "object", properties: { next: { $dynamicRef: "#n" } } },
      [{ next: {} }],
      [{ next: 1 }],
    ],
    [
      "a recursive reference",
      { ...draft2019, $recursiveAnchor: true, type: "object", additionalProperties: { $recursiveRef: "#" } },
      [{ a: { b: {} } }],
      [{ a: 1 }],
    ],
    ["an anchor", { items: { $ref: "#s" }, $defs: { s: { $anchor: "s", type: "string" } } }, [["a"]], [[1]]],
    ["a reference to a boolean", { items: { $ref: "#/$defs/no" }, $defs: { no: false } }, [[]], [[1]]],
    [
      "a reference with siblings",
      { $ref: "#/$defs/s", minLength: 2, $defs: { s: { type: "string" } } },
      ["ab"],
      ["a", 1],
    ],
    [
      "a draft-07 reference without them",
      { ...draft7, items: { $ref: "#/definitions/s", minLength: 2 }, definitions: { s: { type: "string" } } },
      [["a"]],
      [[1]],
    ],
    [
      "what draft-07 does not know",
      { ...draft7, $dynamicRef: "#nowhere", $recursiveRef: "#", type: "string" },
      ["a"],
      [1],
    ],
    ["draft-07 tuples", { ...draft7, items: [{ type: "string" }], additionalItems: false }, [["a"]], [["a", 1], [1]]],
    ["draft-07 empty tuples", { ...draft7, items: [], additionalItems: { type: "string" } }, [["a"]], [[1]]],
    ["draft-04 bounds", { ...draft4, minimum: 1, exclusiveMinimum: true }, [2], [1]],
    [
      "patternProperties",
      { patternProperties: { "^x-": { type: "string" } }, additionalProperties: false },
      [{ "x-a": "b" }],
      [{ "x-a": 1 }, { a: "b" }],
    ],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      [{ a: 1 }],
      [{ b: 1 }],
    ],
    [
      "a property named __proto__",
      { properties: JSON.parse('{"__proto__":{"type":"string"}}') },
      [JSON.parse('{"__proto__":"a"}')],
      [JSON.parse('{"__proto__":1}')],
    ],
    [
      "a dependency of __proto__",
      { ...draft7, dependencies: JSON.parse('{"__proto__":{"required":["a"]}}') },
      [{}],
      [JSON.parse('{"__proto__":1}')],
    ],
    ["formats outside the standard as notes", { format: "url" }, ["no url"], []],
    ["null as a constant", { const: null }, [null], [0]],
  ])("%s", (_name, schema, good, bad) => {
    const validate = compileJsonSchema(schema);
    for (const value of good) expect(validate(value), JSON.stringify(value)).toEqual({ ok: true, value });
    for (const value of bad) expect(validate(value).ok, JSON.stringify(value)).toBe(false);
  });

  test("an unknown dialect is refused with those that are known", () => {
    const compile = () => compileJsonSchema({ $schema: "https://example.com/my-dialect" });
    expect(compile).toThrow(UnusableSchemaError);
    expect(compile).toThrow("https://example.com/my-dialect; supported are 2020-12, 2019-09, draft-07, draft-04");
    expect(() => compileJsonSchema({ $schema: 7 })).toThrow("the dialect 7");
    expect(() => compileJsonSchema({ $schema: { toString: "" } })).toThrow("the dialect object");
  });

  test("a boolean bound is refused where numbers are due", () => {
    expect(() => compileJsonSchema({ minimum: 1, exclusiveMinimum: true })).toThrow("which is draft-04");
    expect(() => compileJsonSchema({ maximum: 1, exclusiveMaximum: true })).toThrow("which is draft-04");
  });
});
