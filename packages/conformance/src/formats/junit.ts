/** The report as JUnit XML: a suite for each area and revision, a case for each check. */
import type { Finding, Report } from "../judge/report.js";
import { escapeMarkup } from "./markup.js";

export function formatJunit(report: Report): string {
  const suites = report.checked.flatMap((revision) => {
    const findings = report.findings.filter((finding) => finding.revision === revision);
    const areas = [...new Set(findings.map(({ area }) => area))];
    return areas.map((area) =>
      suite(
        `${area} ${revision}`,
        findings.filter((finding) => finding.area === area),
      ),
    );
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escapeMarkup(report.target)}" ${countsOf(report.findings)} time="${seconds(report.durationMs)}">`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

function suite(name: string, findings: readonly Finding[]): string {
  const tookMs = findings.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const head = `<testsuite name="${escapeMarkup(name)}" ${countsOf(findings)} time="${seconds(tookMs)}">`;
  return [head, ...findings.map(testCase), "</testsuite>"].join("\n");
}

function countsOf(findings: readonly Finding[]): string {
  const count = (test: (finding: Finding) => boolean) => findings.filter(test).length;
  const skipped = count(({ outcome, known }) => outcome.startsWith("not") || known !== undefined);
  return `tests="${findings.length}" failures="${count(isFailure)}" errors="0" skipped="${skipped}"`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** Warnings and notes are no failures of a build; they are printed. Known findings are skipped. */
function isFailure({ outcome, severity, known }: Finding): boolean {
  return outcome === "failed" && severity === "failure" && known === undefined;
}

function testCase(finding: Finding): string {
  const head = `<testcase classname="${escapeMarkup(`${finding.area}.${finding.revision}`)}" name="${escapeMarkup(finding.check)}" time="${seconds(finding.durationMs)}"`;
  if (finding.outcome === "passed") return `${head}/>`;
  return [`${head}>`, body(finding), "</testcase>"].join("\n");
}

function body(finding: Finding): string {
  const { severity, title, expected, got, mend, source, reason = "", known, evidence } = finding;
  if (finding.outcome !== "failed") return skipped(`${finding.outcome}: ${reason}`);
  if (known !== undefined) return skipped(`known (${known}): expected ${expected}, got ${got}`);
  const exchanges = evidence.flatMap(({ sent, received }) => [`> ${sent}`, `< ${received}`]);
  const text = [title, `expected ${expected}`, `got ${got}`, `mend: ${mend}`, source, ...exchanges].join("\n");
  if (isFailure(finding))
    return `<failure message="${escapeMarkup(`expected ${expected}, got ${got}`)}">${escapeMarkup(text)}</failure>`;
  return `<system-out>${escapeMarkup(`${severity}: ${text}`)}</system-out>`;
}

function skipped(message: string): string {
  return `<skipped message="${escapeMarkup(message)}"/>`;
}
