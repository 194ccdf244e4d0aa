/** The report for a terminal: the worst findings with their evidence, a grid of areas, and one line of counts. */
import { type Report, tallyOf } from "../judge/report.js";
import { shorten } from "../target/answer.js";
import { areaRows, type FailedCheck, failedChecks, reasonsOf, revisionsOf, summaryOf } from "./grouping.js";

const MAX_SHOWN = 8;
const MAX_EVIDENCE_LINES = 8;
const MAX_LINE = 110;

export interface PrettyOptions {
  /** Whether to use ANSI colors. */
  readonly isColored: boolean;
  /** Whether to show every finding with all of its evidence. */
  readonly isVerbose: boolean;
}

type Paint = (color: keyof typeof COLORS, text: string) => string;

const COLORS = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 };

const MARKS = { failure: "red", warning: "yellow", note: "blue" } as const;

export function formatPretty(report: Report, { isColored, isVerbose }: PrettyOptions): string {
  const paint: Paint = (color, text) => (isColored ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text);
  const failed = failedChecks(report);
  const shown = isVerbose ? failed : failed.slice(0, MAX_SHOWN);
  const tally = tallyOf(report.findings);
  const isClean = tally.failures === 0 && tally.warnings === 0;
  return [
    `${paint("bold", report.target)} ${revisionsOf(report)}`,
    "",
    ...shown.flatMap((check) => finding(check, paint, isVerbose)),
    ...(failed.length > shown.length
      ? [`… and ${failed.length - shown.length} more checks; --verbose shows them`, ""]
      : []),
    ...grid(report, paint),
    "",
    ...knownFindings(report, isVerbose),
    ...notObserved(report, isVerbose),
    `${paint(isClean ? "green" : "red", summaryOf(tally))} (${(report.durationMs / 1000).toFixed(1)} s)`,
    "",
  ].join("\n");
}

function finding({ first, revisions }: FailedCheck, paint: Paint, isVerbose: boolean): string[] {
  const exchanges = isVerbose ? first.evidence : first.evidence.slice(-1);
  return [
    `${paint(MARKS[first.severity], first.severity.toUpperCase())} ${paint("bold", first.check)} (${revisions.join(", ")})`,
    `  ${first.title}`,
    `  expected  ${shorten(first.expected ?? "", 200)}`,
    `  got       ${shorten(first.got ?? "", 200)}`,
    `  mend      ${first.mend}`,
    `  see       ${first.source}`,
    ...exchanges.flatMap(({ sent, received }) => [
      ...quoted(">", sent, paint, isVerbose),
      ...quoted("<", received, paint, isVerbose),
    ]),
    "",
  ];
}

/** The lines of a message that matter most: the first, and the body. */
function quoted(mark: string, text: string, paint: Paint, isVerbose: boolean): string[] {
  const lines = text.split("\n").filter((line) => line !== "");
  const kept = isVerbose || lines.length <= MAX_EVIDENCE_LINES ? lines : [...lines.slice(0, 1), ...lines.slice(-2)];
  return kept.map((line) => paint("dim", `  ${mark} ${isVerbose ? line : shorten(line, MAX_LINE)}`));
}

function grid(report: Report, paint: Paint): string[] {
  const rows = areaRows(report);
  const width = Math.max(...rows.map(({ area }) => area.length), 4);
  const head = ["area".padEnd(width), ...report.checked].join("  ");
  const lines = rows.map(({ area, tallies }) => {
    const cells = tallies.map((tally) => {
      if (tally === undefined) return ".".padEnd(10);
      const red = tally.failures + tally.warnings + tally.notes;
      const text = `${tally.passed}${red > 0 ? ` -${red}` : ""}`.padEnd(10);
      if (tally.failures > 0) return paint("red", text);
      return red > 0 ? paint("yellow", text) : text;
    });
    return [area.padEnd(width), ...cells].join("  ").trimEnd();
  });
  return [paint("dim", head), ...lines];
}

/** A line for each finding of the baseline. */
function knownFindings({ findings }: Report, isVerbose: boolean): string[] {
  const lines = findings.flatMap(({ check, revision, severity, known }) =>
    known === undefined ? [] : [`  ${check} (${revision}), ${severity}: ${known}`],
  );
  if (lines.length === 0) return [];
  const shown = isVerbose ? lines : lines.slice(0, MAX_SHOWN);
  const rest = lines.length - shown.length;
  return ["known:", ...shown, ...(rest > 0 ? [`  … and ${rest} more; --verbose shows them`] : []), ""];
}

function notObserved(report: Report, isVerbose: boolean): string[] {
  const reasons = [...reasonsOf(report, "not observed")];
  if (reasons.length === 0) return [];
  const lines = reasons.map(([reason, checks]) => {
    const names = isVerbose ? checks.join(", ") : `${checks.length} ${checks.length === 1 ? "check" : "checks"}`;
    return `  ${reason}: ${names}`;
  });
  return ["not observed:", ...(isVerbose ? lines : lines.slice(0, MAX_SHOWN)), ""];
}
