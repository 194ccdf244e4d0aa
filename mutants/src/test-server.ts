/**
 * A program that keeps Vitest loaded, and runs files of tests in the order of each message. Starting Vitest for each mutant would take
 * most of the time. The files share a worker, apart from those that ask for one of their own. Its argument is the number of failures
 * after which a run ends. A test that never ends is left to the parent process, which kills this one.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest, type TestModule, type TestSpecification } from "vitest/node";
import type { Reached } from "./reach-setup.js";

export interface TestRequest {
  /** The source that is loaded anew, relative to the root of the repository. */
  readonly file?: string | undefined;
  /** Files of tests, relative to the root of the repository. */
  readonly tests: readonly RequestedTest[];
}

export interface RequestedTest {
  readonly path: string;
  /** Whether it gets a worker of its own. */
  readonly isAlone: boolean;
}

export interface TestFailure {
  /** The file of the test; absent for an error outside of tests. */
  readonly path?: string;
  readonly message: string;
  /** How long the test took that failed. */
  readonly ms: number;
}

export interface EndedTest {
  readonly path: string;
  readonly isPassed: boolean;
  readonly ms: number;
  readonly reach?: { readonly imported: Reached; readonly ran: Reached } | undefined;
}

/** Messages to the parent process. Each tells that the tests go on. */
export type TestMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "progress" }
  | { readonly kind: "ended"; readonly test: EndedTest }
  | { readonly kind: "done"; readonly failure?: TestFailure | undefined }
  | { readonly kind: "tests"; readonly tests: readonly FoundTest[] };

export interface FoundTest {
  readonly path: string;
  readonly project: string;
  /** The sources that a file of unit tests imports. Empty in the interaction suite, where every file imports nearly all. */
  readonly imports: readonly string[];
}

const root = fileURLToPath(new URL("../../", import.meta.url));
/** A test that does not end fails after this time, and runs again without the mutant. */
const TEST_TIMEOUT_MS = 20_000;
const bail = Number(process.argv[2]);
let failure: TestFailure | undefined;
/** The file that Vitest has last loaded with a mutant. */
let mutated: string | undefined;

const vitest = await createVitest("test", {
  root,
  watch: false,
  bail,
  maxWorkers: 1,
  testTimeout: TEST_TIMEOUT_MS,
  project: ["sdk", "redis", "bullmq", "interaction", "interaction-alone"],
  sequence: {
    // Keeps the order of the request.
    sequencer: class {
      shard = (files: TestSpecification[]) => files;
      sort = (files: TestSpecification[]) => files;
    },
  },
  reporters: [
    {
      onTestCaseResult: () => send({ kind: "progress" }),
      onTestModuleEnd(module) {
        if (!module.ok()) failure ??= failureOf(module);
        const path = pathOf(module.moduleId);
        const { duration, collectDuration } = module.diagnostic();
        const { reach } = module.meta();
        send({ kind: "ended", test: { path, isPassed: module.ok(), ms: duration + collectDuration, reach } });
      },
      onTestRunEnd(_modules, errors) {
        const [error] = errors;
        if (error) failure ??= { message: `an error outside of tests: ${error.message}`, ms: Number.POSITIVE_INFINITY };
      },
    },
  ],
});
/** Tests that measure memory and time under load: they take minutes, and what they execute other tests execute, too. */
const FIGURES = "interaction/tests/figures/";
const specifications = new Map(
  (await vitest.globTestSpecifications())
    .map((specification) => [pathOf(specification.moduleId), specification] as const)
    .filter(([path]) => !path.startsWith(FIGURES)),
);

process.on("message", async (request: TestRequest | "tests") => {
  if (request === "tests") send({ kind: "tests", tests: await findTests() });
  else send({ kind: "done", failure: await run(request) });
});
send({ kind: "ready" });

function send(message: TestMessage): void {
  process.send?.(message);
}

function pathOf(id: string): string {
  return id.slice(root.length);
}

function failureOf(module: TestModule): TestFailure {
  const path = pathOf(module.moduleId);
  const [test] = module.children.allTests("failed");
  const [error] = test?.result().errors ?? module.errors();
  const ms = test?.diagnostic()?.duration ?? Number.POSITIVE_INFINITY;
  return { path, message: `${path}: ${test?.fullName ?? "outside of its tests"}: ${error?.message}`, ms };
}

async function run({ file, tests }: TestRequest): Promise<TestFailure | undefined> {
  failure = undefined;
  // The mutant of the request before must not stay loaded.
  for (const changed of [mutated, file]) if (changed !== undefined) forget(changed);
  mutated = file;
  for (const isAlone of [false, true]) {
    const chosen = tests.filter((test) => test.isAlone === isAlone).map(({ path }) => specifications.get(path));
    const known = chosen.filter((specification) => specification !== undefined);
    for (const project of vitest.projects) project.config.isolate = isAlone;
    if (known.length > 0) await vitest.runTestSpecifications(known);
    if (failure !== undefined && bail > 0) break;
  }
  return failure;
}

/** Loads a file anew the next time. Those that import it stay: their text is the same. */
function forget(file: string): void {
  for (const project of vitest.projects) {
    for (const { moduleGraph } of Object.values(project.vite.environments)) {
      for (const module of moduleGraph.getModulesByFile(join(root, file)) ?? []) module.transformResult = null;
    }
  }
}

async function findTests(): Promise<FoundTest[]> {
  const tests: FoundTest[] = [];
  for (const [path, { moduleId, project }] of specifications) {
    const imports = path.startsWith("packages/") ? await collectImports(moduleId, project) : [];
    tests.push({ path, project: project.name, imports: [...imports].map(pathOf) });
  }
  return tests;
}

/** The files that a file imports, and those that they import. */
async function collectImports(
  path: string,
  project: TestSpecification["project"],
  found: Set<string> = new Set(),
): Promise<ReadonlySet<string>> {
  if (found.has(path)) return found;
  found.add(path);
  const { ssr } = project.vite.environments;
  const transformed = await ssr?.transformRequest(path);
  for (const dependency of [...(transformed?.deps ?? []), ...(transformed?.dynamicDeps ?? [])]) {
    const module = await ssr?.moduleGraph.getModuleByUrl(dependency);
    const next = module?.file;
    if (next?.startsWith(root) && !next.includes("node_modules")) await collectImports(next, project, found);
  }
  return found;
}
