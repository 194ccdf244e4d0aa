/** What a run has to say: a table of what came out, and for each finding all it takes to see it again. */
import type { Campaign, Finding } from "./campaign.js";
import type { Climb } from "./cost/climb.js";
import { MAX_CPU_MS } from "./cost/cost-target.js";

export function renderTable(campaigns: readonly Campaign[]): string {
  const rows = campaigns.map(({ target, executions, elapsedMs, outcomes, findings }) => [
    target.name,
    executions.toLocaleString("en"),
    `${(elapsedMs / 1_000).toFixed(1)} s`,
    String(findings.length),
    [...outcomes]
      .sort(([, one], [, other]) => other - one)
      .map(([outcome, count]) => `${outcome} ${count.toLocaleString("en")}`)
      .join(", "),
  ]);
  const header = ["target", "executions", "time", "findings", "what came out"];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [header, ...rows].map(line).join("\n");
}

export function renderFinding({ target, property, message, seed, index, input }: Finding): string {
  return [
    `FOUND in ${target}: ${property}`,
    `  ${message.split("\n").slice(0, 8).join("\n  ")}`,
    `  again: npm run fuzz -- --only ${target} --seed ${seed} --executions ${index + 1}`,
    `  once understood, add to the list in fuzz/findings/${target}.json:`,
    `  ${JSON.stringify({ property, input })}`,
  ].join("\n");
}

/** The slowest input of each search for cost, the slowest first. */
export function renderClimbs(climbs: readonly Climb[]): string {
  const rows = climbs
    .toSorted((one, other) => other.cpuMs - one.cpuMs)
    .map(
      ({ target, attempts, cpuMs, bytes }) =>
        `${target}: ${cpuMs.toFixed(0)} ms for ${bytes.toLocaleString("en")} bytes, ${attempts.toLocaleString("en")} inputs`,
    );
  return ["CPU time of the slowest input", ...rows].join("\n");
}

export function renderClimb({ target, cpuMs, input }: Climb, seed: number): string {
  return [
    `FOUND in ${target}: takes ${cpuMs.toFixed(0)} ms of CPU time, more than ${MAX_CPU_MS}`,
    `  again: npm run fuzz -- --only ${target} --seed ${seed}`,
    "  once understood, add to the tests of the code in question:",
    `  ${input}`,
  ].join("\n");
}

/** Outcomes that a target promises and did not have: its inputs do not reach what they are meant for. */
export function missingOutcomes({ target, outcomes }: Campaign): string[] {
  return target.outcomes.filter((outcome) => !outcomes.has(outcome));
}
