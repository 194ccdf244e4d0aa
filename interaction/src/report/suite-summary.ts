/** Counts of a run by area: for the page, and as text. */
import type { SuiteReport } from "./suite-report.js";

export interface CellTally {
  passed: number;
  failed: number;
}

export interface AreaTally {
  readonly area: string;
  readonly requirements: number;
  /** By the name of the cell. */
  readonly cells: ReadonlyMap<string, Readonly<CellTally>>;
}

/** A tally for each area, in alphabetical order. A test of several requirements counts once. */
export function areaTallies({ requirements }: SuiteReport): AreaTally[] {
  const areas = [...new Set(requirements.map(({ area }) => area))].sort();
  return areas.map((area) => {
    const own = requirements.filter((requirement) => requirement.area === area);
    const cells = new Map<string, CellTally>();
    const counted = new Set<string>();
    for (const { file, ids, sentence, cells: results } of own.flatMap(({ tests }) => tests)) {
      const key = JSON.stringify([file, ids, sentence]);
      if (counted.has(key)) continue;
      counted.add(key);
      for (const { cell, state } of results) {
        const tally = cells.get(cell) ?? { passed: 0, failed: 0 };
        if (state !== "skipped") tally[state] += 1;
        cells.set(cell, tally);
      }
    }
    return { area, requirements: own.length, cells };
  });
}

/** One line, such as "17,000 tests of 1,400 requirements passed, 0 failed". */
export function summaryLine({ passed, failed, skipped, brokenFiles, requirements }: SuiteReport): string {
  const tested = requirements.filter(({ tests }) => tests.length > 0).length;
  const parts = [`${count(passed)} tests of ${count(tested)} requirements passed`, `${count(failed)} failed`];
  if (skipped > 0) parts.push(`${count(skipped)} skipped`);
  if (tested < requirements.length) parts.push(`requirements not run: ${count(requirements.length - tested)}`);
  if (brokenFiles.length > 0) parts.push(`files that failed outside their tests: ${brokenFiles.join(", ")}`);
  return parts.join(", ");
}

/** A table of areas, and the summary line below it. */
export function summaryText(report: SuiteReport): string {
  const rows = areaTallies(report).map(({ area, requirements, cells }) => {
    const tallies = [...cells.values()];
    const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
    const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
    return [area, count(requirements), count(passed), failed === 0 ? "" : count(failed)];
  });
  const lines = [["area", "requirements", "passed", "failed"], ...rows].map(([area = "", ...counts]) =>
    [area.padEnd(16), ...counts.map((text) => text.padStart(12))].join(" ").trimEnd(),
  );
  return [...lines, "", summaryLine(report)].join("\n");
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
