import { expect, test } from "vitest";
import { mutantsOf } from "./mutate.js";
import { countByFolder, isTooFew, type Outcome, renderCounts } from "./outcomes.js";
import { randomSample } from "./random-sample.js";

const outcome = (file: string, isKilled: boolean): Outcome[] =>
  mutantsOf(file, "a < b;").map((mutant) => ({ mutant, isKilled }));

test("19 of 20 killed mutants of a folder are enough, 18 are not", () => {
  const of = (folder: string, killed: number) =>
    Array.from({ length: 20 }, (_, index) => outcome(`${folder}/${index}.ts`, index < killed)).flat();
  const counts = countByFolder([...of("good", 19), ...of("poor", 18)]);
  expect(renderCounts(counts)).toEqual(["good: 19 of 20 killed", "poor: 18 of 20 killed (too few)"]);
  expect([...counts.values()].map(isTooFew)).toEqual([false, true]);
});

test("a seed determines a sample, and another seed another one", () => {
  const items = Array.from({ length: 100 }, (_, index) => `mutant ${index}`);
  const sample = (seed: number) => randomSample(items, 10, seed, (item) => item);
  expect(sample(1)).toEqual(sample(1));
  expect(new Set(sample(1)).size).toBe(10);
  expect(sample(2)).not.toEqual(sample(1));
});
