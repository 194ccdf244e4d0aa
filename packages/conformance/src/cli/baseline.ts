/** A file of known findings. It is strict: a line that makes no sense is an error, and a line that no longer holds is a fault of its own. */
import { REVISIONS } from "parley-requirements";
import type { Finding, Report } from "../judge/report.js";
import { UsageError } from "./options.js";

/** A line of the file: "check revision". */
export interface BaselineLine {
  readonly check: string;
  readonly revision: string;
  /** The file and the number of the line, such as `known.txt:3`. */
  readonly place: string;
}

export interface BaselineVerdict {
  /** The report, with the findings that the file names marked as known. */
  readonly report: Report;
  /** Lines whose check was run and did not fail. */
  readonly stale: readonly BaselineLine[];
}

/**
 * Lines of the form "check revision". Empty lines and what follows # are ignored.
 *
 * @throws {UsageError} that names the first line of another form, or with a check or a revision that does not exist.
 */
export function parseBaseline(file: string, text: string, checks: ReadonlySet<string>): BaselineLine[] {
  return text.split("\n").flatMap((whole, index) => {
    const line = whole.replace(/#.*$/, "").trim();
    if (line === "") return [];
    const place = `${file}:${index + 1}`;
    const [check = "", revision, ...rest] = line.split(/\s+/);
    if (rest.length > 0 || revision === undefined)
      throw new UsageError(
        `--baseline ${place}: "${line}" must be a check and a revision, such as "tool-unknown 2025-11-25"`,
      );
    if (!checks.has(check))
      throw new UsageError(`--baseline ${place}: no check is named "${check}"; --list shows the checks`);
    if (!REVISIONS.some((known) => known === revision))
      throw new UsageError(`--baseline ${place}: "${revision}" is no revision; revisions are ${REVISIONS.join(", ")}`);
    return [{ check, revision, place }];
  });
}

export function compareWithBaseline(report: Report, lines: readonly BaselineLine[]): BaselineVerdict {
  const isOf = (line: BaselineLine, { check, revision }: Finding) => line.check === check && line.revision === revision;
  const lineOf = (finding: Finding) => lines.find((line) => isOf(line, finding));
  const findings = report.findings.map((finding) => {
    const line = finding.outcome === "failed" ? lineOf(finding) : undefined;
    return line === undefined ? finding : { ...finding, known: line.place };
  });
  const stale = lines.filter((line) => {
    const found = findings.filter((finding) => isOf(line, finding));
    return found.length > 0 && found.every(({ known }) => known === undefined);
  });
  return { report: { ...report, findings }, stale };
}
