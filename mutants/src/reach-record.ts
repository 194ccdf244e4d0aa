/** Records which mutants each file of tests reaches, and keeps the record: a file of tests runs again when it or the sources change. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestReach } from "./reach-map.js";
import { digestOfExecuted, digestOfFile } from "./source-files.js";
import { TestRunner, type TestRunOptions } from "./test-run.js";
import type { EndedTest, FoundTest } from "./test-server.js";

export interface ReachRecord {
  /** Of all that the tests run. */
  readonly digest: string;
  readonly tests: readonly RecordedTest[];
}

export interface RecordedTest extends TestReach {
  /** Of the file of tests. */
  readonly digest: string;
  /** A file that fails without a mutant takes no part. */
  readonly isPassed: boolean;
}

/**
 * Runs the files of tests that the record does not hold.
 *
 * @param scratch a folder for the record
 * @param jobs how many processes run tests
 */
export async function recordReach(root: string, scratch: string, jobs: number): Promise<ReachRecord> {
  const path = join(scratch, "reach.json");
  const optionsOf = (job: number) => ({
    root,
    plantedPath: join(scratch, `reach-${process.pid}-${job}.json`),
    bails: false,
  });
  const digest = digestOfExecuted(root);
  const files = await findTests(optionsOf(0));
  const digests = new Map(files.map((file) => [file.path, digestOfFile(root, file.path)]));
  const known: ReachRecord | undefined = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  const kept =
    known?.digest === digest
      ? known.tests.filter((test) => test.isPassed && digests.get(test.path) === test.digest)
      : [];
  const keptPaths = new Set(kept.map((test) => test.path));
  const missing = files.filter((file) => !keptPaths.has(file.path)).map((file) => file.path);
  const slices = Array.from({ length: jobs }, (_, job) => missing.filter((_test, index) => index % jobs === job));
  const ended = new Map((await Promise.all(slices.map((tests, job) => runAll(tests, optionsOf(job))))).flat());

  const added = files.flatMap((file): RecordedTest[] => {
    const test = ended.get(file.path);
    if (test === undefined) {
      if (!keptPaths.has(file.path)) console.log(`never ends without a mutant: ${file.path}`);
      return [];
    }
    const { isAlone, isPassed, ms, reach } = test;
    const { imported = {}, ran = {} } = reach ?? {};
    return [{ ...file, digest: digests.get(file.path) ?? "", isAlone, isPassed, ms, imported, ran }];
  });
  const record = { digest, tests: [...kept, ...added] };
  writeFileSync(path, JSON.stringify(record));
  for (const job of slices.keys()) rmSync(optionsOf(job).plantedPath, { force: true });
  return record;
}

async function findTests(options: TestRunOptions): Promise<readonly FoundTest[]> {
  await using runner = new TestRunner(options);
  let found: readonly FoundTest[] = [];
  await runner.request("reach", "tests", (message) => {
    if (message.kind === "tests") found = message.tests;
  });
  return found;
}

type EndedRun = EndedTest & { readonly isAlone: boolean };

/** The files share a worker. What fails there, and files that replace modules for the whole worker, run in workers of their own. */
async function runAll(tests: readonly string[], options: TestRunOptions): Promise<[path: string, run: EndedRun][]> {
  await using runner = new TestRunner(options);
  const ended = new Map<string, EndedRun>();
  const failed = () => tests.filter((test) => !ended.get(test)?.isPassed);
  const run = (paths: readonly string[], isAlone: boolean) =>
    runner.request("reach", { tests: paths.map((path) => ({ path, isAlone })) }, (message) => {
      if (message.kind !== "ended") return;
      const { path, isPassed } = message.test;
      ended.set(path, { ...message.test, isAlone });
      process.stderr.write(`reach: ${ended.size} of ${tests.length}: ${isPassed ? "" : "failed: "}${path}\n`);
    });
  const mayShare = (test: string) => !readFileSync(join(options.root, test), "utf8").includes("vi.mock(");
  await run(tests.filter(mayShare), false);
  if (failed().length > 0) await run(failed(), true);
  // Marks break a test that runs source code in another context. It takes part with those that it has set.
  await using plain = new TestRunner(options);
  const unmarked = { tests: failed().map((path) => ({ path, isAlone: true })) };
  await plain.request(undefined, unmarked, (message) => {
    const marked = message.kind === "ended" ? ended.get(message.test.path) : undefined;
    if (message.kind === "ended" && marked)
      ended.set(message.test.path, { ...marked, isPassed: message.test.isPassed });
  });
  return [...ended];
}
