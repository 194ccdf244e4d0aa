/**
 * A run as a bar chart: the part of the floor that ours and each peer reach, wherever a target asks for that. It has a
 * background of its own, so that it reads the same on light and dark pages, and follows the reader's preference.
 */
import type { BenchRun } from "./bench-run.js";
import type { Figure } from "./figure.js";
import { timesOther } from "./verdict.js";

const COLUMN_WIDTH = 430;
const WIDTH = 2 * COLUMN_WIDTH + 20;
/** Within a column. */
const NAME_END = 104;
const BAR_START = 112;
const BAR_FULL = 250;
const TOP = 84;
const GROUP_HEAD = 18;
const BAR_STEP = 18;
const BAR_HEIGHT = 12;
const GROUP_GAP = 24;

const STYLE = `
  svg { color-scheme: light dark; }
  text { font: 12px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
  .card { fill: #ffffff; stroke: #d1d9e0; }
  .title { font-size: 16px; font-weight: 600; }
  .group { font-weight: 600; }
  .quiet { fill: #59636e; }
  .ours { fill: #0969da; }
  .peer { fill: #9aa4af; }
  .floor { stroke: #59636e; stroke-dasharray: 3 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .card { fill: #0d1117; stroke: #3d444d; }
    .quiet { fill: #9198a1; }
    .ours { fill: #4493f8; }
    .peer { fill: #656c76; }
    .floor { stroke: #9198a1; }
  }
`;

interface Group {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly isOurs: boolean; readonly ratio: number }[];
}

/** @throws {Error} if the run has nothing to show. */
export function renderChart(run: BenchRun): string {
  const groups = groupsOf(run);
  if (groups.length === 0) throw new Error("no figure is judged by its part of the floor: nothing to draw");
  const columns = inTwoColumns(groups);
  const height = TOP + Math.max(...columns.map(heightOf));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    "<title>Throughput as a part of the floor</title>",
    `<style>${STYLE}</style>`,
    `<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`,
    '<text class="title" x="20" y="32">Throughput as a part of the floor</text>',
    '<text class="quiet" x="20" y="52">The floor (dashed, 1.00) parses each message and answers a constant. Longer is faster.</text>',
    ...columns.map((column, index) => renderColumn(column, index * COLUMN_WIDTH)),
    "</svg>",
  ].join("\n")}\n`;
}

/** In the order they come, the first column as full as the second or fuller. */
function inTwoColumns(groups: readonly Group[]): (readonly Group[])[] {
  const half = heightOf(groups) / 2;
  const split = groups.findIndex((_, index) => heightOf(groups.slice(0, index)) >= half);
  return split < 0 ? [groups] : [groups.slice(0, split), groups.slice(split)];
}

function heightOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { bars }) => sum + GROUP_HEAD + bars.length * BAR_STEP + GROUP_GAP, 0);
}

function groupsOf({ measures }: BenchRun): Group[] {
  return measures.flatMap(({ measure, figures, verdicts }) =>
    verdicts.flatMap(({ compare, setting }) => {
      const alike = figures.filter((figure) => figure.setting === setting);
      const floor = alike.find(({ role }) => role === "floor");
      if (compare !== "of-floor" || floor === undefined) return [];
      return [{ title: `${measure.name}: ${setting}`, bars: barsOf(alike, floor) }];
    }),
  );
}

/** Ours first, then the peers, the best of them first. */
function barsOf(alike: readonly Figure[], floor: Figure): Group["bars"] {
  const shown = alike.filter(({ role }) => role === "ours" || role === "peer");
  const bars = shown.map((figure) => ({
    name: figure.contender,
    isOurs: figure.role === "ours",
    ratio: timesOther(figure, floor),
  }));
  return bars.toSorted((a, b) => Number(b.isOurs) - Number(a.isOurs) || b.ratio - a.ratio);
}

function renderColumn(groups: readonly Group[], x: number): string {
  const parts: string[] = [];
  const floorX = x + BAR_START + BAR_FULL;
  let y = TOP;
  for (const group of groups) {
    const end = y + heightOf([group]) - GROUP_GAP;
    parts.push(`<line class="floor" x1="${floorX}" y1="${y}" x2="${floorX}" y2="${end}"/>`, renderGroup(group, x, y));
    y = end + GROUP_GAP;
  }
  return parts.join("\n");
}

function renderGroup({ title, bars }: Group, x: number, y: number): string {
  const lines = bars.map(({ name, isOurs, ratio }, index) => {
    const top = y + GROUP_HEAD + index * BAR_STEP;
    const baseline = top + BAR_HEIGHT - 2;
    // Beyond the floor there is room for a little more, and the figure says the rest.
    const width = Math.min(Math.max(ratio, 0.002), 1.08) * BAR_FULL;
    const barX = x + BAR_START;
    return [
      `<text x="${x + NAME_END}" y="${baseline}" text-anchor="end">${escapeXml(name)}</text>`,
      `<rect class="${isOurs ? "ours" : "peer"}" x="${barX}" y="${top}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
      `<text class="quiet" x="${(barX + width + 6).toFixed(1)}" y="${baseline}">${ratio.toFixed(2)}</text>`,
    ].join("\n");
  });
  return [`<text class="group" x="${x + 20}" y="${y + 8}">${escapeXml(title)}</text>`, ...lines].join("\n");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
