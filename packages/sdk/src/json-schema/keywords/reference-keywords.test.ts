import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import { compileJsonSchema } from "../compile-json-schema.js";

function expectVerdicts(schema: JsonObject, good: readonly unknown[], bad: readonly unknown[]): void {
  const validate = compileJsonSchema(schema);
  for (const value of good) expect(validate(value), JSON.stringify(value)).toEqual({ ok: true, value });
  for (const value of bad) expect(validate(value).ok, JSON.stringify(value)).toBe(false);
}

describe("a dynamic reference", () => {
  /** A list whose items are whatever the schema that extends it says. */
  const list = {
    $id: "https://a.b/list",
    items: { $dynamicRef: "#item" },
    $defs: { anything: { $dynamicAnchor: "item" } },
  };

  test("leads to the outermost declaration on the way", () => {
    const strings = {
      $id: "https://a.b/strings",
      $ref: "list",
      $defs: { strings: { $dynamicAnchor: "item", type: "string" }, list },
    };
    expectVerdicts(strings, [["a"]], [[1]]);
    expectVerdicts({ ...strings, $ref: "#/$defs/strings" }, ["a"], [1]);
  });

  test("leads to its own declaration where no other is on the way", () => {
    const both = {
      $id: "https://a.b/both",
      properties: { list: { $ref: "list" }, strings: { $ref: "strings" } },
      $defs: {
        list,
        strings: { $id: "strings", $ref: "list", $defs: { item: { $dynamicAnchor: "item", type: "string" } } },
      },
    };
    expectVerdicts(both, [{ list: [1], strings: ["a"] }], [{ strings: [1] }]);
  });

  test("forgets the way it has left", () => {
    const schema = {
      $id: "https://a.b/outer",
      allOf: [{ $ref: "strings" }, { $ref: "list" }],
      $defs: {
        list,
        strings: { $id: "strings", maxItems: 1, $defs: { item: { $dynamicAnchor: "item", type: "string" } } },
      },
    };
    expectVerdicts(schema, [[1]], [[1, 2]]);
  });

  test("to a plain anchor is a plain reference", () => {
    const schema = {
      $id: "https://a.b/outer",
      $ref: "inner",
      $defs: {
        a: { $dynamicAnchor: "x", type: "string" },
        inner: { $id: "inner", $dynamicRef: "#x", $defs: { b: { $anchor: "x", type: "number" } } },
        other: { $id: "other", $dynamicAnchor: "x" },
      },
    };
    expectVerdicts(schema, [1], ["a"]);
  });

  test("is paid for by the length of the way", () => {
    const chain = Array.from({ length: 100 }, (_, index) => ({
      $id: `https://a.b/${index}`,
      $dynamicAnchor: "n",
      properties: { next: { $ref: `https://a.b/${index + 1}` } },
    }));
    const last = { $id: "https://a.b/100", items: { $dynamicRef: "https://a.b/0#n" } };
    const schema = { $ref: "https://a.b/0", $defs: Object.fromEntries([...chain, last].entries()) };
    let value: unknown = new Array(1000).fill(1);
    for (let level = 0; level < 100; level += 1) value = { next: value };
    expect(compileJsonSchema(schema, { maxEvaluations: 10_000 })(value).ok).toBe(false);
    expect(compileJsonSchema(schema, { maxEvaluations: 40_000 })(value).ok).toBe(true);
  });
});

describe("a recursive reference", () => {
  const $schema = "https://json-schema.org/draft/2019-09/schema";
  const tree = (extensible: boolean) => ({
    $id: "https://a.b/tree",
    $recursiveAnchor: extensible,
    type: "object",
    properties: { left: { $recursiveRef: "#" } },
  });
  const strict = (extensible: boolean) => ({
    $schema,
    $id: "https://a.b/strict",
    $recursiveAnchor: true,
    $ref: "tree",
    unevaluatedProperties: false,
    $defs: { tree: tree(extensible) },
  });

  test("leads to the outermost schema that takes part", () => {
    expectVerdicts(strict(true), [{ left: {} }], [{ left: { lfet: {} } }, { lfet: {} }]);
  });

  test("leads to the root of its own schema otherwise", () => {
    expectVerdicts(strict(false), [{ left: { lfet: {} } }], [{ left: 1 }, { lfet: {} }]);
  });
});

describe("a chain of references", () => {
  test("costs no more than its end", () => {
    const links = Array.from({ length: 3000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]);
    for (const order of [links, links.toReversed()]) {
      const $defs = { ...Object.fromEntries(order), d3000: { type: "string" } };
      expectVerdicts({ $ref: "#/$defs/d0", description: "a note", $defs }, ["a"], [1]);
    }
    const $defs = { ...Object.fromEntries(links), d3000: { type: "string" } };
    const single = compileJsonSchema({ $ref: "#/$defs/d0", $defs }, { maxEvaluations: 1 });
    expect(single("a").ok).toBe(true);
  });

  test("ends where something is added", () => {
    const $defs = { a: { $ref: "#/$defs/b", minLength: 2 }, b: { $ref: "#/$defs/c" }, c: { type: "string" } };
    expectVerdicts({ $ref: "#/$defs/a", $defs }, ["ab"], ["a", 1]);
    expectVerdicts(
      { $ref: "#/$defs/c", $dynamicRef: "#/$defs/d", $defs: { ...$defs, d: { minLength: 2 } } },
      ["ab"],
      ["a"],
    );
  });
});
