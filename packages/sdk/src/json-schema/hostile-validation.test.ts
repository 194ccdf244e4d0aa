import { describe, expect, test } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import { compileJsonSchema } from "./compile-json-schema.js";
import { UnusableSchemaError } from "./unusable-schema-error.js";
import { describeIssues } from "./validation-result.js";

const tooManySteps =
  "v: cannot be validated: it takes more than the limit of 250000 steps; make the value smaller, or raise schemaLimits.maxEvaluations";
const tooDeep = "v: cannot be validated: the value and its schema nest too deep";

/** What is wrong with a value, in words; undefined if nothing is. */
function complaint(schema: JsonObject, value: unknown): string | undefined {
  const result = compileJsonSchema(schema)(value);
  return result.ok ? undefined : describeIssues(result.issues, "v");
}

function nested(depth: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < depth; level += 1) value = { next: value };
  return value;
}

/** A schema that applies another one to the same value many times. */
function often(times: number, $defs: JsonObject): JsonObject {
  const [name] = Object.keys($defs);
  return { allOf: Array.from({ length: times }, () => ({ $ref: `#/$defs/${name}` })), $defs };
}

describe("the default validator refuses patterns", () => {
  test.each<[JsonObject, string]>([
    [{ pattern: "(a)\\1" }, "at # has a pattern that is too large or uses back references or look-behind: (a)\\1"],
    [{ items: { pattern: "(" } }, "at #/items has a pattern that is no regular expression: ("],
    [{ patternProperties: { "(?<=a)b": {} } }, "too large or uses back references or look-behind"],
    [{ patternProperties: { "[": {} } }, "no regular expression: ["],
    [
      { allOf: Array.from({ length: 30 }, (_, index) => ({ pattern: `(?:a${index}|b)*${"c".repeat(4000)}` })) },
      "takes more than the limit of 250000 steps to compile",
    ],
  ])("%j", (schema, problem) => {
    expect(() => compileJsonSchema(schema)).toThrow(UnusableSchemaError);
    expect(() => compileJsonSchema(schema)).toThrow(problem);
  });

  test("but the same one may come often", () => {
    const pattern = `(?:a|b)*${"c".repeat(4000)}`;
    expect(complaint({ allOf: Array.from({ length: 99 }, () => ({ pattern })) }, "c")).toContain("expected to match");
  });
});

describe("the default validator is not stalled", () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `k${index}`);
  const wide = Object.fromEntries(names.map((name) => [name, 0]));

  test.each<[string, JsonObject, unknown, string]>([
    [
      "a pattern that backtracks",
      { pattern: "^(a+)+$" },
      `${"a".repeat(5000)}!`,
      "v: expected to match the pattern ^(a+)+$",
    ],
    ["a pattern for names that does", { patternProperties: { "^(a+)+$": false } }, { [`${"a".repeat(5000)}!`]: 1 }, ""],
    ["a text too long for a pattern", { pattern: "^(\\w+\\s?)*$" }, "a".repeat(10_000_000), tooManySteps],
    [
      "many texts for a pattern",
      { items: { pattern: "^(\\w+\\s?)*$" } },
      new Array(3000).fill("a".repeat(500)),
      tooManySteps,
    ],
    [
      "a long text for a format",
      often(9, { f: { format: "uuid" } }),
      "a".repeat(1_000_000),
      "v: expected the format uuid",
    ],
    ["long texts for formats", often(9, { f: { not: { format: "uuid" } } }), "a".repeat(4_000_000), tooManySteps],
    ["counting characters", often(999, { l: { minLength: 999_999 } }), "a".repeat(1_000_000), tooManySteps],
    ["names to look for", often(999, { r: { required: names } }), wide, tooManySteps],
    ["names that depend on one", often(999, { r: { dependentRequired: { k0: names } } }), wide, tooManySteps],
    ["names to look at", often(99, { a: { additionalProperties: { type: "integer" } } }), wide, tooManySteps],
    [
      "names to match",
      often(99, { a: { patternProperties: { "^k": true }, additionalProperties: false } }),
      wide,
      tooManySteps,
    ],
    ["names to count", often(99, { m: { maxProperties: 20_000 } }), wide, tooManySteps],
    [
      "names to find unevaluated",
      { ...often(99, { p: { title: "open" } }), unevaluatedProperties: { minimum: 0 } },
      wide,
      tooManySteps,
    ],
    ["values to compare", often(99, { c: { not: { const: [1] } } }), names, tooManySteps],
    ["long texts to compare", often(99, { c: { not: { const: [1] } } }), ["a".repeat(1_000_000)], tooManySteps],
    ["items to tell apart", often(99, { u: { uniqueItems: true } }), names, tooManySteps],
    ["names to sort", often(99, { u: { uniqueItems: true } }), [wide], tooManySteps],
    ["numbers with many digits", { items: { multipleOf: 1e-300 } }, new Array(20_000).fill(1e300), tooManySteps],
  ])("by %s", (_name, schema, value, words) => {
    expect(complaint(schema, value) ?? "").toBe(words);
  });
});

describe("the default validator is not exhausted", () => {
  test("by subschemas that double at every level", () => {
    const levels = Array.from({ length: 60 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { allOf: [next, next] }] as const;
    });
    const $defs = Object.fromEntries([...levels, ["d60", { type: "string" }]]);
    expect(complaint({ $ref: "#/$defs/d0", $defs }, "x")).toBe(tooManySteps);
  });

  test("by a deep value whose schema doubles at every level", () => {
    const next = { properties: { next: { $ref: "#" } } };
    expect(complaint({ allOf: [next, next] }, nested(100, {}))).toBe(tooManySteps);
  });

  test("by a large value: the limit is an option, and exact", () => {
    const bounded = compileJsonSchema({ items: { type: "number" } }, { maxEvaluations: 10 });
    expect(bounded(new Array(9).fill(1)).ok).toBe(true);
    expect(bounded(new Array(10).fill(1)).ok).toBe(false);
    const validate = compileJsonSchema({ items: { type: "number" } });
    expect(validate(new Array(249_999).fill(1)).ok).toBe(true);
    expect(validate(new Array(250_000).fill(1)).ok).toBe(false);
  });

  test("by saying what is wrong: it stops with what it has", () => {
    const bounded = compileJsonSchema({ items: { type: "string" } }, { maxEvaluations: 10 });
    const result = bounded(new Array(100).fill(1));
    expect(result).toMatchObject({ ok: false, issues: expect.objectContaining({ length: 4 }) });
    const late = compileJsonSchema({ oneOf: [{}, {}, {}] }, { maxEvaluations: 3 });
    expect(late(1)).toEqual({ ok: false, issues: [{ path: [], message: "does not match its schema" }] });
  });

  test.each<[string, JsonObject, unknown]>([
    ["objects", { type: ["object", "null"], additionalProperties: { $ref: "#" } }, nested(511, null)],
    [
      "alternatives",
      { anyOf: [{ type: "null" }, { properties: { next: { $ref: "#" } }, type: "object" }] },
      nested(511, null),
    ],
    ["conditions", { if: { type: "null" }, else: { patternProperties: { "": { $ref: "#" } } } }, nested(511, null)],
    ["what is unevaluated", { type: ["object", "null"], unevaluatedProperties: { $ref: "#" } }, nested(511, null)],
    ["what must be unique", { uniqueItems: true }, [nested(510, null), null]],
  ])("by %s as deep as the wire lets through", (_name, schema, value) => {
    expect(complaint(schema, value)).toBeUndefined();
  });

  test("by a fault as deep, which it finds", () => {
    const schema = { anyOf: [{ type: "null" }, { type: "object", additionalProperties: { $ref: "#" } }] };
    const result = compileJsonSchema(schema)(nested(511, 1));
    const path = new Array(511).fill("next");
    expect(result).toEqual({ ok: false, issues: [{ path, message: "expected null or object, got number" }] });
  });

  test("by a value that is deeper, or contains itself", () => {
    const cyclic: JsonObject = {};
    cyclic.next = cyclic;
    expect(complaint({ additionalProperties: { $ref: "#" } }, cyclic)).toBe(tooDeep);
    expect(complaint({ enum: [{}] }, cyclic)).toBe("v: cannot be validated: the value nests too deep");
  });

  test("by schemas that nest in each other over and over", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}`, minimum: 0 }]),
    );
    expect(complaint({ $ref: "#/$defs/d0", $defs: { ...$defs, d2000: {} } }, 1)).toBe(tooDeep);
    const unevaluated = { allOf: [{ $ref: "#/$defs/d0" }], unevaluatedProperties: false };
    expect(complaint({ ...unevaluated, $defs: { ...$defs, d2000: {} } }, {})).toBe(tooDeep);
  });
});

describe("values from user code", () => {
  test("may throw when they are read", () => {
    const odd = (thrown: unknown) => ({
      get a() {
        throw thrown;
      },
    });
    const schema = { properties: { a: {} } };
    expect(complaint(schema, odd("a fit"))).toBe("v: cannot be validated: a fit");
    expect(complaint(schema, odd(new Error("an error")))).toBe("v: cannot be validated: an error");
  });

  test("may change while they are read", () => {
    let reads = 0;
    const shy = {
      get a() {
        reads += 1;
        return reads === 1 ? 1 : "text";
      },
    };
    expect(complaint({ properties: { a: { type: "string" } } }, shy)).toBe("v: does not match its schema");
  });

  test("have the members that are their own and not undefined", () => {
    const schema = {
      required: ["a"],
      properties: { a: {}, b: { type: "string" } },
      additionalProperties: false,
      maxProperties: 1,
    };
    expect(complaint(schema, { a: 1, b: undefined, c: undefined })).toBeUndefined();
    expect(complaint(schema, Object.create({ a: 1 }))).toBe("v.a: required");
    expect(complaint({ required: ["toString", "constructor"] }, {})).toBe(
      "v.toString: required; v.constructor: required",
    );
    expect(complaint({ const: { a: 1 } }, { a: 1, b: undefined })).toBeUndefined();
    expect(complaint({ properties: { toString: false } }, {})).toBeUndefined();
    expect(complaint({ unevaluatedProperties: false }, { a: undefined })).toBeUndefined();
    expect(complaint({ additionalProperties: { type: "number" } }, { "\ud800": 1 })).toBeUndefined();
  });
});
