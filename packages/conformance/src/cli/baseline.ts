/** A file of known findings. It is strict: a line that no longer holds is a fault of its own. */
import type { Finding } from "../judge/report.js";

export interface BaselineVerdict {
  /** Findings that the file does not name. */
  readonly unknown: readonly Finding[];
  /** Lines whose check was run and did not fail. */
  readonly stale: readonly string[];
}

/** Lines of the form "check revision". Empty lines and what follows # are ignored. */
export function parseBaseline(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/#.*$/, "").trim().replace(/\s+/g, " "))
    .filter((line) => line !== "");
}

export function compareWithBaseline(findings: readonly Finding[], lines: readonly string[]): BaselineVerdict {
  const keyOf = ({ check, revision }: Finding) => `${check} ${revision}`;
  const failed = findings.filter(({ outcome }) => outcome === "failed");
  const red = new Set(failed.map(keyOf));
  const run = new Set(findings.map(keyOf));
  return {
    unknown: failed.filter((finding) => !lines.includes(keyOf(finding))),
    stale: lines.filter((line) => run.has(line) && !red.has(line)),
  };
}
