import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { WorkBudget } from "../../runtime/work-budget.js";
import { compilePattern, ownTest } from "./pattern-matcher.js";
import { writeProgram } from "./pattern-program.js";
import { type PatternNode, parsePattern } from "./pattern-syntax.js";

/** What a pattern finds, by the way that is chosen for it and by this package's own. */
function matcher(pattern: string): (text: string) => boolean {
  const chosen = compilePattern(pattern, unlimited);
  const program = writeProgram(parsePattern(pattern, unlimited) as PatternNode);
  if (chosen === undefined || program === undefined) throw new Error(`not run: ${pattern}`);
  return (text) => {
    const isFound = ownTest(program)(text, unlimited);
    expect(chosen(text, unlimited)).toBe(isFound);
    return isFound;
  };
}

const unlimited = budgetOf(Number.POSITIVE_INFINITY);

function budgetOf(steps: number): WorkBudget {
  return new WorkBudget(steps, () => new RangeError("spent"));
}

describe("agrees with the built-in engine", () => {
  const atom = fc.constantFrom(
    ..."ab1_- \n".split(""),
    ".",
    "\\d",
    "\\W",
    "\\s",
    "[ab]",
    "[^a-c]",
    "[\\]\\d-]",
    "\\.",
    "\\x61",
    "\\u0062",
    "\\u{1F600}",
    "\\uD83D\\uDE00",
    "\\p{L}",
    "\\cJ",
    "é",
    "😀",
    "^",
    "$",
    "\\b",
    "\\B",
  );
  const isAssertion = /^(?:[\^$]|\\b)$/i;
  const quantifier = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "{1,2}?");
  const { pattern } = fc.letrec<{ pattern: string; sequence: string; term: string; group: string }>((tie) => ({
    pattern: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((options) => options.join("|")),
    sequence: fc.array(tie("term"), { maxLength: 3 }).map((terms) => terms.join("")),
    term: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(atom, quantifier).map(([text, times]) => (isAssertion.test(text) ? text : text + times)),
      fc.tuple(tie("group"), quantifier).map(([text, times]) => (/^\(\?[=!]/.test(text) ? text : text + times)),
    ),
    group: fc.tuple(fc.constantFrom("(", "(?:", "(?=", "(?!"), tie("pattern")).map(([open, body]) => `${open}${body})`),
  }));
  const text = fc.string({
    unit: fc.constantFrom(...("ab1_- \né😀.".match(/./gsu) as string[]), "\ud83d"),
    maxLength: 6,
  });

  // 3,000 patterns are compiled twice, which takes seconds on a busy machine.
  test("on any pattern and string", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(pattern, text, (source, value) => {
        // V8 looks for what has no width in the middle of a character, too, where the language has no place.
        fc.pre(!(/\\b|\(\?[=!]/i.test(source) && /[\ud800-\udfff]/.test(value)));
        expect(matcher(source)(value)).toBe(new RegExp(source, "u").test(value));
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ["^(?<year>\\d{4})-(?<month>\\d{2})$", "2026-07"],
    ["^[\\w-]+(?:\\.[\\w-]+)*$", "a.b-c"],
    ["^(?=.*\\d)(?=.*[a-z]).{4,}$", "abc1"],
    ["^(?:(?=a)a|b)*$", "abab"],
  ])("on %s", (source, value) => {
    for (const candidate of [value, `${value}!`, value.slice(1), ""]) {
      expect(matcher(source)(candidate)).toBe(new RegExp(source, "u").test(candidate));
    }
  });

  test("on the patterns that Zod writes", () => {
    const formats = [
      z.email(),
      z.uuid(),
      z.ipv4(),
      z.ipv6(),
      z.cidrv6(),
      z.base64(),
      z.e164(),
      z.hostname(),
      z.iso.datetime(),
    ];
    const values = [
      "a@b.co",
      "123e4567-e89b-42d3-a456-426614174000",
      "1.2.3.4",
      "::1",
      "::/0",
      "aGk=",
      "+4912345678",
      "a.b",
    ];
    for (const format of formats) {
      const source = String(z.toJSONSchema(format).pattern);
      for (const value of [...values, "2026-07-28T00:00:00Z", "", "!"]) {
        expect(matcher(source)(value), `${source} on ${value}`).toBe(new RegExp(source, "u").test(value));
      }
    }
  });
});

describe("cannot be stalled", () => {
  test.each(["^(a+)+$", "^(a|a)*$", "(a*)*b", "^(\\w+\\s?)*$", "(x+x+)+y", "^(?:a?){50}a{50}$", "(.*a){12}b"])(
    "by %s, which the built-in engine never finishes",
    (source) => {
      expect(matcher(source)(`${"a".repeat(5000)}!`)).toBe(false);
    },
  );

  test.each([
    ["^(\\w+\\s?)*$", "a".repeat(10_000_000)],
    ["^(\\w+\\s?)*$", "a".repeat(150_000)],
    ["^(?:(?=.*b).)*$", `${"a".repeat(20_000)}b`],
    ["^[a-z]+$", "a".repeat(10_000_000)],
    ["a{200}b", "a".repeat(100_000)],
  ])("by a text too long for %s: the budget ends it", (source, text) => {
    expect(() => compilePattern(source, unlimited)?.(text, budgetOf(50_000))).toThrow("spent");
  });

  test("by lookaheads within lookaheads, each of which is run once at a place", () => {
    const matches = compilePattern("^(?:(?=(?:(?=.*b).)*$).)*$", unlimited);
    expect(matches?.(`${"a".repeat(80)}b`, budgetOf(10_000))).toBe(true);
  });

  test("by a pattern that is short only in writing", () => {
    for (const source of ["(?:a{1000}){1000}", "(?:){2147483647}", "(?:(?:(?:){9999}){9999}){9999}", "a{0,100000}b"]) {
      expect(compilePattern(source, unlimited)).toBeUndefined();
    }
    expect(compilePattern("a".repeat(4097), unlimited)).toBeUndefined();
  });
});

test("what it cannot run it leaves alone", () => {
  for (const source of ["(a)\\1", "(?<x>a)\\k<x>", "(?<=a)b", "(?<!a)b"])
    expect(compilePattern(source, unlimited)).toBeUndefined();
  expect(parsePattern("(?i:a)", unlimited)).toBeUndefined();
  expect(() => compilePattern("(", unlimited)).toThrow(SyntaxError);
  expect(() => compilePattern("\\-", unlimited)).toThrow(SyntaxError);
});

describe("the limits on a pattern", () => {
  test("allow 4,096 characters", () => {
    expect(compilePattern("a".repeat(4_096), unlimited)).toBeDefined();
    expect(compilePattern("a".repeat(4_097), unlimited)).toBeUndefined();
  });

  test("allow 10,000 parts once repetitions are written out", () => {
    const body = parsePattern("a", unlimited) as PatternNode;
    const repeat = (times: number): PatternNode => ({ kind: "repeat", body, min: times, max: times });
    const partsOfBody = 10_000 - 1;
    expect(writeProgram(repeat(partsOfBody))).toBeDefined();
    expect(writeProgram(repeat(partsOfBody + 1))).toBeUndefined();
  });
});
