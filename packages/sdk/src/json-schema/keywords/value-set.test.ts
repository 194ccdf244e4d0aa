import { expect, test } from "vitest";
import { WorkBudget } from "../../runtime/work-budget.js";
import { ValueSet } from "./value-set.js";

function budgetOf(steps: number): WorkBudget {
  return new WorkBudget(steps, () => new RangeError("spent"));
}

function setOf(...values: unknown[]): ValueSet {
  const set = new ValueSet();
  for (const value of values) set.add(value, budgetOf(1000));
  return set;
}

test("equal values are one, and values of different kinds are not equal", () => {
  expect(setOf(1, 1, "1", [1], [1], { a: 1, b: 2 }, { b: 2, a: 1 }, null, false, "null", -0, 0).size).toBe(8);
});

test.each<[unknown[], unknown, boolean]>([
  [[3, 1, 2], 2, true],
  [[3, 1, 2], 2.5, false],
  [[3, 1, 2], 4, false],
  [[], 1, false],
  [["a"], "a", true],
  [["1"], 1, false],
  [[1], "1", false],
  [[{ a: [1] }], { a: [1] }, true],
  [[{ a: [1] }], null, false],
])("%j has %j: %j", (values, value, expected) => {
  expect(setOf(...values).has(value, budgetOf(1000))).toBe(expected);
});

test("a number is found after one was looked for and another was added", () => {
  const set = setOf(1);
  expect(set.has(2, budgetOf(9))).toBe(false);
  set.add(2, budgetOf(9));
  expect(set.has(2, budgetOf(9))).toBe(true);
});

test("strings too long for a hash are paid for by how many share their length", () => {
  const long = (last: string) => "a".repeat(16_383) + last;
  const set = new ValueSet();
  set.add(long("x"), budgetOf(1 + 128));
  set.add(long("y"), budgetOf(1 + 128 + 64));
  expect(() => set.add(long("z"), budgetOf(1 + 128 + 127))).toThrow("spent");
  expect(set.has(long("y"), budgetOf(128 + 128))).toBe(true);
});
