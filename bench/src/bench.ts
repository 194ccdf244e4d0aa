/**
 * The command. Names of measures choose some of them; `--only <text>` chooses contenders by their names.
 * `--quick` for a short run, `--assert` to fail where a target is missed, `--chart` and `--markdown` to put a whole run
 * into the documents.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import type { BenchRun, MeasureRun } from "./bench-run.js";
import { renderChart } from "./chart.js";
import type { Measure, RunOptions } from "./figure.js";
import { renderMarkdown, replaceSection } from "./markdown.js";
import { MEASURES } from "./measures.js";
import { renderReport } from "./report.js";
import { judge } from "./verdict.js";

const root = new URL("../../", import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    assert: { type: "boolean", default: false },
    chart: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

const isPart = positionals.length > 0 || values.only !== undefined;
if (isPart && (values.chart || values.markdown)) {
  throw new Error("--chart and --markdown show a whole run: leave out --only and the names of measures");
}

const startedAt = new Date().toISOString();
const machine = { node: process.version, cpus: availableParallelism(), model: cpus()[0]?.model ?? "unknown" };
console.log(`Node ${machine.node}, ${machine.cpus} × ${machine.model}\n`);

const measures: MeasureRun[] = [];
for (const measure of chosen(positionals)) measures.push(await runMeasure(measure));
const run: BenchRun = { startedAt, isQuick: values.quick, machine, measures };

write(`bench/results/bench-${startedAt.replaceAll(":", "-")}.json`, `${JSON.stringify(run, null, 2)}\n`);
if (values.chart) write("docs/performance.svg", renderChart(run));
if (values.markdown) {
  const page = readFileSync(new URL("docs/performance.md", root), "utf8");
  write("docs/performance.md", replaceSection(page, renderMarkdown(run)));
}

const isMissed = measures.some(({ verdicts }) => verdicts.some(({ isReached }) => !isReached));
if (measures.some(({ failure }) => failure !== undefined) || (values.assert && isMissed)) process.exitCode = 1;

/** @throws {Error} for a name that none has. */
function chosen(names: readonly string[]): readonly Measure[] {
  const unknown = names.find((name) => !MEASURES.some((measure) => measure.name === name));
  if (unknown !== undefined) {
    throw new Error(`no measure "${unknown}": there are ${MEASURES.map(({ name }) => name).join(", ")}`);
  }
  return names.length === 0 ? MEASURES : MEASURES.filter(({ name }) => names.includes(name));
}

/** One that fails is shown as such and does not keep the others from running. */
async function runMeasure(measure: Measure): Promise<MeasureRun> {
  const beganAt = performance.now();
  const options: RunOptions = { quick: values.quick, ...(values.only !== undefined && { only: values.only }) };
  const { name, title, notMeasured } = measure;
  const finished = (found: Pick<MeasureRun, "figures" | "verdicts" | "failure">): MeasureRun => ({
    measure: { name, title, notMeasured },
    seconds: Math.round((performance.now() - beganAt) / 100) / 10,
    ...found,
  });
  try {
    const figures = await measure.run(options);
    const verdicts = judge(measure, figures);
    console.log(renderReport(measure, figures, verdicts));
    return finished({ figures, verdicts });
  } catch (error) {
    console.error(`${name} failed:`, error);
    return finished({ figures: [], verdicts: judge(measure, []), failure: String(error) });
  }
}

function write(path: string, content: string): void {
  const file = new URL(path, root);
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, content);
  console.log(`written to ${path}`);
}
