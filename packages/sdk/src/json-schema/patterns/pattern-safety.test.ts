import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { referenceCpuMs } from "../../runtime/cpu-time.fixture.js";
import { WorkBudget } from "../../runtime/work-budget.js";
import { nativeSize, nativeWeight } from "./pattern-safety.js";
import { type PatternNode, parsePattern } from "./pattern-syntax.js";

const unlimited = new WorkBudget(Number.POSITIVE_INFINITY, () => new RangeError("spent"));

function weightOf(pattern: string): number | undefined {
  return nativeWeight(parsePattern(pattern, unlimited) as PatternNode);
}

test("the built-in engine compiles up to 16 sets with many ranges, and none of a property", () => {
  const sizeOf = (pattern: string) => nativeSize(parsePattern(pattern, unlimited) as PatternNode);
  expect(sizeOf("a[bc]\\b")).toBe(0);
  expect(sizeOf("(?:\\W|[^a])*".repeat(8))).toBe(16);
  expect(sizeOf("\\W".repeat(17))).toBeUndefined();
  expect(sizeOf("\\p{L}")).toBeUndefined();
});

test("groups lie in each other up to 100 deep", () => {
  const nested = (depth: number) => parsePattern(`${"(".repeat(depth)}a${")".repeat(depth)}`, unlimited);
  expect(nested(100)).toBeDefined();
  expect(nested(101)).toBeUndefined();
  expect(parsePattern("(a)".repeat(101), unlimited)).toBeDefined();
});

describe("left to the built-in engine", () => {
  test.each([
    "",
    "^x-",
    "_id$",
    "\\d",
    "\\bword\\b",
    "^foo|bar$",
    "a{3}",
    "\\d{4}-\\d{2}",
    "\\d+",
    "[ab]\\d*",
    "^x-.*",
    "(?:a|b)(?:c|d)",
    "^(?:a?b?){2}$",
  ])("%s, which has few ways to match", (pattern) => {
    expect(weightOf(pattern)).toBeLessThanOrEqual(512);
  });

  test.each([
    "^.*$",
    "^[a-z0-9-]+$",
    "^[^@]+@[^@]+$",
    "^S_[0-9]*x$",
    "^[a-z]+(?:-[a-z0-9]+)*$",
    "^(?:[0-9]+|[a-z]+)$",
    "^(?:a|b|)c*$",
    "^[A-Za-z_][A-Za-z0-9_]{0,63}$",
    "^\\d+(?:\\.\\d+)?$",
    "^\\S+$",
    "^(?:é+a)*$",
    "^\\w+:\\w+",
  ])("%s, which gives no choice", (pattern) => {
    expect(weightOf(pattern)).toBeLessThan(20);
  });
});

test.each([
  "^(a+)+$",
  "^(a|a)*$",
  "^(?:a*)*$",
  "(x+x+)+y",
  "a+b",
  "\\ba*b",
  "a*$",
  "^a+a+$",
  "^.*x$",
  "^\\S+@\\S+$",
  "^(?:a|ab)*c$",
  "^(?:a?)*$",
  "^(?:a|b*|c*)*$",
  "^(?:a*|b*)c*$",
  "^a*|b*c",
  "^(?=a)b*$",
  "^(?:(?:ab)*c*)*$",
  "^(?:\\b[a-z])*$",
  "^(?:\\ba|b*)$",
  "^a*(?:b|\\b)$",
  "^[a-z]{1,1001}$",
  "^(?:a?){50}a{50}$",
  "^x*(?:ab){1,2}a",
  "^x*(?:a|)a",
  "a{600}b",
  `^(?:${"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-!@".split("").join("")})*$`,
  "^\\s*\\u00a0$",
  "^\\w*[^a]*$",
  "[a-z]*x",
  "a*b",
])("not left to it: %s", (pattern) => {
  expect(weightOf(pattern)).toBeUndefined();
});

test("what is left to it takes no more than linear time", { timeout: 60_000 }, () => {
  const atom = fc.constantFrom("a", "b", "[ab]", "[^a]", ".", "c", "\\d", "\\w");
  const times = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "*?");
  const { sequence } = fc.letrec<{ sequence: string; term: string }>((tie) => ({
    sequence: fc.array(tie("term"), { minLength: 1, maxLength: 4 }).map((terms) => terms.join("")),
    term: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(atom, times).map(([text, count]) => text + count),
      fc.tuple(tie("sequence"), tie("sequence"), times).map(([one, two, count]) => `(?:${one}|${two})${count}`),
      fc.tuple(tie("sequence"), times).map(([body, count]) => `(?:${body})${count}`),
    ),
  }));
  const unit = fc.constantFrom("a", "b", "ab", "abc", "1", "aab");
  const slowest = { ms: 0, pattern: "" };
  fc.assert(
    fc.property(fc.constantFrom("^", ""), sequence, fc.constantFrom("$", ""), unit, (start, body, end, text) => {
      const pattern = start + body + end;
      fc.pre(weightOf(pattern) !== undefined);
      const native = new RegExp(pattern, "u");
      const ms = referenceCpuMs(() => native.test(`${text.repeat(10_000)}!`));
      if (ms > slowest.ms) Object.assign(slowest, { ms, pattern });
    }),
    { numRuns: 300 },
  );
  // Anything worse than linear would take minutes, or not end at all.
  expect(slowest.ms, slowest.pattern).toBeLessThan(5000);
});

test.each([
  ["512 steps for each character", "a".repeat(511), "a".repeat(512)],
  ["64 places for a character", `^(?:${"a".repeat(64)})*$`, `^(?:${"a".repeat(65)})*$`],
  ["1,000 repetitions", "^(?:ab){0,1000}$", "^(?:ab){0,1001}$"],
])("the built-in engine gets patterns of up to %s", (_limit, last, first) => {
  expect(weightOf(last)).toBeDefined();
  expect(weightOf(first)).toBeUndefined();
});
