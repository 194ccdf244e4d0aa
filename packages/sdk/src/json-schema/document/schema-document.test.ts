import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import type { SchemaLimits } from "../limits.js";
import { UnusableSchemaError } from "../unusable-schema-error.js";
import { readSchemaDocument } from "./schema-document.js";

function nested(depth: number): JsonObject {
  let schema: JsonObject = {};
  for (let level = 1; level < depth; level += 1) schema = { items: schema };
  return schema;
}

function expectRefused(schema: JsonObject, problem: string | RegExp, limits?: SchemaLimits): void {
  const read = () => readSchemaDocument(schema, limits);
  expect(read).toThrow(UnusableSchemaError);
  expect(read).toThrow(problem);
}

describe("bounds", () => {
  test("depth, by default and by option", () => {
    expect(readSchemaDocument(nested(64))).toHaveLength(64);
    expectRefused(nested(65), "deeper than the limit of 64");
    expectRefused(nested(3), "deeper than the limit of 2", { maxDepth: 2 });
    expectRefused(nested(100_000), "nests deeper than 1024 levels");
  });

  test("the number of subschemas, by default and by option", () => {
    const wide = (count: number) => ({ anyOf: Array.from({ length: count }, () => true) });
    expect(readSchemaDocument(wide(9_999))).toHaveLength(10_000);
    expectRefused(wide(10_000), "more than the limit of 10000 subschemas");
    expectRefused(wide(5), "more than the limit of 5 subschemas", { maxSubschemas: 5 });
  });

  test("what contains itself, or is no JSON", () => {
    const cyclic: JsonObject = {};
    cyclic.items = cyclic;
    expectRefused(cyclic, "contains itself");
    const inValue: JsonObject = { default: {} };
    Object.assign(inValue.default as object, { again: inValue.default });
    expectRefused(inValue, "contains itself");
    expectRefused({ const: 1n }, "cannot be written as JSON");
    expectRefused({ default: () => 1 }, "cannot be written as JSON: it holds a function");
    expectRefused({ default: Symbol("a") }, "cannot be written as JSON: it holds a symbol");
  });

  test("the steps to compile, by default and by option", () => {
    expectRefused(
      { enum: Array.from({ length: 500_001 }, () => 1) },
      "takes more than the limit of 250000 steps to compile",
    );
    const schema = { type: "string", title: "a" };
    expect(readSchemaDocument(schema, { maxCompilationSteps: 8 })).toHaveLength(1);
    expectRefused(schema, "make it smaller, or raise schemaLimits.maxCompilationSteps", { maxCompilationSteps: 7 });
  });
});

describe("malformed keywords", () => {
  test.each<[JsonObject, string]>([
    [{ type: "text" }, 'malformed "type"'],
    [{ type: ["string", "text"] }, 'malformed "type"'],
    [{ required: "a" }, 'malformed "required": expected a list of names'],
    [{ required: [1] }, 'malformed "required"'],
    [{ enum: "a" }, 'malformed "enum": expected a list'],
    [{ minLength: -1 }, 'malformed "minLength": expected a count'],
    [{ maxItems: 1.5 }, 'malformed "maxItems"'],
    [{ minimum: "1" }, 'malformed "minimum": expected a number'],
    [{ exclusiveMinimum: "1" }, 'malformed "exclusiveMinimum"'],
    [{ multipleOf: 0 }, 'malformed "multipleOf": expected a positive number'],
    [{ uniqueItems: 1 }, 'malformed "uniqueItems": expected a boolean'],
    [{ pattern: 1 }, 'malformed "pattern": expected a string'],
    [{ dependentRequired: { a: "b" } }, 'malformed "dependentRequired"'],
    [{ dependentRequired: [] }, 'malformed "dependentRequired"'],
    [{ anyOf: {} }, 'malformed "anyOf": expected a list of at least one schema'],
    [{ anyOf: [] }, 'malformed "anyOf"'],
    [{ properties: [] }, 'malformed "properties": expected schemas by name'],
    [{ properties: { "a/b": null } }, "at #/properties/a~1b is not a schema"],
    [{ not: 1 }, "at #/not is not a schema"],
    [{ dependencies: { a: [1] } }, "at #/dependencies/a is not a schema"],
    [{ $ref: 1 }, "no URI of up to 1024 characters: 1"],
    [{ $ref: { toString: "" } }, "characters: object"],
    [{ $id: [{ toString: "" }] }, "characters: array"],
    [{ items: { $schema: { toString: "" } } }, "switches to the dialect object"],
    [{ $anchor: { toString: "" }, $dynamicAnchor: 1, $ref: "#1" }, "leads to no subschema"],
    [{ $id: "https://" }, "characters: https://"],
    [{ $id: `https://a.b/${"c".repeat(1024)}` }, "characters: https://a.b/ccc"],
    [{ $ref: "#/%zz" }, "characters: #/%zz"],
  ])("%j", (schema, problem) => {
    expectRefused(schema, problem);
  });

  test("an absent value is no value", () => {
    expect(readSchemaDocument({ type: undefined, items: undefined })).toHaveLength(1);
  });
});

describe("references", () => {
  /** Where the references of a schema lead. */
  function targets(schema: JsonObject): string[] {
    return readSchemaDocument(schema).flatMap((node) => node.references.map(({ target }) => `#${target.pointer}`));
  }

  test.each<[string, JsonObject, string[]]>([
    ["the root", { items: { $ref: "#" } }, ["#"]],
    ["a pointer", { items: { $ref: "#/$defs/a" }, $defs: { a: true } }, ["#/$defs/a"]],
    ["an escaped pointer", { items: { $ref: "#/$defs/a~1b%20c" }, $defs: { "a/b c": {} } }, ["#/$defs/a~1b c"]],
    ["an anchor", { items: { $ref: "#here" }, $defs: { a: { $anchor: "here" } } }, ["#/$defs/a"]],
    ["the document's own address", { $id: "https://example.com/s", items: { $ref: "https://example.com/s#" } }, ["#"]],
    ["an embedded address", { $id: "https://a.b/c", items: { $ref: "d" }, $defs: { x: { $id: "d" } } }, ["#/$defs/x"]],
    [
      "a pointer from an embedded address",
      { $defs: { x: { $id: "https://a.b/c", items: { $ref: "#/$defs/y" }, $defs: { y: {} } } } },
      ["#/$defs/x/$defs/y"],
    ],
    ["a root that names itself", { $id: "#", items: { $ref: "#" } }, ["#"]],
    ["a urn", { $id: "urn:a:b", items: { $ref: "#/$defs/x" }, $defs: { x: {} } }, ["#/$defs/x"]],
    ["a draft-07 anchor", { items: { $ref: "#here" }, definitions: { a: { $id: "#here" } } }, ["#/definitions/a"]],
    [
      "no address beside a draft-07 reference",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        $id: "https://a.b/c",
        items: { $id: "d/", $ref: "x" },
        definitions: { x: { $id: "x" } },
      },
      ["#/definitions/x"],
    ],
    [
      "a draft-04 address",
      {
        $schema: "http://json-schema.org/draft-04/schema#",
        items: { $ref: "https://a.b/c" },
        definitions: { a: { id: "https://a.b/c", $id: "ignored" } },
      },
      ["#/definitions/a"],
    ],
    ["a dynamic anchor", { $dynamicAnchor: "node", items: { $dynamicRef: "#node" } }, ["#"]],
    ["a recursive anchor", { $recursiveAnchor: true, items: { $recursiveRef: "#" } }, ["#"]],
    [
      "a place that the way taken decides",
      {
        $dynamicAnchor: "n",
        items: { $dynamicRef: "#n" },
        $defs: { a: { $id: "https://a.b/c", $dynamicAnchor: "n" } },
      },
      ["#"],
    ],
    ["a dynamic reference to a pointer", { items: { $dynamicRef: "#/$defs/a" }, $defs: { a: {} } }, ["#/$defs/a"]],
  ])("lead to %s", (_name, schema, expected) => {
    expect(targets(schema)).toEqual(expected);
  });

  test.each<[string, JsonObject, string]>([
    ["another document", { $ref: "https://example.com/x" }, "leaves the document; references are never fetched"],
    ["a file beside it", { $ref: "other.json#/a" }, "leaves the document"],
    ["a meta-schema", { $ref: "https://json-schema.org/draft/2020-12/schema" }, "leaves the document"],
    ["another document dynamically", { $dynamicRef: "https://example.com/x#a" }, "leaves the document"],
    ["nowhere", { $ref: "#/$defs/a" }, '"$ref": "#/$defs/a", which leads to no subschema'],
    ["no anchor", { $ref: "#a" }, "leads to no subschema"],
    ["beyond a boolean", { $ref: "#/$defs/a/not/not/not/not", $defs: { a: { not: true } } }, "leads to no subschema"],
    ["what is no subschema", { $ref: "#/x-own/a", "x-own": { a: {} } }, "leads to no subschema"],
    ["itself", { $ref: "#" }, "refers to itself without end"],
    [
      "itself by way of others",
      { allOf: [{ anyOf: [{ $ref: "#/$defs/a" }] }], $defs: { a: { not: { $ref: "#" } } } },
      "without end",
    ],
    ["one of two names", { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "which is in use already"],
  ])("do not lead to %s", (_name, schema, problem) => {
    expectRefused(schema, problem);
  });

  test("are dynamic where a name is declared more than once", () => {
    const dynamicNames = (schema: JsonObject) =>
      readSchemaDocument(schema).flatMap(({ references }) => references.map(({ dynamicName }) => dynamicName));
    const once = { $dynamicAnchor: "n", items: { $dynamicRef: "#n" } };
    expect(dynamicNames(once)).toEqual([undefined]);
    const twice = { ...once, $defs: { a: { $id: "https://a.b/c", $dynamicAnchor: "n" } } };
    expect(dynamicNames(twice)).toEqual(["n"]);
    expect(dynamicNames({ ...twice, items: { $ref: "#n" } })).toEqual([undefined]);
  });

  test("may meet again without being endless", () => {
    const twice = {
      anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }],
      $defs: { a: { not: { $ref: "#/$defs/b" } }, b: {} },
    };
    expect(targets(twice)).toHaveLength(3);
  });

  test("in values are no references", () => {
    const quoted = { const: { $ref: "https://example.com/x" }, properties: { $ref: { type: "string" } } };
    expect(targets(quoted)).toEqual([]);
  });
});

test("one document has one dialect", () => {
  const draft7 = "http://json-schema.org/draft-07/schema#";
  expectRefused({ items: { $schema: draft7 } }, `#/items switches to the dialect ${draft7}`);
  expect(
    readSchemaDocument({ $schema: draft7, items: { $schema: "https://json-schema.org/draft-07/schema" } }),
  ).toHaveLength(2);
});
