import { expect, test } from "vitest";
import { PER_STEP, WorkBudget } from "./work-budget.js";

const exceeded = (limit: number) => new RangeError(`more than ${limit}`);

test("steps are paid for until none is left", () => {
  const budget = new WorkBudget(3, exceeded);
  budget.spend(2);
  budget.spend(1);
  budget.spend(0);
  expect(() => budget.spend(1)).toThrow("more than 3");
});

test("a spent budget stays spent", () => {
  const budget = new WorkBudget(3, exceeded);
  expect(() => budget.spend(4)).toThrow(RangeError);
  expect(() => budget.spend(0)).toThrow(RangeError);
});

test("a fraction of a step is free", () => {
  const budget = new WorkBudget(1, exceeded);
  budget.spendOn(511, PER_STEP.comparedCharacters);
  expect(() => budget.spendOn(256, PER_STEP.comparedCharacters)).toThrow(RangeError);
});

test("an unlimited budget is never spent", () => {
  const budget = new WorkBudget(Number.POSITIVE_INFINITY, exceeded);
  expect(() => budget.spend(Number.MAX_SAFE_INTEGER)).not.toThrow();
});
