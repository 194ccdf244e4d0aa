/** Regular expressions of schemas: what our matcher finds is what the language says, whichever way it runs them. */

import { compilePattern, ownTest } from "../../../packages/sdk/src/json-schema/patterns/pattern-matcher.js";
import { writeProgram } from "../../../packages/sdk/src/json-schema/patterns/pattern-program.js";
import { parsePattern } from "../../../packages/sdk/src/json-schema/patterns/pattern-syntax.js";
import { WorkBudget } from "../../../packages/sdk/src/runtime/work-budget.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import type { Random } from "../random.js";
import { demandEqual, field, type Target } from "../target.js";

const ATOMS: readonly string[] = [
  ...[
    "a",
    "b",
    "1",
    "_",
    "-",
    ".",
    "é",
    "😀",
    "\\d",
    "\\W",
    "\\s",
    "[ab]",
    "[^a-c]",
    "[\\]\\d-]",
    "\\.",
    "\\x61",
    "\\/",
  ],
  ...["\\u0062", "\\u{1F600}", "\\uD83D\\uDE00", "\\p{L}", "\\P{Lu}", "\\cJ", "[]", "[^]", "[\\b]", "[a\\-z]"],
];
const ASSERTIONS: readonly string[] = ["^", "$", "\\b", "\\B"];
const QUANTIFIERS: readonly string[] = ["", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "{1,2}?", "{0}"];
const TEXT: readonly string[] = [..."ab1_- .\n/", "é", "😀", "\ud83d", "\b"];

/** More than any of the texts takes, so that nothing ends early. */
const budget = new WorkBudget(Number.POSITIVE_INFINITY, () => new RangeError("spent"));

export const patterns: Target = {
  name: "patterns",
  share: 25,
  maxMs: 100,
  outcomes: ["found", "not found", "not run", "no pattern"],
  generate(random) {
    const pattern = choice(random, 3);
    return {
      pattern: random.oneIn(6)
        ? mutateText(random, pattern, [...ATOMS, ...QUANTIFIERS, "(?<=a)", "\\1", "(?<n>"], AWKWARD)
        : pattern,
      text: random.text(TEXT, 0, 8),
    };
  },
  check(input) {
    const [pattern, text] = [field(input, "pattern"), field(input, "text")];
    let native: RegExp;
    try {
      native = new RegExp(pattern, "u");
    } catch {
      return "no pattern";
    }
    const compiled = compilePattern(pattern, budget);
    const node = parsePattern(pattern, budget);
    if (compiled === undefined || node === undefined) return "not run";
    const found = compiled(text, budget);
    const program = writeProgram(node);
    // V8 looks for what has no width in the middle of a character, too, where the language has no place.
    const isDisputed = /\\b|\(\?[=!]/i.test(pattern) && /[\ud800-\udfff]/.test(text);
    if (!isDisputed) {
      if (program !== undefined) demandEqual(ownTest(program)(text, budget), found, "finds the same both ways");
      // On longer texts the built-in engine may take its time, which is why it is not left to it alone.
      if (text.length <= 5) demandEqual(found, native.test(text), "finds what the built-in engine finds");
    }
    return found ? "found" : "not found";
  },
};

function choice(random: Random, depth: number): string {
  return random.list(1, 2, () => random.list(0, 3, () => term(random, depth)).join("")).join("|");
}

function term(random: Random, depth: number): string {
  if (random.oneIn(6)) return random.pick(ASSERTIONS);
  if (depth === 0 || !random.oneIn(3)) return random.pick(ATOMS) + random.pick(QUANTIFIERS);
  const opening = random.pick(["(", "(?:", "(?=", "(?!"]);
  const isLook = opening === "(?=" || opening === "(?!";
  return `${opening}${choice(random, depth - 1)})${isLook ? "" : random.pick(QUANTIFIERS)}`;
}
