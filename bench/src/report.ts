/** Turns figures and verdicts into lines to read. Measures and prints nothing itself. */
import { type Figure, type Measure, median, type Unit } from "./figure.js";
import { timesOther, type Verdict } from "./verdict.js";

export function renderReport(measure: Measure, figures: readonly Figure[], verdicts: readonly Verdict[]): string {
  return [
    `${measure.name}: ${measure.title}`,
    "",
    renderTable(figures),
    "",
    "(in brackets: shown, not judged)",
    ...notesOf(figures),
    measure.notMeasured,
    "",
    ...verdicts.map(renderVerdict),
    "",
  ].join("\n");
}

/** What a reader must know about contenders, each said once. */
export function notesOf(figures: readonly Figure[]): string[] {
  return [...new Set(figures.flatMap(({ contender, note }) => (note === undefined ? [] : [`${contender}: ${note}.`])))];
}

export function renderTable(figures: readonly Figure[]): string {
  const lines = [["setting", "contender", "median", "", "± half", "of floor", "ours is"]];
  for (const setting of new Set(figures.map((figure) => figure.setting))) {
    const alike = figures.filter((figure) => figure.setting === setting);
    lines.push(...alike.map((figure) => tableLine(figure, alike)));
  }
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines.map((line) => renderLine(line, widths)).join("\n");
}

export function renderVerdict(verdict: Verdict): string {
  const { measure, setting, label, actual, isReached } = verdict;
  const outcome = isReached ? "reached" : "missed";
  if (actual === undefined) return `${measure}, ${setting}, ${label}: not measured (${renderTarget(verdict)}: missed)`;
  return `${measure}, ${setting}, ${label}: ${renderActual(verdict, actual)} (${renderTarget(verdict)}: ${outcome})`;
}

/** What ours came to, in words: `0.81 of the floor`. */
export function renderActual({ compare, against, unit }: Verdict, actual: number): string {
  if (compare === "of-floor") return `${actual.toFixed(2)} of the floor`;
  if (compare === "times-floor") return `${actual.toFixed(2)} × the floor`;
  if (compare === "of-best-peer") return `${actual.toFixed(2)} × ${against}, the best peer`;
  if (compare === "above-floor") return `${renderAmount(actual, unit)} above the floor`;
  return renderAmount(actual, unit);
}

export function renderTarget({ compare, target, unit }: Verdict): string {
  if (compare === "of-floor") return `target at least ${target}`;
  if (compare === "of-best-peer") return `target at least ${target} ×`;
  if (compare === "times-floor") return `target at most ${target} ×`;
  return `target at most ${target} ${unit}`;
}

/** Three digits at least, and no fraction where there are as many without. */
export function renderNumber(value: number): string {
  const digits = Math.max(0, 3 - Math.trunc(Math.abs(value)).toString().length);
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function renderAmount(value: number, unit: Unit): string {
  return `${renderNumber(value)} ${unit}`;
}

function tableLine(figure: Figure, alike: readonly Figure[]): string[] {
  const floor = alike.find(({ role }) => role === "floor");
  const ours = alike.find(({ role }) => role === "ours");
  return [
    figure.setting,
    figure.role === "reference" ? `(${figure.contender})` : figure.contender,
    renderNumber(median(figure.values)),
    figure.unit,
    `${Math.round(halfSpread(figure.values) * 100)} %`,
    floor ? timesOther(figure, floor).toFixed(2) : "",
    ours ? `${timesOther(ours, figure).toFixed(2)} ×` : "",
  ];
}

/** Half of how far apart the middle half of the rounds were, in parts of the median. */
function halfSpread(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  return ((sorted.at(-1 - quarter) ?? 0) - (sorted[quarter] ?? 0)) / 2 / (median(values) || 1);
}

/** Words to the left, figures to the right. */
function renderLine(line: readonly string[], widths: readonly number[]): string {
  const isWord = (column: number) => column <= 1 || column === 3;
  const cells = line.map((cell, column) => {
    const width = widths[column] ?? 0;
    return isWord(column) ? cell.padEnd(width) : cell.padStart(width);
  });
  return cells.join("  ").trimEnd();
}
