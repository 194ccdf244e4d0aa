/** Which files of tests can notice a mutant: those that reach it. */
import { dirname } from "node:path";
import type { Mutant } from "./mutate.js";
import type { Reached } from "./reach-setup.js";
import type { FoundTest, RequestedTest } from "./test-server.js";

export interface TestReach extends FoundTest, RequestedTest {
  readonly ms: number;
  /** What ran while the file was imported: only in the first file of a worker that imports a source. */
  readonly imported: Reached;
  readonly ran: Reached;
}

type Place = Pick<Mutant, "file" | "index">;

export class ReachMap {
  readonly #tests: readonly TestReach[];
  readonly #runAtImport: ReadonlySet<string>;

  constructor(tests: readonly TestReach[]) {
    this.#tests = tests;
    this.#runAtImport = new Set(tests.flatMap(({ imported }) => namesOf(imported)));
  }

  /**
   * The nearest first: those named after the file, those of its folder, other unit tests, the interaction suite. Of these the quickest.
   * @param maxMs leaves out those that begin later than this time of tests
   */
  testsOf(mutant: Place, maxMs: number = Number.POSITIVE_INFINITY): RequestedTest[] {
    const isRunAtImport = this.#runAtImport.has(nameOf(mutant));
    const distance = distanceFrom(mutant.file);
    let spentMs = 0;
    return this.#tests
      .filter((test) => canNotice(test, mutant) || (isRunAtImport && canNoticeImport(test, mutant)))
      .map((test) => ({ test, distance: distance(test) }))
      .sort((a, b) => a.distance - b.distance || a.test.ms - b.test.ms)
      .filter(({ test: { ms } }) => {
        spentMs += ms;
        return spentMs - ms < maxMs;
      })
      .map(({ test: { path, isAlone } }) => ({ path, isAlone }));
  }
}

function canNotice({ imported, ran }: TestReach, { file, index }: Place): boolean {
  return (ran[file]?.includes(index) || imported[file]?.includes(index)) ?? false;
}

/** The files of a worker share what has run at import, so any that imports the source or runs something of it can notice. */
function canNoticeImport({ imports, ran }: TestReach, { file }: Place): boolean {
  return imports.includes(file) || ran[file] !== undefined;
}

/** The projects differ, too: a worker runs the tests of one. */
function distanceFrom(file: string): (test: TestReach) => number {
  const name = file.replace(/\.ts$/, "");
  return ({ path, project }) => {
    const near = [`${name}.`, name, `${dirname(file)}/`].findIndex((start) => path.startsWith(start));
    return near >= 0 ? near : 3 + ["sdk", "redis", "bullmq", "interaction", "interaction-alone"].indexOf(project);
  };
}

function namesOf(reached: Reached): string[] {
  return Object.entries(reached).flatMap(([file, places]) => places.map((index) => nameOf({ file, index })));
}

function nameOf({ file, index }: Place): string {
  return `${file} ${index}`;
}
