import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import { compileJsonSchema } from "../compile-json-schema.js";

const draft2019 = { $schema: "https://json-schema.org/draft/2019-09/schema" };

/** `if`, `then` and `else`, written so that no reader takes it for a promise. */
function conditional(...schemas: readonly unknown[]): JsonObject {
  return Object.fromEntries(["if", "then", "else"].map((keyword, index) => [keyword, schemas[index]]));
}

const has = (name: string) => ({ properties: { [name]: true }, required: [name] });

describe("members count as evaluated by", () => {
  test.each<[string, JsonObject, JsonObject[], JsonObject[]]>([
    ["nothing", {}, [{}], [{ a: 1 }]],
    ["properties", { properties: { a: true } }, [{ a: 1 }], [{ b: 1 }]],
    ["patterns", { patternProperties: { "^a": true } }, [{ ab: 1 }], [{ b: 1 }]],
    ["additionalProperties", { additionalProperties: true }, [{ b: 1 }], []],
    ["what all schemas evaluate", { allOf: [has("a"), has("b")] }, [{ a: 1, b: 1 }], [{ a: 1, b: 1, c: 1 }]],
    ["any alternative that holds", { anyOf: [has("a"), has("b"), true] }, [{ a: 1, b: 1 }, {}], [{ c: 1 }]],
    ["no alternative that fails", { anyOf: [{ properties: { a: false } }, true] }, [{}], [{ a: 1 }]],
    ["the alternative that holds", { oneOf: [has("a"), has("b")] }, [{ a: 1 }], [{ a: 1, c: 1 }]],
    ["a reference", { $ref: "#/$defs/a" }, [{ a: 1 }], [{ b: 1 }]],
    ["nested references", { allOf: [{ $ref: "#/$defs/nested" }] }, [{ a: 1, b: 1 }], [{ c: 1 }]],
    ["a condition", conditional(has("a"), has("b"), has("c")), [{ a: 1, b: 1 }, { c: 1 }], [{ b: 1, c: 1 }]],
    ["a condition alone", { if: has("a") }, [{ a: 1 }, {}], [{ b: 1 }]],
    [
      "what depends on a member",
      { properties: { a: true }, dependentSchemas: { a: has("b") } },
      [{ a: 1, b: 1 }, {}],
      [{ b: 1 }],
    ],
    ["the same keyword deeper", { allOf: [{ unevaluatedProperties: true }] }, [{ a: 1 }], []],
    ["nothing excluded", { not: { not: has("a") } }, [], [{ a: 1 }]],
    ["nothing in a cousin", { allOf: [has("a"), { unevaluatedProperties: false }] }, [], [{ a: 1 }]],
  ])("%s", (_name, keywords, good, bad) => {
    const $defs = { a: { properties: { a: true } }, nested: { $ref: "#/$defs/a", properties: { b: true } } };
    const validate = compileJsonSchema({ ...keywords, unevaluatedProperties: false, $defs });
    for (const value of good) expect(validate(value).ok, JSON.stringify(value)).toBe(true);
    for (const value of bad) expect(validate(value).ok, JSON.stringify(value)).toBe(false);
    expect(validate("no object").ok).toBe(keywords.oneOf === undefined);
  });
});

describe("items count as evaluated by", () => {
  test.each<[string, JsonObject, unknown[][], unknown[][]]>([
    ["nothing", {}, [[]], [[1]]],
    ["schemas for the first", { prefixItems: [true, true] }, [[1], [1, 2]], [[1, 2, 3]]],
    ["the schema for all", { items: { type: "number" } }, [[1, 2]], [["a"]]],
    ["contains, where they match", { contains: { type: "string" } }, [["a", "b"]], [["a", 1]]],
    ["contains in another schema", { allOf: [{ contains: { const: 1 } }], prefixItems: [true] }, [[2, 1]], [[1, 2]]],
    [
      "the longest of several",
      { allOf: [{ prefixItems: [true] }, { prefixItems: [true, true] }] },
      [[1, 2]],
      [[1, 2, 3]],
    ],
    ["the same keyword deeper", { allOf: [{ unevaluatedItems: true }] }, [[1, 2]], []],
    ["a list of 2019-09", { ...draft2019, items: [true] }, [[1]], [[1, 2]]],
    [
      "a list and the rest of 2019-09",
      { ...draft2019, items: [true], additionalItems: { type: "null" } },
      [[1, null]],
      [[1, 2]],
    ],
    ["not by contains in 2019-09", { ...draft2019, contains: true }, [], [[1], []]],
  ])("%s", (_name, keywords, good, bad) => {
    const validate = compileJsonSchema({ ...keywords, unevaluatedItems: false });
    for (const value of good) expect(validate(value).ok, JSON.stringify(value)).toBe(true);
    for (const value of bad) expect(validate(value).ok, JSON.stringify(value)).toBe(false);
    expect(validate("no list").ok).toBe(true);
  });
});

test("what is left may have a schema of its own", () => {
  const validate = compileJsonSchema({
    properties: { a: true },
    unevaluatedProperties: { type: "string" },
    prefixItems: [true],
    unevaluatedItems: { type: "string" },
  });
  expect(validate({ a: 1, b: "x" }).ok).toBe(true);
  expect(validate([1, "x"]).ok).toBe(true);
  expect(validate({ b: 1, c: "x", d: 2 })).toMatchObject({ ok: false, issues: [{ path: ["b"] }, { path: ["d"] }] });
  expect(validate([1, 2, "x", 3])).toMatchObject({ ok: false, issues: [{ path: [1] }, { path: [3] }] });
});

test("a dynamic reference evaluates what its target does on the way taken", () => {
  const validate = compileJsonSchema({
    $id: "https://a.b/outer",
    $ref: "base",
    $defs: {
      more: { $dynamicAnchor: "more", properties: { b: true } },
      base: {
        $id: "base",
        properties: { a: true },
        allOf: [{ $ref: "inner" }],
        unevaluatedProperties: false,
        $defs: { none: { $dynamicAnchor: "more", properties: { c: true } } },
      },
      inner: { $id: "inner", $dynamicRef: "base#more" },
    },
  });
  expect(validate({ a: 1, b: 1 }).ok).toBe(true);
  expect(validate({ a: 1, c: 1 }).ok).toBe(false);
});

test("a schema that is left is no longer on the way", () => {
  const validate = compileJsonSchema({
    $id: "https://a.b/outer",
    allOf: [{ $ref: "passed" }, { $ref: "leaf" }],
    unevaluatedProperties: false,
    $defs: {
      passed: { $id: "passed", $defs: { more: { $dynamicAnchor: "more", properties: { b: true } } } },
      leaf: {
        $id: "leaf",
        $dynamicRef: "#more",
        $defs: { more: { $dynamicAnchor: "more", properties: { c: true } } },
      },
    },
  });
  expect(validate({ c: 1 }).ok).toBe(true);
  expect(validate({ b: 1 }).ok).toBe(false);
});
