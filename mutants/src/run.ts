/**
 * `npm run mutants -- [path …] [--sample N] [--per-folder N] [--seed N] [--changed REVISION] [--jobs N] [--seconds N]`: plants small faults in sources
 * of the published packages, one at a time, and tells which of them no test notices. Takes all mutants of the given files and folders,
 * or of the files that changed since a revision; without either, a sample of the whole. An interrupt ends the run after the mutants in
 * progress, with the counts so far. Exits with 1 if a folder has too many survivors.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./mutate.js";
import { countByFolder, isTooFew, type Outcome, renderCounts, renderSurvivor } from "./outcomes.js";
import { randomSample } from "./random-sample.js";
import { ReachMap } from "./reach-map.js";
import { recordReach } from "./reach-record.js";
import { isMutated, listFiles, MUTATED } from "./source-files.js";
import { readSurvivors, reasonOf } from "./survivors.js";
import { TestRunner } from "./test-run.js";
import { compilingMutants } from "./type-check.js";

const DEFAULT_SAMPLE = 100;

const root = fileURLToPath(new URL("../../", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    "per-folder": { type: "string" },
    seed: { type: "string" },
    changed: { type: "string" },
    jobs: { type: "string" },
    seconds: { type: "string" },
  },
});
const seed = wholeNumber("seed", values.seed) ?? 1;
const isPart = positionals.length > 0 || values.changed !== undefined;
const perFolder = wholeNumber("per-folder", values["per-folder"]);
const jobs = wholeNumber("jobs", values.jobs) ?? 1;
const maxSeconds = wholeNumber("seconds", values.seconds) ?? Number.POSITIVE_INFINITY;
const isSample = !isPart && perFolder === undefined;
const count = wholeNumber("sample", values.sample) ?? (isSample ? DEFAULT_SAMPLE : Number.POSITIVE_INFINITY);

const survivors = readSurvivors(root);
const all = sourceFiles().flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")));
const possible = all.filter((mutant) => reasonOf(mutant, survivors) === undefined);
const nameOf = ({ file, source, change }: Mutant) => `${file} ${source} ${change}`;
const ofFolders = perFolder === undefined ? possible : samplePerFolder(possible, perFolder);
const sample = randomSample(ofFolders, count, seed, nameOf);
// One per process: several may run at a time.
const scratch = join(root, "mutants/.scratch");
const own = join(scratch, String(process.pid));
mkdirSync(own, { recursive: true });
const compiling = compilingMutants(root, join(own, "types"), sample);
console.log(
  `seed ${seed}: ${compiling.length} mutants; ${sample.length - compiling.length} more do not compile, ` +
    `${all.length - possible.length} behave like the original`,
);
const record = await recordReach(root, scratch, jobs);
for (const { path } of record.tests.filter(({ isPassed }) => !isPassed)) console.log(`fails without a mutant: ${path}`);
const reach = new ReachMap(record.tests.filter(({ isPassed }) => isPassed));

const outcomes: Outcome[] = [];
const queue = compiling.values();
let isInterrupted = false;
process.once("SIGINT", () => {
  isInterrupted = true;
});
await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)));
rmSync(own, { recursive: true, force: true });
const counts = countByFolder(outcomes);
for (const line of renderCounts(counts)) console.log(line);
if ([...counts.values()].some(isTooFew)) process.exitCode = 1;

/** Takes mutants from the queue until it is empty. */
async function work(job: number): Promise<void> {
  await using runner = new TestRunner({ root, plantedPath: join(own, `mutant-${job}.json`), bails: true });
  for (const mutant of queue) {
    if (isInterrupted) break;
    const tests = reach.testsOf(mutant, maxSeconds * 1_000);
    const startedAt = performance.now();
    const killer = await runner.killerOf(mutant, tests);
    outcomes.push({ mutant, isKilled: killer !== undefined });
    if (killer === undefined) console.log(renderSurvivor(mutant, tests.length));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stderr.write(
      `${outcomes.length} of ${compiling.length}: ${mutant.file}:${mutant.line}: ${mutant.change}\n` +
        `  ${seconds} s: ${killer === undefined ? "survived" : `killed by ${killer.split("\n", 1)[0]}`}\n`,
    );
  }
}

/** So many of each folder. */
function samplePerFolder(mutants: readonly Mutant[], most: number): Mutant[] {
  const folders = new Set(mutants.map(({ file }) => dirname(file)));
  return [...folders].flatMap((folder) =>
    randomSample(
      mutants.filter(({ file }) => dirname(file) === folder),
      most,
      seed,
      nameOf,
    ),
  );
}

/** Sources that can have mutants, in the given paths or since the given revision. */
function sourceFiles(): string[] {
  const given = values.changed === undefined ? positionals : [...positionals, ...changedFiles(values.changed)];
  return (isPart ? given : MUTATED).flatMap((path) => listFiles(root, path)).filter(isMutated);
}

function changedFiles(revision: string): string[] {
  const args = ["diff", "--name-only", "--diff-filter=d", revision, "--", ...MUTATED];
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
}

function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name}: expected a whole number, got ${value}`);
  process.exit(2);
}
