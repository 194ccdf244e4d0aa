/** What the name of a file says about tests: `*-contract.ts` holds a suite, `*.fixture.ts` holds what tests share. */
import { parseSync } from "oxc-parser";
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
