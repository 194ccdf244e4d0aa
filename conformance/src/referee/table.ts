/** Prints a judgment: one table, then what its marks mean. */
import type { Cell, RequiredStanding } from "./judgment.js";
import { legs, revisions } from "./revisions.js";

/** One line for every scenario, one column for every revision, in the order the referee lists the scenarios. */
export function tableLines(cells: readonly Cell[], scenarioOrder: readonly string[]): string[] {
  const header = ["leg", "scenario", ...revisions];
  const notes = skipReasons(cells);
  const rows = legs.flatMap((leg) =>
    scenarioOrder.flatMap((scenario) => {
      const found = cells.filter((cell) => cell.leg === leg && cell.scenario === scenario);
      if (found.length === 0) return [];
      const at = (revision: string) => found.find((cell) => cell.revision === revision);
      return [[leg, scenario, ...revisions.map((revision) => cellText(at(revision), notes))]];
    }),
  );
  return aligned([header, ...rows]);
}

/** What the marks in the table stand for: the referee's reasons for skipping. */
export function noteLines(cells: readonly Cell[]): string[] {
  return [
    "A number is how many checks passed; . is where the referee has no such scenario.",
    ...[...skipReasons(cells)].map(([reason, number]) => `skipped [${number}]: ${reason}`),
  ];
}

export function standingLine({ leg, revision, required, passed }: RequiredStanding): string {
  return `required by ${revision}: ${leg} passes ${passed} of ${required} scenarios`;
}

function cellText(cell: Cell | undefined, notes: ReadonlyMap<string, number>): string {
  if (!cell) return ".";
  const marks = [...new Set(cell.skipped.map((check) => notes.get(skipReason(check))))].join(",");
  const parts = [
    `${cell.passed}`,
    cell.failed.length > 0 && `${cell.failed.length} failed`,
    cell.warned.length > 0 && `${cell.warned.length} warned`,
    cell.skipped.length > 0 && `${cell.skipped.length} skipped [${marks}]`,
  ].filter((part) => part !== false);
  return parts.join(", ");
}

/** Every reason that was given for skipping, numbered. */
function skipReasons(cells: readonly Cell[]): Map<string, number> {
  const reasons = new Set(cells.flatMap(({ skipped }) => skipped.map(skipReason)));
  return new Map([...reasons].map((reason, index) => [reason, index + 1]));
}

function skipReason({ description, errorMessage }: Cell["skipped"][number]): string {
  return errorMessage ?? description;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(width(column)))
      .join("  ")
      .trimEnd(),
  );
}
