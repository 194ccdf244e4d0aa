/**
 * A program that keeps Vitest loaded, and answers each message `{ file, folder }` with whether a unit test failed: first those of
 * the folder, then all that import the file. Starting Vitest for each mutant would take most of the time. Meanwhile it tells which
 * test files have ended. A test that never ends is left to the parent process, which kills this one.
 */
import { fileURLToPath } from "node:url";
import { createVitest, type TestSpecification } from "vitest/node";

export interface UnitTestRequest {
  /** Absolute paths. */
  readonly file: string;
  readonly folder: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
let hasFailure = false;

const vitest = await createVitest("test", {
  root,
  watch: false,
  bail: 1,
  project: ["sdk", "redis"],
  reporters: [
    {
      onTestModuleEnd(module) {
        hasFailure ||= !module.ok();
        process.send?.({ hasEnded: module.moduleId });
      },
      onTestRunEnd(_modules, errors) {
        hasFailure ||= errors.length > 0;
      },
    },
  ],
});
const all = await vitest.globTestSpecifications();

process.on("message", async (request: UnitTestRequest) => process.send?.({ hasFailure: await run(request) }));
process.send?.({ isReady: true });

async function run({ file, folder }: UnitTestRequest): Promise<boolean> {
  hasFailure = false;
  vitest.invalidateFile(file);
  const importing = await importingTests(file);
  const isNear = ({ moduleId }: TestSpecification) => moduleId.startsWith(`${folder}/`);
  for (const specifications of [importing.filter(isNear), importing.filter((one) => !isNear(one))]) {
    if (specifications.length > 0) await vitest.runTestSpecifications(specifications);
    if (hasFailure) return true;
  }
  return false;
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
