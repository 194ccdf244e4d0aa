/**
 * The command: in-process round trips of `tools/call`, all contenders in one run.
 * `--quick` for a short run, `--assert` to fail where a target is missed, `--only <text>` for the contenders so named.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { runApart } from "./contender-process.js";
import { CONTENDERS } from "./contenders.js";
import { judge, renderTable, renderVerdict, toRows } from "./report.js";
import { type Measurement, measure, type Plan, type Runner } from "./rounds.js";

const FULL: Plan = { rounds: 15, roundCpuMs: 200, warmUpCpuMs: 2_000, concurrencies: [1, 32] };
const QUICK: Plan = { rounds: 5, roundCpuMs: 100, warmUpCpuMs: 1_000, concurrencies: [1, 32] };

const NOT_MEASURED = [
  "Not measured: sockets, pipes and other processes; start-up; memory; tail latency; large payloads; other methods.",
  "Each contender has a process of its own and repeats one call; one that also does other work will be slower.",
];

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    assert: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});

const plan = values.quick ? QUICK : FULL;
const contenders = CONTENDERS.filter(({ name, role }) => role === "ours" || name.includes(values.only));
const rows = toRows(await measureApart());
const verdicts = judge(rows);
const machine = { node: process.version, cpus: availableParallelism(), model: cpus()[0]?.model ?? "unknown" };

console.log(`tools/call in process, Zod input and output, validated on both sides`);
console.log(`calls per second of CPU time, medians of ${plan.rounds} rounds`);
console.log(`Node ${machine.node}, ${machine.cpus} × ${machine.model}\n`);
console.log(renderTable(rows));
console.log("\n(in brackets: shown, not judged)");
for (const { name, era, note } of contenders) if (note) console.log(`${name}, ${era}: ${note}.`);
for (const line of NOT_MEASURED) console.log(line);
console.log("");
for (const verdict of verdicts) console.log(renderVerdict(verdict));

const directory = new URL("../results/", import.meta.url);
mkdirSync(directory, { recursive: true });
const startedAt = new Date().toISOString();
const file = new URL(`in-process-${startedAt.replaceAll(":", "-")}.json`, directory);
writeFileSync(file, `${JSON.stringify({ startedAt, machine, plan, verdicts, rows }, null, 2)}\n`);
console.log(`\nwritten to bench/results/${file.pathname.split("/").at(-1)}`);

if (values.assert && verdicts.some((verdict) => !verdict.isReached)) process.exitCode = 1;

async function measureApart(): Promise<Measurement[]> {
  const runners: Runner[] = [];
  try {
    for (const contender of contenders) runners.push(await runApart(contender));
    return await measure(runners, plan);
  } finally {
    for (const runner of runners) await runner[Symbol.asyncDispose]();
  }
}
