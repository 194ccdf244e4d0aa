import { NEWEST_REVISION, type Requirements } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { formatTestName, parseTestName } from "../test-name.js";
import { reportSuite, type TestResult } from "./suite-report.js";
import { areaTallies, summaryText } from "./suite-summary.js";

const REQUIREMENTS: Requirements = {
  "tools:call": { behavior: "A tool is called", source: "https://spec.example/tools#call", strength: "must" },
  "tools:list": {
    behavior: "Tools are listed",
    source: { decision: "list-order" },
    strength: "decision",
    since: NEWEST_REVISION,
    divergence: { note: "not in order" },
  },
  "roots:list": { behavior: "Roots are listed", source: "https://spec.example/roots", strength: "should" },
};

function result(cell: string, ids: string[], state: TestResult["state"], errors: string[] = []): TestResult {
  const name = formatTestName({ cell, ids, sentence: "it works: always" });
  return { file: "tests/tools/tools.test.ts", name, state, errors };
}

const REPORT = reportSuite(
  REQUIREMENTS,
  [
    result("http 2026-07-28", ["tools:call", "tools:list"], "passed"),
    result("stdio 2026-07-28", ["tools:call", "tools:list"], "failed", ["expected 1"]),
    { file: "tests/tools/tools.test.ts", name: "a test of no requirement", state: "passed", errors: [] },
  ],
  { brokenFiles: ["tests/roots/roots.test.ts"] },
);

test("a name is parsed into what it was made of", () => {
  const name = { cell: "http 2026-07-28", ids: ["tools:call", "tools:list"], sentence: "it works: always" };

  expect(parseTestName(formatTestName(name))).toEqual(name);
  expect(parseTestName("a test of no requirement")).toBeUndefined();
});

describe("the report", () => {
  test("shows each test by cell, with its errors", () => {
    expect(REPORT.requirements[0]).toMatchObject({
      id: "tools:call",
      area: "tools",
      source: "https://spec.example/tools#call",
      tests: [
        {
          sentence: "it works: always",
          cells: [
            { cell: "http 2026-07-28", state: "passed" },
            { cell: "stdio 2026-07-28", state: "failed", errors: ["expected 1"] },
          ],
        },
      ],
    });
  });

  test("gives the reason for each cell that is left out", () => {
    const reasons = REPORT.requirements[1]?.excluded.map(({ because, cells }) => [because, cells.length]);

    expect(reasons).toEqual([
      ["not-in-revision", 36],
      ["no-such-connection", 3],
    ]);
  });

  test("names decisions and divergences", () => {
    expect(REPORT.requirements[1]).toMatchObject({
      source: "docs/decisions.md#list-order",
      divergence: "not in order",
    });
  });

  test("has no area for a requirement without a test that ran", () => {
    expect(REPORT.requirements[2]).toMatchObject({ area: "not run", tests: [] });
  });
});

describe("the summary", () => {
  test("counts a test of two requirements once", () => {
    const tools = areaTallies(REPORT).find(({ area }) => area === "tools");

    expect(tools?.requirements).toBe(2);
    expect(Object.fromEntries(tools?.cells ?? [])).toEqual({
      "http 2026-07-28": { passed: 1, failed: 0 },
      "stdio 2026-07-28": { passed: 0, failed: 1 },
    });
  });

  test("has a line for each area, and says what was not run", () => {
    expect(summaryText(REPORT).split("\n")).toEqual([
      "area             requirements       passed       failed",
      "not run                     1            0",
      "tools                       2            1            1",
      "",
      "2 tests of 2 requirements passed, 1 failed, requirements not run: 1, files that failed outside their tests: tests/roots/roots.test.ts",
    ]);
  });
});
