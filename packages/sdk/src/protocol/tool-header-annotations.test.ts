import { describe, expect, it } from "vitest";
import { expectCpuMsBelow } from "../runtime/cpu-time.fixture.js";
import { findToolHeaders, valueAt } from "./tool-header-annotations.js";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("findToolHeaders", () => {
  it("finds annotated properties at any depth of properties, in order", () => {
    const schema = object({
      region: { type: "string", "x-mcp-header": "Region" },
      plain: { type: "string" },
      inner: object({ "x-mcp-header": { type: ["integer", "null"], "x-mcp-header": "X-Count" } }),
      isDry: { type: "boolean", "x-mcp-header": "dry" },
    });
    expect(findToolHeaders(schema)).toEqual({
      ok: true,
      headers: [
        { header: "mcp-param-region", path: ["region"] },
        { header: "mcp-param-x-count", path: ["inner", "x-mcp-header"] },
        { header: "mcp-param-dry", path: ["isDry"] },
      ],
    });
  });

  it.each([
    ["nothing at all", undefined],
    ["a boolean schema", true],
    ["properties that are no object", { properties: 7 }],
    [
      "data that looks like an annotation",
      object({ a: { default: { "x-mcp-header": "A" }, enum: [{ "x-mcp-header": 1 }] } }),
    ],
    ["examples and constants", { examples: [{ "x-mcp-header": "A" }], const: { "x-mcp-header": "A" } }],
  ])("finds nothing in %s", (_what, schema) => {
    expect(findToolHeaders(schema)).toEqual({ ok: true, headers: [] });
  });

  const annotated = { type: "string", "x-mcp-header": "A" };
  it.each([
    ["an empty name", object({ a: { type: "string", "x-mcp-header": "" } }), /^a: .*HTTP allows.*""/],
    ["a name with a space", object({ a: { type: "string", "x-mcp-header": "My Region" } }), /HTTP allows/],
    ["a name with a colon", object({ a: { type: "string", "x-mcp-header": "a:b" } }), /HTTP allows/],
    ["a name with a line break", object({ a: { type: "string", "x-mcp-header": "a\r\nb" } }), /HTTP allows/],
    ["a name that is not ASCII", object({ a: { type: "string", "x-mcp-header": "Größe" } }), /HTTP allows/],
    ["a name that is no string", object({ a: { type: "string", "x-mcp-header": 7 } }), /HTTP allows.*7/],
    ["a number", object({ a: { type: "number", "x-mcp-header": "A" } }), /type string, integer or boolean/],
    ["an object", object({ a: { type: "object", "x-mcp-header": "A" } }), /type string, integer or boolean/],
    ["null alone", object({ a: { type: ["null"], "x-mcp-header": "A" } }), /type string, integer or boolean/],
    ["several types", object({ a: { type: ["string", "integer"], "x-mcp-header": "A" } }), /type string, integer/],
    ["no type", object({ a: { "x-mcp-header": "A" } }), /type string, integer or boolean/],
    ["the same name twice", object({ a: annotated, b: { ...annotated, "x-mcp-header": "a" } }), /^b: .*used twice/],
    ["the schema itself", { ...annotated, type: "string" }, /^the schema itself: .*properties alone/],
    ["items", object({ list: { type: "array", items: annotated } }), /^list.items: .*properties alone/],
    ["prefixItems", object({ list: { prefixItems: [annotated] } }), /properties alone/],
    ["anyOf", object({}, { anyOf: [object({ a: annotated })] }), /^anyOf.a: .*properties alone/],
    ["not", object({ a: { not: annotated } }), /properties alone/],
    ["if, then and else", { if: object({ a: annotated }) }, /properties alone/],
    ["a definition", object({}, { $defs: { a: annotated } }), /^\$defs.a: .*properties alone/],
    ["properties by pattern", { patternProperties: { "^x": annotated } }, /properties alone/],
    ["additional properties", { additionalProperties: annotated }, /properties alone/],
  ])("refuses %s", (_what, schema, reason) => {
    expect(findToolHeaders(schema)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it("refuses names that no request has room for, and repeats no more than the start of a bad one", () => {
    const named = (length: number) => object({ a: { type: "string", "x-mcp-header": "n".repeat(length) } });
    expect(findToolHeaders(named(16_374)).ok).toBe(true);
    expect(findToolHeaders(named(16_375))).toMatchObject({
      reason: expect.stringContaining("within 16384 characters"),
    });
    const bad = findToolHeaders(object({ a: { type: "string", "x-mcp-header": " ".repeat(5_000) } }));
    expect(JSON.stringify(bad).length).toBeLessThan(300);
  });

  it("names the first of several faults", () => {
    const schema = object({ a: { type: "number", "x-mcp-header": "A" }, b: { type: "string", "x-mcp-header": "" } });
    expect(findToolHeaders(schema)).toMatchObject({ reason: expect.stringMatching(/^a:/) });
  });

  it("takes time in proportion to the schema, however deep it nests", () => {
    const members = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, {}]));
    let schema: object = object(members);
    for (let depth = 1; depth < 1_500; depth += 1) schema = object({ ...members, next: schema });
    expectCpuMsBelow(200, () => findToolHeaders(schema));
  });

  it("makes the path of the first fault alone", () => {
    const faulty = { type: "number", "x-mcp-header": "A" };
    let schema: object = object(
      Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`p${index}`, faulty])),
    );
    for (let depth = 1; depth < 1_000; depth += 1) schema = object({ next: schema });
    expectCpuMsBelow(200, () => findToolHeaders(schema));
  });
});

describe("valueAt", () => {
  it("reads own members along the path, and nothing else", () => {
    expect(valueAt({ a: { b: 7 } }, ["a", "b"])).toBe(7);
    expect(valueAt({ a: { b: null } }, ["a", "b"])).toBeNull();
    expect(valueAt({ a: 7 }, ["a", "b"])).toBeUndefined();
    expect(valueAt({}, ["constructor"])).toBeUndefined();
    expect(valueAt(undefined, ["a"])).toBeUndefined();
  });
});
