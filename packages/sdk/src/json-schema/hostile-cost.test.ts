/** Inputs within the limits that once took seconds: compiling, judging and reporting stay under 200 ms of CPU time on the reference machine. */
import { describe, expect, test } from "vitest";
import { expectCpuMsBelow } from "../runtime/cpu-time.fixture.js";
import type { JsonObject } from "../runtime/json.js";
import { collidingDoubles } from "./colliding-doubles.fixture.js";
import { compileJsonSchema } from "./compile-json-schema.js";
import { UnusableSchemaError } from "./unusable-schema-error.js";
import { describeIssues } from "./validation-result.js";

const MAX_CPU_MS = 200;

type Attack = readonly [schema: JsonObject, value: unknown];

/** Compiles, judges and reports; the outcome in words. */
function judge([schema, value]: Attack): string {
  try {
    const result = compileJsonSchema(schema)(value);
    return result.ok ? "valid" : describeIssues(result.issues, "v");
  } catch (error) {
    if (error instanceof UnusableSchemaError) return error.message;
    throw error;
  }
}

function times<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

function members(count: number, name: (index: number) => string, value: unknown = 0): JsonObject {
  return Object.fromEntries(times(count, (index) => [name(index), value]));
}

/** Applies one schema to the same value many times. */
function often(count: number, d: JsonObject): JsonObject {
  return { allOf: times(count, () => ({ $ref: "#/$defs/d" })), $defs: { d } };
}

const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];
const tooManySteps = "cannot be validated";
const uncompiled = "takes more than the limit";

/** As they come from the wire: strings that are equal are different strings in memory. */
function received([schema, value]: Attack): Attack {
  return [JSON.parse(JSON.stringify(schema)), JSON.parse(JSON.stringify(value))];
}

describe("no more than 200 ms of CPU time", () => {
  test.each<[name: string, words: string, make: () => Attack]>([
    ["uniqueItems over doubles that collide", "valid", () => [{ uniqueItems: true }, collidingDoubles(140_000)]],
    ["an enum of doubles that collide", "expected one of", () => [{ enum: collidingDoubles(60_000) }, 1.5]],
    [
      "uniqueItems over strings too long to be hashed",
      tooManySteps,
      () => [{ uniqueItems: true }, times(600, (index) => "a".repeat(16_380) + String(1000 + index))],
    ],
    [
      "dependentRequired",
      tooManySteps,
      () => [often(2000, { dependentRequired: members(70_000, (index) => `d${index}`, []) }), { a: 1 }],
    ],
    [
      "dependentSchemas",
      tooManySteps,
      () => [often(2000, { dependentSchemas: members(7000, (index) => `d${index}`, true) }), { a: 1 }],
    ],
    [
      "dependentSchemas beside unevaluatedProperties",
      tooManySteps,
      () => [
        {
          ...often(2000, { dependentSchemas: members(6000, (index) => `d${index}`, true) }),
          unevaluatedProperties: false,
        },
        { a: 1 },
      ],
    ],
    ["a long const", tooManySteps, () => [often(5000, { const: "a".repeat(3_000_000) }), "a".repeat(3_000_000)]],
    [
      "a long string in an enum",
      tooManySteps,
      () => [often(5000, { enum: [1, "a".repeat(3_000_000)] }), "a".repeat(3_000_000)],
    ],
    [
      "9,000 alternatives in the reporting pass",
      "v[0]: expected string, got number",
      () => [
        {
          prefixItems: [{ type: "string" }],
          items: { anyOf: [{ type: "number" }, ...times(9000, () => ({ type: "string" }))] },
        },
        times(240_000, () => 1),
      ],
    ],
    ["a pattern of 3.6 MB", "has a pattern that is too large", () => [{ pattern: "\\p{L}".repeat(720_000) }, "x"]],
    ["the format regex", tooManySteps, () => [{ format: "regex" }, "[\\p{L}\\p{M}]".repeat(23_000)]],
    ["the format regex, briefly", tooManySteps, () => [{ format: "regex" }, `[${"\\p{L}".repeat(3000)}]`]],
    ["the format uri-template", tooManySteps, () => [often(3, { format: "uri-template" }), "{a}".repeat(1_300_000)]],
    ["the format uri", tooManySteps, () => [{ items: { format: "uri" } }, times(140_000, () => "a://b@[::1]:1/c?d#e")]],
    [
      "patterns for names",
      tooManySteps,
      () => [
        { patternProperties: members(1000, (index) => `x${index}y`, true) },
        members(50_000, (index) => `k${index}`),
      ],
    ],
    [
      "patterns for names that backtrack",
      tooManySteps,
      () => [
        { patternProperties: members(500, (index) => `.*${index}.*z`, true) },
        members(50_000, (index) => `k${index}`),
      ],
    ],
    [
      "boolean schemas over long lists",
      tooManySteps,
      () => [often(50, { not: { contains: false } }), times(1_000_000, () => 1)],
    ],
    [
      "a long list of types",
      "v[0]: expected string, got number",
      () => [{ items: { anyOf: [{ type: times(70_000, () => "string") }] } }, times(200_000, () => 1)],
    ],
    [
      "patterns with many ways to go on",
      "v: matches none of the alternatives",
      () => [
        { anyOf: times(30, (index) => ({ type: "string", pattern: `^(?:${letters.join("|")})*-${index}$` })) },
        "x!",
      ],
    ],
    [
      "patterns of Unicode properties",
      "expected to match the pattern",
      () => [{ pattern: "\\p{L}\\p{M}\\p{L}\\p{C}x" }, "\u0101"],
    ],
    [
      "long texts for Unicode properties",
      tooManySteps,
      () => [
        { items: { not: { not: { pattern: `${"\\p{L}".repeat(72)}x` } } } },
        times(65, () => "a\u4e00".repeat(12_817)),
      ],
    ],
    [
      "many short texts for patterns that backtrack",
      tooManySteps,
      () => [
        { items: { not: { anyOf: times(200, (index) => ({ pattern: `^(?:a|a|b)*${index}$` })) } } },
        times(5000, () => "aab!"),
      ],
    ],
    ["many Unicode properties", uncompiled, () => [{ pattern: "\\p{L}".repeat(800) }, "a\u0101"]],
    [
      "many characters beyond ASCII",
      "expected to match the pattern",
      () => [{ pattern: `(a*b*)*${String.fromCharCode(...times(4000, (index) => 0x4e00 + index))}` }, "aaaa"],
    ],
    ["many dots", "expected to match the pattern", () => [{ pattern: `${".".repeat(500)}` }, "a\u0101"]],
    [
      "a fault below a long name",
      "expected string, got number",
      () => [
        { additionalProperties: { additionalProperties: { type: "string" } } },
        { ["\u0001".repeat(600_000)]: members(20, (index) => `k${index}`) },
      ],
    ],
    [
      "references by URL",
      uncompiled,
      () => [
        {
          $id: "https://a.example/",
          $defs: Object.fromEntries(
            times(9000, (index) => [`d${index}`, { $id: `x${index}`, $ref: `x${(index + 1) % 9000}` }]),
          ),
        },
        1,
      ],
    ],
    ["a long reference", uncompiled, () => [{ $ref: `#/${"%41".repeat(1_300_000)}` }, 1]],
    ["10,000 subschemas", "valid", () => [often(9000, { contains: false }), 1]],
  ])("is taken by %s", { timeout: 60_000 }, (_name, words, make) => {
    const attack = received(make());
    expectCpuMsBelow(MAX_CPU_MS, () => judge(attack));
    expect(judge(attack)).toContain(words);
  });
});
