import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileJsonSchema } from "../json-schema/index.js";
import type { JsonObject } from "../runtime/json.js";
import { wrapOutputSchema } from "./output-wrapping.js";

test("an object schema stays as it is", () => {
  const schema = { type: "object", properties: { a: { $ref: "#" } } };
  expect(wrapOutputSchema(schema)).toEqual({ schema, isWrapped: false });
  expect(wrapOutputSchema(schema).schema).toBe(schema);
});

test("any other becomes the property of an object, with its dialect hoisted", () => {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const schema = { $schema, type: "array", items: { type: "string" } };
  expect(wrapOutputSchema(schema)).toEqual({
    isWrapped: true,
    schema: {
      $schema,
      type: "object",
      properties: { result: { type: "array", items: { type: "string" } } },
      required: ["result"],
    },
  });
  expect(schema.$schema).toBe($schema);
});

test("references move with the root, and only those", () => {
  const { schema } = wrapOutputSchema({
    anyOf: [{ $ref: "#/$defs/a~1b" }, { $ref: "#name" }, { $ref: "https://a.b/c" }, { $dynamicRef: "#/$defs/d" }],
    items: [{ $ref: "#" }],
    not: { $ref: 1 },
    const: { $ref: "#" },
    default: { $ref: "#" },
    properties: { $ref: { $ref: "#" } },
    dependencies: { a: ["b"], c: { $ref: "#" } },
    contains: true,
    $defs: { embedded: { $id: "https://a.b/c", items: { $ref: "#" } }, named: { $id: "#here", items: { $ref: "#" } } },
    definitions: "malformed",
  });
  const moved = "#/properties/result";
  expect(schema.properties).toEqual({
    result: {
      anyOf: [
        { $ref: `${moved}/$defs/a~1b` },
        { $ref: "#name" },
        { $ref: "https://a.b/c" },
        { $dynamicRef: `${moved}/$defs/d` },
      ],
      items: [{ $ref: moved }],
      not: { $ref: 1 },
      const: { $ref: "#" },
      default: { $ref: "#" },
      properties: { $ref: { $ref: moved } },
      dependencies: { a: ["b"], c: { $ref: moved } },
      contains: true,
      $defs: {
        embedded: { $id: "https://a.b/c", items: { $ref: "#" } },
        named: { $id: "#here", items: { $ref: moved } },
      },
      definitions: "malformed",
    },
  });
});

describe("a value is valid as before, but wrapped", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, 1, "", "a", "abc"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "next", "items"), tie("value"), { maxKeys: 2 }),
    ),
  })).value;

  test.each<[string, JsonObject]>([
    ["a plain list", { type: "array", items: { type: ["string", "null"] } }],
    ["an enum", { enum: ["a", 1, null] }],
    ["a tree", { anyOf: [{ type: "null" }, { type: "array", items: { $ref: "#" } }] }],
    [
      "definitions",
      {
        items: { $ref: "#/$defs/s" },
        $defs: {
          s: { anyOf: [{ type: "string" }, { $ref: "#/$defs/l" }] },
          l: { items: { $ref: "#/$defs/s" }, type: "array" },
        },
      },
    ],
    ["anchors", { items: { $ref: "#s" }, $defs: { s: { $anchor: "s", type: "string" } } }],
    ["a dynamic anchor", { $dynamicAnchor: "n", type: ["array", "null"], items: { $dynamicRef: "#n" } }],
    ["an address of its own", { $id: "https://a.b/c", type: ["array", "null"], items: { $ref: "#" } }],
    [
      "an embedded address",
      {
        items: { $ref: "https://a.b/c" },
        $defs: { c: { $id: "https://a.b/c", type: ["array", "string"], items: { $ref: "#" } } },
      },
    ],
    [
      "draft-07",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        items: { $ref: "#/definitions/s" },
        definitions: { s: { type: "string" } },
      },
    ],
    [
      "draft-04",
      {
        $schema: "http://json-schema.org/draft-04/schema#",
        id: "https://a.b/c",
        type: ["array", "null"],
        items: { $ref: "#" },
      },
    ],
    [
      "a recursive reference",
      {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        $recursiveAnchor: true,
        type: ["array", "null"],
        items: { $recursiveRef: "#" },
      },
    ],
    [
      "an object by reference",
      { $ref: "#/$defs/o", $defs: { o: { type: "object", additionalProperties: { $ref: "#" } } } },
    ],
  ])("for %s", (_name, schema) => {
    const bare = compileJsonSchema(schema);
    const { schema: wrapper, isWrapped } = wrapOutputSchema(schema);
    const wrapped = compileJsonSchema(wrapper);
    expect(isWrapped).toBe(true);
    let good = 0;
    let bad = 0;
    fc.assert(
      fc.property(value, (candidate) => {
        const { ok } = bare(candidate);
        if (ok) good += 1;
        else bad += 1;
        expect(wrapped({ result: candidate }).ok).toBe(ok);
      }),
      { numRuns: 300, examples: [[null], [["a"]], [{}], [1], ["a"]] },
    );
    expect(Math.min(good, bad)).toBeGreaterThan(0);
    expect(wrapped({}).ok).toBe(false);
  });
});
