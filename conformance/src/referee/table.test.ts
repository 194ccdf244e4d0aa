import { expect, test } from "vitest";
import type { Cell } from "./judgment.js";
import type { Check } from "./outcomes.js";
import { noteLines, standingLine, tableLines } from "./table.js";

function check(id: string, errorMessage?: string): Check {
  return { id, status: "SKIPPED", description: `about ${id}`, errorMessage };
}

const clean: Cell = {
  leg: "server",
  scenario: "ping",
  revision: "2025-11-25",
  passed: 2,
  failed: [],
  warned: [],
  skipped: [],
};

const cells: Cell[] = [
  clean,
  { ...clean, revision: "2025-06-18", failed: [check("a")], warned: [check("b"), check("c")] },
  { ...clean, scenario: "tasks-wire", revision: "2026-07-28", passed: 0, failed: [check("d")] },
  {
    ...clean,
    leg: "client",
    revision: "2026-07-28",
    skipped: [check("e", "not asked"), check("f"), check("g", "not asked")],
  },
];

test("the table has a line for every scenario of a leg and a column for every revision", () => {
  expect(tableLines(cells, ["ping", "tasks-wire", "unused"])).toEqual([
    "leg     scenario    2025-03-26  2025-06-18             2025-11-25  2026-07-28",
    "server  ping        .           2, 1 failed, 2 warned  2           .",
    "server  tasks-wire  .           .                      .           0, 1 failed",
    "client  ping        .           .                      .           2, 3 skipped [1,2]",
  ]);
});

test("the notes say why something was skipped", () => {
  expect(noteLines(cells).slice(1)).toEqual(["skipped [1]: not asked", "skipped [2]: about f"]);
});

test("a line says how much of what is required is there", () => {
  expect(standingLine({ leg: "client", revision: "2026-07-28", required: 32, passed: 7 })).toBe(
    "required by 2026-07-28: client passes 7 of 32 scenarios",
  );
});
