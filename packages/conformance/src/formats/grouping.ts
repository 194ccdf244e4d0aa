/** Findings put together for readers: one entry per check with its revisions, and counts by area and revision. */
import { type Finding, type Report, type Severity, type Tally, tallyOf } from "../judge/report.js";

const SEVERITIES: readonly Severity[] = ["failure", "warning", "note"];

/** A check that failed, with the revisions in which it did. */
export interface FailedCheck {
  readonly first: Finding;
  readonly revisions: readonly string[];
  readonly findings: readonly Finding[];
}

/** Failed checks that the baseline does not name, failures first. */
export function failedChecks({ findings }: Report): FailedCheck[] {
  const byCheck = new Map<string, Finding[]>();
  for (const finding of findings.filter(({ outcome, known }) => outcome === "failed" && known === undefined)) {
    byCheck.set(finding.check, [...(byCheck.get(finding.check) ?? []), finding]);
  }
  return [...byCheck.values()]
    .flatMap((failed) => {
      const first = failed.at(-1);
      return first ? [{ first, revisions: failed.map(({ revision }) => revision), findings: failed }] : [];
    })
    .sort((a, b) => SEVERITIES.indexOf(a.first.severity) - SEVERITIES.indexOf(b.first.severity));
}

/** Why checks could not decide, with the checks that each reason concerns. */
export function reasonsOf({ findings }: Report, outcome: "not applicable" | "not observed"): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  for (const { check, reason = "" } of findings.filter((finding) => finding.outcome === outcome)) {
    const checks = reasons.get(reason) ?? [];
    if (!checks.includes(check)) checks.push(check);
    reasons.set(reason, checks);
  }
  return reasons;
}

export interface AreaRow {
  readonly area: string;
  /** By revision; `undefined` where the area has no checks. */
  readonly tallies: readonly (Tally | undefined)[];
}

/** A row for each area, with a tally for each checked revision. */
export function areaRows({ findings, checked }: Report): AreaRow[] {
  const areas = [...new Set(findings.map(({ area }) => area))];
  return areas.map((area) => ({
    area,
    tallies: checked.map((revision) => {
      const cell = findings.filter((finding) => finding.area === area && finding.revision === revision);
      return cell.length === 0 ? undefined : tallyOf(cell);
    }),
  }));
}

/** What the report says of revisions: those that a server claims, or those that a client was checked in. */
export function revisionsOf({ claimed, checked }: Report): string {
  return claimed.length > 0 ? `speaks ${claimed.join(", ")}` : `was checked in ${checked.join(", ")}`;
}

/** "12 passed, 0 failures, 1 warning; 3 not applicable, 4 not observed". */
export function summaryOf(tally: Tally): string {
  const counted = (count: number, one: string) => `${count} ${count === 1 ? one : `${one}s`}`;
  const decided = [
    `${tally.passed} passed`,
    counted(tally.failures, "failure"),
    ...(tally.warnings > 0 ? [counted(tally.warnings, "warning")] : []),
    ...(tally.notes > 0 ? [counted(tally.notes, "note")] : []),
    ...(tally.known > 0 ? [`${tally.known} known`] : []),
  ].join(", ");
  return `${decided}; ${tally.notApplicable} not applicable, ${tally.notObserved} not observed`;
}
