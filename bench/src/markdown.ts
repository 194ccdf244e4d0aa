/** A run as Markdown, and its place in a document: between two markers, so that another run replaces it. */
import type { BenchRun, MeasureRun } from "./bench-run.js";
import { type Figure, median } from "./figure.js";
import { notesOf, renderActual, renderNumber, renderTarget } from "./report.js";
import { timesOther, type Verdict } from "./verdict.js";

const START = "<!-- figures -->";
const END = "<!-- /figures -->";

/** @throws {Error} if the document has no place for it. */
export function replaceSection(document: string, section: string): string {
  const start = document.indexOf(START);
  const end = document.indexOf(END);
  if (start < 0 || end < start) throw new Error(`expected ${START} and, after it, ${END}`);
  return `${document.slice(0, start + START.length)}\n${section}\n${document.slice(end)}`;
}

export function renderMarkdown(run: BenchRun): string {
  const { startedAt, isQuick, machine, measures } = run;
  const kind = isQuick ? "A quick run" : "A run";
  const hardware = `Node ${machine.node} on ${machine.cpus} cores of ${machine.model}`;
  return [
    `${kind} on ${startedAt.slice(0, 10)}, ${hardware}.`,
    "",
    "| target | measured | asked for | |",
    "|---|---|---|---|",
    ...measures.flatMap(({ verdicts }) => verdicts.map(verdictRow)),
    "",
    "Medians; in brackets the ratio to the floor.",
    "",
    ...figureTable(measures),
    "",
    "For comparison, and not judged:",
    "",
    "| measure | setting | what | median |",
    "|---|---|---|---:|",
    ...measures.flatMap(({ figures }) => figures.filter(isReference).map((figure) => referenceRow(figure, figures))),
    "",
    ...measures.flatMap(noteLines),
  ].join("\n");
}

function verdictRow(verdict: Verdict): string {
  const { measure, setting, label, actual, isReached } = verdict;
  const measured = actual === undefined ? "–" : renderActual(verdict, actual);
  const asked = renderTarget(verdict).replace(/^target /, "");
  return row([`${measure}: ${setting}, ${label}`, measured, asked, isReached ? "reached" : "**missed**"]);
}

/** Ours and the floor first, then the peers in the order in which they were met. */
function figureTable(measures: readonly MeasureRun[]): string[] {
  const figures = measures.flatMap((measure) => measure.figures).filter((figure) => !isReference(figure));
  const named = (role: Figure["role"]) => figures.filter((figure) => figure.role === role).map((f) => f.contender);
  const contenders = [...new Set([...named("ours"), ...named("floor"), ...named("peer")])];
  const settings = new Map(figures.map((figure) => [`${figure.measure}\n${figure.setting}`, figure]));
  return [
    row(["measure", "setting", "", ...contenders]),
    `|---|---|---|${"---:|".repeat(contenders.length)}`,
    ...[...settings.values()].map(({ measure, setting, unit }) => {
      const alike = figures.filter((figure) => figure.measure === measure && figure.setting === setting);
      return row([measure, setting, unit, ...contenders.map((contender) => figureCell(contender, alike))]);
    }),
  ];
}

function figureCell(contender: string, alike: readonly Figure[]): string {
  const figure = alike.find((candidate) => candidate.contender === contender);
  return figure ? amount(figure, alike) : "";
}

function amount(figure: Figure, alike: readonly Figure[]): string {
  const floor = alike.find(({ role }) => role === "floor");
  const value = renderNumber(median(figure.values));
  return floor && floor !== figure ? `${value} (${timesOther(figure, floor).toFixed(2)})` : value;
}

function isReference({ role }: Figure): boolean {
  return role === "reference";
}

function referenceRow(figure: Figure, figures: readonly Figure[]): string {
  const alike = figures.filter(({ setting }) => setting === figure.setting);
  return row([figure.measure, figure.setting, figure.contender, `${amount(figure, alike)} ${figure.unit}`]);
}

function noteLines({ measure, figures }: MeasureRun): string[] {
  return [`**${measure.name}.** ${[`${measure.title}.`, ...notesOf(figures), measure.notMeasured].join(" ")}`, ""];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
