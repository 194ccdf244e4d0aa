/**
 * What the name of a file says about tests: `*-contract.ts` holds a suite, `*.fixture.ts` holds what tests share. And what no
 * test does: wait for real time.
 */
import { parseSync, Visitor } from "oxc-parser";
import { importsOf, resolveRelative } from "./imports.js";
import { isTestFile, type SourceFile } from "./source-files.js";

/** Contracts without tests, fixtures with tests, and fixtures that are not named so. `entries` are the published files. */
export function testFileViolations(files: readonly SourceFile[], entries: readonly string[]): string[] {
  return [...files.flatMap(suiteViolations), ...hiddenFixtures(files, entries)];
}

function suiteViolations(file: SourceFile): string[] {
  if (file.path.endsWith("-contract.ts") && !declaresTests(file))
    return [`${file.path} holds no tests: name it ${file.path.replace("-contract.ts", ".fixture.ts")}`];
  if (file.path.endsWith(".fixture.ts") && declaresTests(file))
    return [`${file.path} holds tests: name it ${file.path.replace(".fixture.ts", "-contract.ts")}`];
  return [];
}

/** A file declares tests by what it imports to do so; `expect` and `vi` alone declare none. */
function declaresTests({ path, text }: SourceFile): boolean {
  return parseSync(path, text).module.staticImports.some(
    ({ moduleRequest, entries }) =>
      moduleRequest.value === "vitest" &&
      entries.some(({ importName }) => ["describe", "test", "it"].includes(importName.name ?? "")),
  );
}

/** Files that no entry reaches, although their names say that they are published. */
function hiddenFixtures(files: readonly SourceFile[], entries: readonly string[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set(entries);
  // A set hands out paths that are added while it is read.
  for (const path of reached) {
    const file = byPath.get(path);
    const specifiers = file ? importsOf(file).map(({ specifier }) => specifier) : [];
    for (const specifier of specifiers) {
      const target = file && resolveRelative(file, specifier);
      if (target !== undefined) reached.add(target);
    }
  }
  return files
    .filter(({ path }) => !isTestFile(path) && !reached.has(path))
    .map(({ path }) => `${path} is loaded by no entry: name it ${path.replace(/\.ts$/, ".fixture.ts")}, or delete it`);
}

/** Tests that wait for real time, which is either wasted or too short. Those that turn the clock by hand may set timers. */
export function sleepViolations(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => isTestFile(path)).flatMap(sleepsIn);
}

function sleepsIn({ path, text }: SourceFile): string[] {
  if (!/setTimeout|timers\/promises/.test(text)) return [];
  const { module, program } = parseSync(path, text);
  const promised = module.staticImports.some(({ moduleRequest }) => moduleRequest.value.endsWith("timers/promises"));
  const found = promised ? [`${path} imports timers/promises: wait for the event itself`] : [];
  if (text.includes("useFakeTimers")) return found;
  new Visitor({
    CallExpression({ callee }) {
      if (callee.type === "Identifier" && callee.name === "setTimeout")
        found.push(`${path} calls setTimeout: wait for the event itself, or turn the clock with vi.useFakeTimers`);
    },
  }).visit(program);
  return found;
}
