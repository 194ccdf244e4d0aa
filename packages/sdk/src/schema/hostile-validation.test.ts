import { format } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../protocol/json.js";
import { defaultJsonSchemaValidator } from "./json-schema-validator.js";
import { describeIssues } from "./validation.js";

const validator = defaultJsonSchemaValidator();

/** What is wrong with a value, in words; undefined if nothing is. */
function complaint(schema: JsonObject, value: unknown): string | undefined {
  const result = validator.compile(schema)(value);
  return result.ok ? undefined : describeIssues(result.issues, "v");
}

describe("the default validator is not stalled or broken", () => {
  test("by a regular expression that backtracks", () => {
    const validate = validator.compile({ properties: { a: { pattern: "^(a+)+$" } } });
    expect(validate({ a: `${"a".repeat(5000)}!` }).ok).toBe(false);
    expect(validate({ a: "aaaa" }).ok).toBe(true);
    expect(Object.keys(format).filter((name) => name.includes("pattern"))).toEqual([]);
  });

  test("by a string too long for its pattern", () => {
    expect(complaint({ pattern: "^(\\w+\\s?)*$" }, "a".repeat(10_000_000))).toBe(
      "v: cannot be validated: The string is too long for its pattern",
    );
  });

  test("by patterns it cannot run, which it refuses", () => {
    expect(() => validator.compile({ pattern: "(a)\\1" })).toThrow(
      'has a "pattern" that is too large or uses back references',
    );
    expect(() => validator.compile({ items: { pattern: "(" } })).toThrow(
      '#/items has a "pattern" that is no regular expression',
    );
    expect(() => validator.compile({ patternProperties: { "^(a+)+$": {} } })).toThrow("could take long: ^(a+)+$");
    expect(() => validator.compile({ patternProperties: { "(": {} } })).toThrow("no regular expression: (");
  });

  test("by subschemas that double at every level", () => {
    const levels = Array.from({ length: 60 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { allOf: [next, next] }] as const;
    });
    const $defs = Object.fromEntries([...levels, ["d60", { type: "string" }]]);
    expect(complaint({ $ref: "#/$defs/d0", $defs }, "x")).toBe(
      "v: cannot be validated: the value and its schema take too many steps",
    );
  });

  test("by a deep value whose schema doubles at every level", () => {
    const next = { properties: { next: { $ref: "#" } } };
    let value = {};
    for (let depth = 0; depth < 100; depth += 1) value = { next: value };
    expect(complaint({ allOf: [next, next] }, value)).toContain("too many steps");
  });

  test("by a large value: the limit on evaluations is an option", () => {
    const bounded = defaultJsonSchemaValidator({ maxEvaluations: 10 }).compile({ items: { type: "number" } });
    expect(bounded(new Array(9).fill(1)).ok).toBe(true);
    expect(bounded(new Array(10).fill(1)).ok).toBe(false);
    expect(validator.compile({ items: { type: "number" } })(new Array(249_999).fill(1)).ok).toBe(true);
    expect(validator.compile({ items: { type: "number" } })(new Array(250_000).fill(1)).ok).toBe(false);
  });

  test("by a value as deep as the wire lets through", () => {
    const validate = validator.compile({ anyOf: [{ additionalProperties: { $ref: "#" } }, { type: "null" }] });
    let value: unknown = null;
    for (let depth = 0; depth < 512; depth += 1) value = { next: value };
    expect(() => validate(value)).not.toThrow();
    const shallow = validator.compile({ type: "object", additionalProperties: { $ref: "#" } });
    let objects = {};
    for (let depth = 0; depth < 200; depth += 1) objects = { next: objects };
    expect(shallow(objects).ok).toBe(true);
  });

  test("by long arrays that must be unique", () => {
    const numbers = Array.from({ length: 1001 }, (_, index) => index);
    expect(complaint({ uniqueItems: true }, numbers)).toBe("v: expected at most 1000 items");
    expect(complaint({ uniqueItems: true }, numbers.slice(1))).toBeUndefined();
    expect(complaint({ uniqueItems: false }, [1, 1])).toBeUndefined();
    expect(complaint({ uniqueItems: true }, "text")).toBeUndefined();
  });

  test("by what is no JSON", () => {
    expect(complaint({ properties: { a: {} } }, { a: undefined })).toContain(
      'v: cannot be validated: Instances of "undefined"',
    );
    expect(complaint({ additionalProperties: {} }, { "\ud800": 1 })).toContain("v: cannot be validated: URI malformed");
    const odd = {
      get a() {
        // biome-ignore lint/style/useThrowOnlyError: a getter may throw anything
        throw "a fit";
      },
    };
    expect(complaint({ properties: { a: {} } }, odd)).toBe("v: cannot be validated: a fit");
  });
});
