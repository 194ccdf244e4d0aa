import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  DEFAULT_MAX_JSON_DEPTH,
  DEFAULT_MAX_JSON_NODES,
  excessOfText,
  excessOfValue,
  UNBOUNDED,
} from "./json-limits.js";

const nested = (depth: number, inside = "") => `${"[".repeat(depth)}${inside}${"]".repeat(depth)}`;
const list = (length: number, member: string) => `[${Array.from({ length }, () => member).join()}]`;

/** Held against text and value alike. */
function isRefused(text: string, limits = {}): boolean {
  const [ofText, ofValue] = [excessOfText(text, limits), excessOfValue(JSON.parse(text), limits)];
  expect(ofValue).toEqual(ofText);
  if (ofText) expect(ofText.code).toBe(-32600);
  return ofText !== undefined;
}

/** Keys and strings are full of what must not be counted. */
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom('"', "\\", "[", "]}", '\\"[', ",,:", 1, null, true),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('"', "[", "\\", "},"), tie("tree"), { maxKeys: 3 }),
  ),
}));

describe("depth", () => {
  it("is 512 unless given, and one level more is refused", () => {
    expect(DEFAULT_MAX_JSON_DEPTH).toBe(512);
    expect(isRefused(nested(512))).toBe(false);
    expect(isRefused(nested(513))).toBe(true);
    expect(isRefused(`{"a":${nested(512)}}`)).toBe(true);
    expect(isRefused(nested(3), { maxJsonDepth: 3 })).toBe(false);
    expect(isRefused(nested(4), { maxJsonDepth: 3 })).toBe(true);
    expect(excessOfText(nested(4), { maxJsonDepth: 3 })?.message).toContain("nested deeper than 3 levels");
  });

  it("survives 100,000 levels, closed or not, of arrays or objects", () => {
    expect(isRefused(nested(100_000))).toBe(true);
    expect(isRefused(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)).toBe(true);
    expect(excessOfText("[".repeat(100_000), {})).toMatchObject({ code: -32600 });
  });

  it("does not count brackets inside strings, nor those that were closed", () => {
    expect(isRefused(JSON.stringify({ text: '[{"\\'.repeat(5_000) }))).toBe(false);
    expect(isRefused(`[${"[[]],{},".repeat(5_000)}"\\\\"]`)).toBe(false);
    expect(isRefused(`["\\\\",${nested(1_000)}]`)).toBe(true);
    expect(excessOfText(`["${"[".repeat(2_000)}`, {})).toBeUndefined();
  });

  it("is told exactly", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(tree, fc.nat(5), (value, maxJsonDepth) => {
        expect(isRefused(JSON.stringify(value), { maxJsonDepth })).toBe(depthOf(value) > maxJsonDepth);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("nodes", () => {
  it("are 150,000 unless given: arrays, objects, keys and strings, of whatever length", () => {
    expect(DEFAULT_MAX_JSON_NODES).toBe(150_000);
    for (const member of ["[]", "{}", '""', '"ab"']) {
      expect(isRefused(list(124_999, member))).toBe(false);
      expect(isRefused(list(125_000, member))).toBe(true);
    }
    expect(isRefused(list(68_181, '{"a":1}'))).toBe(false);
    expect(isRefused(list(68_182, '{"a":1}'))).toBe(true);
    expect(isRefused(JSON.stringify({ text: "[{,".repeat(500_000) }))).toBe(false);
  });

  it("take five numbers, or five of true, false and null, for one", () => {
    for (const member of ["1", "-0.00000005", "true", "false", "null"]) {
      expect(isRefused(list(46, member), { maxJsonNodes: 10 })).toBe(false);
      expect(isRefused(list(47, member), { maxJsonNodes: 10 })).toBe(true);
    }
    expect(isRefused(list(740_000, "1"))).toBe(false);
  });

  it("take 25 digits of a number for one", () => {
    // Digits are there in text alone.
    const isTextRefused = (text: string, maxJsonNodes: number) => excessOfText(text, { maxJsonNodes }) !== undefined;
    for (const member of ["1".repeat(25), `0.${"1".repeat(23)}`, "1".repeat(49)]) {
      expect(isTextRefused(`[${member}]`, 3)).toBe(false);
      expect(isTextRefused(`[${member}]`, 2)).toBe(true);
    }
    for (const member of ["1".repeat(50), `1e${"0".repeat(25)}`]) {
      expect(isTextRefused(`[${member}]`, 4)).toBe(false);
      expect(isTextRefused(`[${member}]`, 3)).toBe(true);
    }
  });

  it("take two numbers of more than 15 characters for one, and each with an exponent", () => {
    const isTextRefused = (text: string, maxJsonNodes: number) => excessOfText(text, { maxJsonNodes }) !== undefined;
    for (const member of ["123456789012345", "-1234567.1234567"]) {
      expect(isTextRefused(list(46, member), 10)).toBe(false);
      expect(isTextRefused(list(47, member), 10)).toBe(true);
    }
    for (const member of ["1234567890123456", "-12345678.1234567", "123456789012345678901234"]) {
      expect(isTextRefused(list(18, member), 10)).toBe(false);
      expect(isTextRefused(list(19, member), 10)).toBe(true);
    }
    for (const member of ["2e126", "-0.5E-7", "123456789012345e+3"]) {
      expect(isTextRefused(list(9, member), 10)).toBe(false);
      expect(isTextRefused(list(10, member), 10)).toBe(true);
    }
  });

  it("and levels may be without end", () => {
    expect(isRefused(nested(2_000), UNBOUNDED)).toBe(false);
    expect(isRefused(list(200_000, "[]"), UNBOUNDED)).toBe(false);
  });

  it("may be none, which leaves numbers and the like", () => {
    expect(isRefused("17", { maxJsonNodes: 0 })).toBe(false);
    expect(isRefused('""', { maxJsonNodes: 0 })).toBe(true);
    expect(excessOfText("[]", { maxJsonNodes: 0 })?.message).toContain("more than 0 arrays, objects, keys and strings");
  });

  it("are told exactly", () => {
    const weightOf = (value: unknown): number => {
      if (typeof value === "string") return 10;
      if (typeof value !== "object" || value === null) return 0;
      const members = Object.values(value);
      const keys = Array.isArray(value) ? 0 : members.length;
      const commas = 2 * Math.max(0, members.length - 1);
      return 10 + 10 * keys + commas + members.map(weightOf).reduce((sum, weight) => sum + weight, 0);
    };
    fc.assert(
      fc.property(tree, fc.nat(20), (value, maxJsonNodes) => {
        expect(isRefused(JSON.stringify(value), { maxJsonNodes })).toBe(weightOf(value) > 10 * maxJsonNodes);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the scan", () => {
  function charactersReadOf(text: string): number {
    const read = vi.spyOn(String.prototype, "charCodeAt");
    excessOfText(text, {});
    const count = read.mock.calls.length;
    read.mockRestore();
    return count;
  }

  it("leaves out what is too short to reach a limit", () => {
    expect(charactersReadOf(nested(512))).toBe(0);
    expect(charactersReadOf(nested(512, " "))).toBeGreaterThan(0);
  });

  it("ends where a limit is reached", () => {
    expect(charactersReadOf(`[${"[],".repeat(300_000)}[]]`)).toBeLessThan(600_000);
  });
});
