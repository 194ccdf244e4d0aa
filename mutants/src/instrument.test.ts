import { afterEach, expect, test } from "vitest";
import { instrument, MARKS, type Marks } from "./instrument.js";
import { mutantsOf } from "./mutate.js";

const table = globalThis as { [MARKS]?: Marks };
afterEach(() => {
  delete table[MARKS];
});

/** Runs the body of a function of `a`, and returns its result and the changes of the mutants that the run reached. */
function run(body: string, a?: unknown): { result: unknown; reached: string[] } {
  const text = `result = (a) => { ${body} };`;
  const call = new Function(`let result; ${instrument("a.ts", text)}; return result;`)();
  table[MARKS]?.["a.ts"]?.fill(0);
  const result = call(a);
  const marks = table[MARKS]?.["a.ts"];
  return { result, reached: mutantsOf("a.ts", text).flatMap(({ change, index }) => (marks?.[index] ? [change] : [])) };
}

test.each([
  ["return a < 2;", 1, true, ["< → <=", "2 → 3"]],
  ["return a && a.b && !a.b.c;", undefined, undefined, ["&& → ||", "&& → ||"]],
  ["return { 1: a, [2]: true };", 0, { 1: 0, 2: true }, ["1 → 2", "2 → 3", "true → false"]],
  ["if (a) a.f(); return 1;", undefined, 1, ["a → true", "1 → 2"]],
  ["if (a) a.push(1); return a;", [], [1], ["a → false", "a.push(1); → ;", "1 → 2"]],
  ["return a ? 1 : a ? 2 : 3;", 0, 3, ["a → true", "a → true", "3 → 4"]],
])("of %s a run with %o reaches the mutants that can change it", (body, input, result, reached) => {
  expect(run(body, input)).toEqual({ result, reached });
});

test("the mutant without a fallback is reached where the fallback is needed", () => {
  expect(run("return a ?? 'b';", "a")).toEqual({ result: "a", reached: [] });
  expect(run("return a ?? 'b';")).toEqual({ result: "b", reached: ["a ?? 'b' → a"] });
});
