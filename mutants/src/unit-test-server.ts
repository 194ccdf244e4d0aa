/**
 * A program that keeps Vitest loaded, and answers each message `{ file, folder }` with the unit test that failed, if one did: first
 * the tests named after the file run, then those of its folder, then all that import it. Starting Vitest for each mutant would take
 * most of the time. Meanwhile it tells which test files have ended. A test that never ends is left to the parent process, which kills
 * this one.
 */
import { fileURLToPath } from "node:url";
import { createVitest, type TestSpecification } from "vitest/node";

export interface UnitTestRequest {
  /** Absolute paths. */
  readonly file: string;
  readonly folder: string;
  /** The only file of tests to run. */
  readonly only?: string | undefined;
  /** Whether tests outside of the folder are left out. */
  readonly isNear: boolean;
}

export interface UnitTestFailure {
  /** The file of the test; absent for an error outside of tests. */
  readonly module?: string | undefined;
  readonly message: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
let failure: UnitTestFailure | undefined;
/** The file that Vitest has last loaded with a mutant. */
let mutated: string | undefined;

const vitest = await createVitest("test", {
  root,
  watch: false,
  bail: 1,
  project: ["sdk", "redis", "bullmq"],
  reporters: [
    {
      onTestModuleEnd(module) {
        const { moduleId } = module;
        const [test] = module.children.allTests("failed");
        const [error] = test?.result().errors ?? module.errors();
        const message = `${test?.fullName ?? moduleId}: ${error?.message}`;
        if (!module.ok()) failure ??= { module: moduleId, message };
        process.send?.({ hasEnded: moduleId });
      },
      onTestRunEnd(_modules, errors) {
        if (errors.length > 0) failure ??= { message: `an error outside of tests: ${errors[0]?.message}` };
      },
    },
  ],
});
const all = await vitest.globTestSpecifications();

process.on("message", async (request: UnitTestRequest) =>
  process.send?.({ isDone: true, failure: await run(request) }),
);
process.send?.({ isReady: true });

async function run({ file, folder, only, isNear }: UnitTestRequest): Promise<UnitTestFailure | undefined> {
  failure = undefined;
  // The mutant of the request before must not stay in a file that these tests import as well.
  if (mutated !== undefined) vitest.invalidateFile(mutated);
  vitest.invalidateFile(file);
  mutated = file;
  const importing = (await importingTests(file)).filter(({ moduleId }) => only === undefined || moduleId === only);
  const name = file.replace(/\.ts$/, "");
  const distance = ({ moduleId }: TestSpecification) =>
    [name, `${folder}/`, ""].findIndex((start) => moduleId.startsWith(start));
  for (const step of isNear ? [0, 1] : [0, 1, 2]) {
    const specifications = importing.filter((one) => distance(one) === step);
    if (specifications.length > 0) await vitest.runTestSpecifications(specifications);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function importingTests(file: string): Promise<TestSpecification[]> {
  const tests: TestSpecification[] = [];
  for (const specification of all) {
    const imported = await importsOf(specification);
    if (imported.has(file)) tests.push(specification);
  }
  return tests;
}

const imports = new Map<string, Promise<ReadonlySet<string>>>();

/** The files that a test imports, and those that they import. */
function importsOf({ moduleId, project }: TestSpecification): Promise<ReadonlySet<string>> {
  const known = imports.get(moduleId) ?? collectImports(moduleId, project);
  imports.set(moduleId, known);
  return known;
}

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
