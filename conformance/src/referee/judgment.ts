/** What the outcomes amount to: a cell for every scenario and revision, and every reason why the run is not clean. */
import type { Scenario } from "./catalog.js";
import type { Check, Outcome } from "./outcomes.js";
import type { Leg, Revision } from "./revisions.js";

export interface Cell {
  readonly leg: Leg;
  readonly scenario: string;
  readonly revision: Revision;
  readonly passed: number;
  readonly failed: readonly Check[];
  readonly warned: readonly Check[];
  readonly skipped: readonly Check[];
}

export interface Judgment {
  readonly cells: readonly Cell[];
  /** One sentence for everything that must not be; none means that the run is clean. */
  readonly problems: readonly string[];
}

/** How much of what a revision requires of a leg is there. */
export interface RequiredStanding {
  readonly leg: Leg;
  readonly revision: Revision;
  readonly required: number;
  readonly passed: number;
}

/** @param alwaysSkipped scenarios of which the referee skips every check */
export function judge(
  catalog: readonly Scenario[],
  outcomes: readonly Outcome[],
  alwaysSkipped: readonly string[] = [],
): Judgment {
  const cells = outcomes.map(toCell);
  return {
    cells,
    problems: [
      ...cells.filter((cell) => !(alwaysSkipped.includes(cell.scenario) && isSkipped(cell))).flatMap(cellProblems),
      ...missing(catalog, outcomes).map(({ leg, scenario, revision }) => `${leg} ${scenario} at ${revision}: not run`),
      ...alwaysSkipped
        .filter((scenario) => !cells.some((cell) => cell.scenario === scenario && isSkipped(cell)))
        .map((scenario) => `always-skipped.ts: "${scenario}" is not skipped; take it off the list`),
    ],
  };
}

/** Where a scenario applies and has no outcome. One of an extension has to run once, at whatever revision. */
export function missing(catalog: readonly Scenario[], outcomes: readonly Outcome[]): Omit<Outcome, "checks">[] {
  const ran = (leg: Leg, scenario: string, revision?: Revision) =>
    outcomes.some(
      (outcome) =>
        outcome.leg === leg &&
        outcome.scenario === scenario &&
        (revision === undefined || outcome.revision === revision),
    );
  return catalog.flatMap(({ leg, name: scenario, revisions }) => {
    if (revisions.length === 0) return ran(leg, scenario) ? [] : [{ leg, scenario, revision: "2026-07-28" as const }];
    return revisions
      .filter((revision) => !ran(leg, scenario, revision))
      .map((revision) => ({ leg, scenario, revision }));
  });
}

export function requiredStanding(
  cells: readonly Cell[],
  leg: Leg,
  revision: Revision,
  names: readonly string[],
): RequiredStanding {
  const mine = cells.filter((cell) => cell.leg === leg && cell.revision === revision && names.includes(cell.scenario));
  return {
    leg,
    revision,
    required: names.length,
    passed: mine.filter(isClean).length,
  };
}

/** Whether everything that was checked held. */
function isClean({ passed, failed, warned }: Cell): boolean {
  return passed > 0 && failed.length === 0 && warned.length === 0;
}

function isSkipped({ passed, failed, warned, skipped }: Cell): boolean {
  return passed === 0 && failed.length === 0 && warned.length === 0 && skipped.length > 0;
}

function toCell({ checks, ...where }: Outcome): Cell {
  const withStatus = (status: Check["status"]) => checks.filter((check) => check.status === status);
  return {
    ...where,
    passed: withStatus("SUCCESS").length,
    failed: withStatus("FAILURE"),
    warned: withStatus("WARNING"),
    skipped: withStatus("SKIPPED"),
  };
}

function cellProblems(cell: Cell): string[] {
  const where = `${cell.leg} ${cell.scenario} at ${cell.revision}`;
  const found = [...cell.failed, ...cell.warned].map(
    ({ id, status, description, errorMessage }) =>
      `${where}: ${status.toLowerCase()} ${id}: ${errorMessage ?? description}`,
  );
  return cell.passed === 0 && found.length === 0 ? [`${where}: no check passed`] : found;
}
