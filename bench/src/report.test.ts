import { describe, expect, it } from "vitest";
import type { BenchRun } from "./bench-run.js";
import { renderChart } from "./chart.js";
import type { Figure, Measure, Target } from "./figure.js";
import { renderMarkdown, replaceSection } from "./markdown.js";
import { renderNumber, renderReport, renderTable, renderVerdict } from "./report.js";
import { judge } from "./verdict.js";

const FIGURES: readonly Figure[] = [
  figure("32 connections", "parley", "ours", 8_000),
  { ...figure("32 connections", "floor", "floor", 10_000), note: "answers a constant" },
  figure("32 connections", "lagging <&>", "peer", 500),
  figure("32 connections", "swift", "peer", 4_000),
  figure("32 connections", "bare", "reference", 2_000),
  { ...figure("32 connections, p99", "parley", "ours", 12.5), unit: "ms" },
  { ...figure("32 connections, p99", "floor", "floor", 5), unit: "ms" },
];

const THROUGHPUT: Target = { setting: "32 connections", compare: "of-floor", at: 0.7, label: "throughput" };

const MEASURE: Measure = {
  name: "http",
  title: "calls over HTTP",
  notMeasured: "Not measured: TLS.",
  targets: [
    THROUGHPUT,
    { setting: "32 connections", compare: "of-best-peer", at: 3, label: "lead" },
    { setting: /p99$/, compare: "times-floor", at: 2, label: "tail" },
    { setting: /p99$/, compare: "above-floor", at: 10, label: "tail" },
    { setting: /p99$/, compare: "absolute", at: 10, label: "tail" },
    { setting: "1 connection", compare: "of-floor", at: 0.7, label: "throughput" },
  ],
  run: async () => FIGURES,
};
const VERDICTS = judge(MEASURE, FIGURES);
const RUN: BenchRun = {
  startedAt: "2026-11-15T12:00:00.000Z",
  isQuick: false,
  machine: { node: "v20.0.0", cpus: 2, model: "Some CPU" },
  measures: [{ measure: MEASURE, figures: FIGURES, verdicts: VERDICTS, seconds: 1 }],
};

describe("the report", () => {
  it("shows everyone with the ratio to the floor, and how many times them ours is", () => {
    const lines = renderTable(FIGURES).split("\n");
    expect(lines.map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ["setting", "contender", "median", "± half", "of floor", "ours is"],
      ["32 connections", "parley", "8,000", "calls/s", "0 %", "0.80", "1.00 ×"],
      ["32 connections", "floor", "10,000", "calls/s", "0 %", "1.00", "0.80 ×"],
      ["32 connections", "lagging <&>", "500", "calls/s", "0 %", "0.05", "16.00 ×"],
      ["32 connections", "swift", "4,000", "calls/s", "0 %", "0.40", "2.00 ×"],
      ["32 connections", "(bare)", "2,000", "calls/s", "0 %", "0.20", "4.00 ×"],
      ["32 connections, p99", "parley", "12.5", "ms", "0 %", "2.50", "1.00 ×"],
      ["32 connections, p99", "floor", "5.00", "ms", "0 %", "1.00", "2.50 ×"],
    ]);
  });

  it("says of every target whether it was reached, and with which figures", () => {
    expect(VERDICTS.map(renderVerdict)).toEqual([
      "http, 32 connections, throughput: 0.80 of the floor (target at least 0.7: reached)",
      "http, 32 connections, lead: 2.00 × swift, the best peer (target at least 3 ×: missed)",
      "http, 32 connections, p99, tail: 2.50 × the floor (target at most 2 ×: missed)",
      "http, 32 connections, p99, tail: 7.50 ms above the floor (target at most 10 ms: reached)",
      "http, 32 connections, p99, tail: 12.5 ms (target at most 10 ms: missed)",
      "http, 1 connection, throughput: not measured (target at least 0.7: missed)",
    ]);
  });

  it("tells what a reader must know about contenders, and what was not measured", () => {
    const report = renderReport(MEASURE, FIGURES, VERDICTS);
    expect(report).toContain("http: calls over HTTP\n");
    expect(report).toContain("\nfloor: answers a constant.\nNot measured: TLS.\n");
  });

  it("shows how far apart the rounds were", () => {
    const uneven = [{ ...figure("s", "parley", "ours", 0), values: [80, 90, 100, 110, 120] }];
    expect(renderTable(uneven)).toContain("10 %");
  });

  it.each([
    [12_345.6, "12,346"],
    [123.4, "123"],
    [12.34, "12.3"],
    [1.234, "1.23"],
    [0.456, "0.46"],
    [-7.5, "-7.50"],
  ])("writes %d as %s", (value, expected) => {
    expect(renderNumber(value)).toBe(expected);
  });
});

describe("the Markdown", () => {
  const markdown = renderMarkdown(RUN);

  it("has one line per setting, with a column per contender that is judged or judged against", () => {
    expect(markdown).toContain("| measure | setting |  | parley | floor | lagging <&> | swift |\n");
    expect(markdown).toContain(
      "\n| http | 32 connections | calls/s | 8,000 (0.80) | 10,000 | 500 (0.05) | 4,000 (0.40) |\n" +
        "| http | 32 connections, p99 | ms | 12.5 (2.50) | 5.00 |  |  |\n",
    );
  });

  it("has the verdicts, the references, the notes and the machine", () => {
    expect(markdown).toContain("| http: 32 connections, throughput | 0.80 of the floor | at least 0.7 | reached |");
    expect(markdown).toContain("| http: 1 connection, throughput | – | at least 0.7 | **missed** |");
    expect(markdown).toContain("| http | 32 connections | bare | 2,000 (0.20) calls/s |");
    expect(markdown).toContain("**http.** calls over HTTP. floor: answers a constant. Not measured: TLS.");
    expect(markdown).toMatch(/^A run on 2026-11-15, Node v20.0.0 on 2 cores of Some CPU\./);
    expect(renderMarkdown({ ...RUN, isQuick: true })).toMatch(/^A quick run/);
  });

  it("takes the place of what was between the markers before", () => {
    const page = "# Title\n<!-- figures -->\nold\n<!-- /figures -->\nrest\n";
    const once = replaceSection(page, "new");
    expect(once).toBe("# Title\n<!-- figures -->\nnew\n<!-- /figures -->\nrest\n");
    expect(replaceSection(once, "new")).toBe(once);
  });

  it.each(["# Title", "<!-- figures -->", "<!-- /figures --> <!-- figures -->"])("has no place in %j", (page) => {
    expect(() => replaceSection(page, "new")).toThrow("expected <!-- figures -->");
  });
});

describe("the chart", () => {
  const chart = renderChart(RUN);
  const bars = [...chart.matchAll(/<rect class="(ours|peer)" x="(\d+)" y="\d+" width="([\d.]+)"/g)];

  it("has a bar for ours and each peer where a target asks for a part of the floor, the best peer first", () => {
    expect(bars.map(([, kind]) => kind)).toEqual(["ours", "peer", "peer"]);
    const names = [...chart.matchAll(/text-anchor="end">([^<]*)</g)].map(([, name]) => name);
    expect(names).toEqual(["parley", "swift", "lagging &lt;&amp;&gt;"]);
    expect(chart.match(/class="group"/g)).toHaveLength(1);
  });

  it("draws bars as long as the ratio, up to the line of the floor", () => {
    const floorX = Number(/<line class="floor" x1="(\d+)"/.exec(chart)?.[1]);
    const ends = bars.map(([, , x, width]) => Number(width) / (floorX - Number(x)));
    expect(ends.map((end) => end.toFixed(2))).toEqual(["0.80", "0.40", "0.05"]);
    expect([...chart.matchAll(/>(\d\.\d\d)</g)].map(([, ratio]) => ratio)).toEqual(["0.80", "0.40", "0.05"]);
  });

  it("stays within its card when a bar is longer than the floor", () => {
    const figures = FIGURES.map((one) => (one.contender === "parley" ? { ...one, values: [90_000] } : one));
    const long = renderChart({ ...RUN, measures: [{ measure: MEASURE, figures, verdicts: VERDICTS, seconds: 1 }] });
    const [, x, width] = /<rect class="ours" x="(\d+)" y="\d+" width="([\d.]+)"/.exec(long) ?? [];
    expect(Number(x) + Number(width)).toBeLessThan(430);
    expect(long).toContain(">9.00<");
  });

  it("fills two columns, the first before the second, and no more than its card", () => {
    const settings = ["a", "b", "c", "d", "e"];
    const figures = settings.flatMap((setting) => FIGURES.slice(0, 4).map((one) => ({ ...one, setting })));
    const verdicts = judge({ ...MEASURE, targets: [{ ...THROUGHPUT, setting: /^.$/ }] }, figures);
    const wide = renderChart({ ...RUN, measures: [{ measure: MEASURE, figures, verdicts, seconds: 1 }] });
    const titles = [...wide.matchAll(/class="group" x="(\d+)" y="(\d+)">http: (.)</g)];
    expect(titles.map(([, x, , setting]) => [Number(x) < 430 ? "left" : "right", setting])).toEqual([
      ["left", "a"],
      ["left", "b"],
      ["left", "c"],
      ["right", "d"],
      ["right", "e"],
    ]);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(wide) ?? [];
    for (const [, x, y] of wide.matchAll(/ x="([\d.]+)" y="([\d.]+)"/g)) {
      expect(Number(x)).toBeLessThan(Number(width) - 40);
      expect(Number(y)).toBeLessThan(Number(height));
    }
  });

  it("brings its own background for light and dark readers, and nothing from elsewhere", () => {
    expect(chart).toContain('<rect class="card"');
    expect(chart).toContain("@media (prefers-color-scheme: dark)");
    expect(chart).not.toMatch(/href|<script|url\(/);
  });

  it("refuses to draw nothing", () => {
    expect(() => renderChart({ ...RUN, measures: [] })).toThrow("nothing to draw");
  });
});

function figure(setting: string, contender: string, role: Figure["role"], value: number): Figure {
  return { measure: "http", setting, contender, role, unit: "calls/s", values: [value, value, value] };
}
