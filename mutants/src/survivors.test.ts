import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mutantsOf } from "./mutate.js";
import { readSurvivors, reasonOf } from "./survivors.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const survivors = readSurvivors(root);

test("every survivor on record is a mutant of its file, and has a reason", () => {
  const stale = survivors.filter(({ file, source, change, reason }) => {
    const mutants = mutantsOf(file, readFileSync(root + file, "utf8"));
    return reason.length < 10 || !mutants.some((mutant) => mutant.source === source && mutant.change === change);
  });
  expect(stale).toEqual([]);
});

test("a survivor is known by its file, its line of code and its change", () => {
  const [mutant] = mutantsOf("a.ts", "a < b;");
  const known = { file: "a.ts", source: "a < b;", change: "< → <=", reason: "a is never b" };
  if (!mutant) throw new Error("there is no mutant");
  expect(reasonOf(mutant, [known])).toBe("a is never b");
  for (const other of [{ file: "b.ts" }, { source: "b < a;" }, { change: "< → >" }]) {
    expect(reasonOf(mutant, [{ ...known, ...other }])).toBeUndefined();
  }
});
