/** The report of a run as a page. */
import { type Finding, type Report, type Tally, tallyOf } from "../judge/report.js";
import { areaRows, revisionsOf, summaryOf } from "./grouping.js";
import { type PageCell, type PageEntry, type PageFact, type PageKind, renderPage, type Tone } from "./page.js";

export function formatHtml(report: Report): string {
  const tally = tallyOf(report.findings);
  const kinds = kindsOf(tally);
  const rank = (entry: PageEntry) => kinds.findIndex(({ name }) => name === entry.kind);
  return renderPage({
    tool: "parley-check",
    heading: report.target,
    summary: `${summaryOf(tally)}. The target ${revisionsOf(report)}.`,
    kinds,
    grid: {
      corner: "passed / failed",
      columns: report.checked.map((label) => ({ label })),
      rows: areaRows(report).map(({ area, tallies }) => ({
        label: area,
        cells: tallies.map((cell, index) => cell && cellOf(cell, `${area} ${report.checked[index] ?? ""}`)),
      })),
    },
    entries: report.findings.map(entryOf).sort((a, b) => rank(a) - rank(b)),
  });
}

function kindsOf(tally: Tally): PageKind[] {
  return [
    { name: "failure", tone: "red", count: tally.failures, isShown: true },
    { name: "warning", tone: "amber", count: tally.warnings, isShown: true },
    { name: "note", tone: "blue", count: tally.notes, isShown: true },
    ...(tally.known > 0 ? [{ name: "known", tone: "dim", count: tally.known, isShown: false } as const] : []),
    { name: "passed", tone: "green", count: tally.passed, isShown: false },
    { name: "not applicable", tone: "dim", count: tally.notApplicable, isShown: false },
    { name: "not observed", tone: "dim", count: tally.notObserved, isShown: false },
  ];
}

function cellOf(tally: Tally, query: string): PageCell {
  const red = tally.failures + tally.warnings + tally.notes;
  return { tone: toneOf(tally), text: `${tally.passed}${red > 0 ? ` / ${red}` : ""}`, query };
}

function toneOf({ failures, warnings, notes }: Tally): Tone {
  if (failures > 0) return "red";
  if (warnings > 0) return "amber";
  return notes > 0 ? "blue" : "green";
}

function entryOf(finding: Finding): PageEntry {
  const { check, area, title, revision, requirement, source, known } = finding;
  const facts: (PageFact | undefined)[] = [
    fact("known", known),
    fact("expected", finding.expected),
    fact("got", finding.got),
    fact("mend", finding.mend),
    fact("reason", finding.reason),
    fact("requirement", requirement),
    { name: "see", text: source, ...(source.startsWith("https:") && { href: source }) },
  ];
  return {
    id: `${check}@${revision}`,
    kind: kindOf(finding),
    name: check,
    tag: revision,
    title,
    search: `${area} ${revision} ${check} ${requirement} ${title}`,
    facts: facts.filter((each) => each !== undefined),
    blocks: finding.evidence.flatMap(({ sent, received }) => [
      { heading: "Sent", text: sent },
      { heading: "Received", text: received },
    ]),
  };
}

function kindOf({ outcome, severity, known }: Finding): string {
  if (known !== undefined) return "known";
  return outcome === "failed" ? severity : outcome;
}

function fact(name: string, text: string | undefined): PageFact | undefined {
  return text === undefined ? undefined : { name, text };
}
