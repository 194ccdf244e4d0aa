/** The data of one run, which every format renders. These types are published, so they import nothing. */

/** `failure` breaks a MUST, `warning` a SHOULD or a plain statement, `note` a MAY or a choice of this project. */
export type Severity = "failure" | "warning" | "note";

const SEVERITIES: readonly Severity[] = ["note", "warning", "failure"];

export function lesserSeverity(one: Severity, other: Severity = one): Severity {
  return SEVERITIES.indexOf(one) < SEVERITIES.indexOf(other) ? one : other;
}

export type Outcome = "passed" | "failed" | "not applicable" | "not observed";

/** One exchange as text, shortened and without secrets. */
export interface Evidence {
  readonly sent: string;
  readonly received: string;
}

export interface Finding {
  readonly check: string;
  readonly area: string;
  readonly title: string;
  readonly revision: string;
  readonly requirement: string;
  /** The link to the section of the specification, or the decision. */
  readonly source: string;
  readonly severity: Severity;
  readonly outcome: Outcome;
  /** Of a failed check. */
  readonly expected?: string;
  readonly got?: string;
  readonly mend?: string;
  /** Of a check that could not decide. */
  readonly reason?: string;
  /** Of a failed check that the baseline names: the file and the line, such as `known.txt:3`. */
  readonly known?: string;
  readonly evidence: readonly Evidence[];
  readonly durationMs: number;
}

export interface Report {
  readonly target: string;
  /** `sse` is the HTTP+SSE of 2024-11-05. */
  readonly kind: "http" | "sse" | "stdio";
  /** Revisions that the server claims. Clients claim none. */
  readonly claimed: readonly string[];
  /** Revisions that were checked. */
  readonly checked: readonly string[];
  readonly findings: readonly Finding[];
  readonly durationMs: number;
}

export interface Tally {
  readonly passed: number;
  readonly failures: number;
  readonly warnings: number;
  readonly notes: number;
  /** Failed checks that the baseline names. They count nowhere else. */
  readonly known: number;
  readonly notApplicable: number;
  readonly notObserved: number;
}

export function tallyOf(findings: readonly Finding[]): Tally {
  const count = (test: (finding: Finding) => boolean) => findings.filter(test).length;
  const failed = (severity: Severity) =>
    count((finding) => finding.outcome === "failed" && finding.known === undefined && finding.severity === severity);
  return {
    passed: count(({ outcome }) => outcome === "passed"),
    failures: failed("failure"),
    warnings: failed("warning"),
    notes: failed("note"),
    known: count(({ known }) => known !== undefined),
    notApplicable: count(({ outcome }) => outcome === "not applicable"),
    notObserved: count(({ outcome }) => outcome === "not observed"),
  };
}
