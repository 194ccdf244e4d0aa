/** Turns measurements into a table, ratios and a verdict. Measures and prints nothing itself. */
import type { Contender, Era } from "./contender.js";
import { type Measurement, median } from "./rounds.js";

/** How many times the fastest peer of the era we are to be, at least. */
const TARGETS: Readonly<Record<Era, number>> = { modern: 3, legacy: 1.5 };

export interface Row {
  readonly contender: Contender;
  readonly concurrency: number;
  readonly callsPerSecond: number;
  /** How far apart the rounds were: the middle half of them, in parts of the median. */
  readonly spread: number;
  /** Our rate divided by this one, round by round, and the median of that: within a round the machine is the same. */
  readonly oursIsTimes: number;
}

export interface Verdict {
  readonly era: Era;
  readonly concurrency: number;
  readonly fastestPeer: string;
  readonly ratio: number;
  readonly target: number;
  readonly isReached: boolean;
}

export function toRows(measurements: readonly Measurement[]): Row[] {
  return measurements.map(({ contender, concurrency, rates }) => {
    const ours = measurements.find(
      (other) =>
        other.contender.role === "ours" && other.contender.era === contender.era && other.concurrency === concurrency,
    );
    const callsPerSecond = median(rates);
    const sorted = rates.toSorted((a, b) => a - b);
    const quarter = Math.floor(sorted.length / 4);
    return {
      contender,
      concurrency,
      callsPerSecond,
      spread: ((sorted.at(-1 - quarter) ?? Number.NaN) - (sorted[quarter] ?? Number.NaN)) / callsPerSecond,
      oursIsTimes: median(rates.map((rate, round) => (ours?.rates[round] ?? Number.NaN) / rate)),
    };
  });
}

/** One verdict per era and concurrency: ours against the fastest that is a peer. */
export function judge(rows: readonly Row[]): Verdict[] {
  return rows.flatMap((ours) => {
    if (ours.contender.role !== "ours") return [];
    const { concurrency, contender } = ours;
    const peers = rows.filter(
      (row) => row.contender.role === "peer" && row.contender.era === contender.era && row.concurrency === concurrency,
    );
    const fastest = peers.toSorted((a, b) => a.oursIsTimes - b.oursIsTimes)[0];
    if (fastest === undefined) return [];
    const ratio = fastest.oursIsTimes;
    const target = TARGETS[contender.era];
    const fastestPeer = fastest.contender.name;
    return { era: contender.era, concurrency, fastestPeer, ratio, target, isReached: ratio >= target };
  });
}

export function renderTable(rows: readonly Row[]): string {
  const lines = [["era", "in flight", "contender", "calls/CPU s", "± half", "ours is"]];
  for (const row of rows) {
    lines.push([
      row.contender.era,
      String(row.concurrency),
      row.contender.role === "reference" ? `(${row.contender.name})` : row.contender.name,
      Math.round(row.callsPerSecond).toLocaleString("en-US"),
      `${Math.round((row.spread / 2) * 100)} %`,
      `${row.oursIsTimes.toFixed(2)} ×`,
    ]);
  }
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function renderVerdict(verdict: Verdict): string {
  const { era, concurrency, fastestPeer, ratio, target, isReached } = verdict;
  const outcome = isReached ? "reached" : "missed";
  return `${era}, ${concurrency} in flight: ${ratio.toFixed(2)} × ${fastestPeer}, the fastest peer (target ${target} ×: ${outcome})`;
}

/** Words to the left, figures to the right. */
function pad(cell: string, width: number, column: number): string {
  return column === 0 || column === 2 ? cell.padEnd(width) : cell.padStart(width);
}
