/** Prints the matrix: one table per peer, its modes side by side, and notes that say why. */
import type { Departure } from "../departures.js";
import { type Feature, features } from "../features.js";
import type { Cell } from "./cell.js";

/** All cells of one implementation, in one role. */
export interface PeerCells {
  readonly title: string;
  readonly cells: readonly Cell[];
}

export function byPeer(cells: readonly Cell[]): readonly PeerCells[] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const title = `${cell.client} client × ${cell.server} server`;
    const group = groups.get(title) ?? [];
    group.push(cell);
    groups.set(title, group);
  }
  return [...groups].map(([title, group]) => ({ title, cells: group }));
}

/** Rows of features, columns of modes; numbers point at the notes, letters at the departures. */
export function tableLines({ title, cells }: PeerCells, departures: readonly Departure[]): readonly string[] {
  const modes = modesOf(cells);
  const reasons: string[] = [];
  const mark = (feature: Feature, mode: string) => {
    const outcome = cells.find((cell) => cell.feature === feature && cell.mode === mode)?.outcome;
    if (outcome?.verdict === "departure") return `departs [${letterOf(outcome.departure, departures)}]`;
    if (outcome?.verdict !== "not offered") return outcome?.verdict === "failed" ? "FAILED" : "passed";
    if (!reasons.includes(outcome.why)) reasons.push(outcome.why);
    return `- [${reasons.indexOf(outcome.why) + 1}]`;
  };
  const rows = [["", ...modes], ...features.map((feature) => [feature, ...modes.map((mode) => mark(feature, mode))])];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const notes = reasons.map((reason, index) => `[${index + 1}] ${reason}`);
  return [title, "", ...lines, "", ...notes];
}

export function departureLines(departures: readonly Departure[]): readonly string[] {
  return departures.flatMap((departure) => [
    `[${letterOf(departure.id, departures)}] ${departure.id}: ${departure.what}`,
    `    ${departure.strength}: ${departure.rule} (${departure.page})`,
  ]);
}

/** The same in Markdown, one line for each mode: how many features passed, are not offered, and depart. */
export function summaryLines(cells: readonly Cell[]): readonly string[] {
  const lines = byPeer(cells).flatMap((peer) =>
    modesOf(peer.cells).map((mode) => {
      const column = peer.cells.filter((cell) => cell.mode === mode);
      const count = (verdict: Cell["outcome"]["verdict"]) =>
        column.filter(({ outcome }) => outcome.verdict === verdict).length;
      const [first] = column;
      const departing = column.flatMap(({ outcome }) => (outcome.verdict === "departure" ? [outcome.departure] : []));
      const names = [...new Set(departing)].map((id) => `[${id}](#${id})`).join(", ");
      const peers = `${first?.client} | ${first?.server} | ${mode}`;
      return `| ${peers} | ${count("passed")} | ${count("not offered")} | ${names} |`;
    }),
  );
  return ["| client | server | mode | passed | not offered | departures |", "|---|---|---|---|---|---|", ...lines];
}

function letterOf(id: string, departures: readonly Departure[]): string {
  const index = departures.findIndex((departure) => departure.id === id);
  return String.fromCharCode("A".charCodeAt(0) + index);
}

function modesOf(cells: readonly Cell[]): readonly string[] {
  return [...new Set(cells.map(({ mode }) => mode))];
}
