/** The files that have mutants, and those that decide what a test does. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The folders whose files have mutants. */
export const MUTATED = ["packages/sdk/src", "packages/redis/src", "packages/bullmq/src"];
/** What the tests of the sources run: their own packages, and the interaction suite. */
const EXECUTED = [
  ...MUTATED,
  "packages/requirements/src",
  "interaction/src",
  "interaction/programs",
  "interaction/tests",
];

/** Whether a source of a package runs in production. */
export function isMutated(file: string): boolean {
  return (
    MUTATED.some((folder) => file.startsWith(`${folder}/`)) &&
    /\.ts$/.test(file) &&
    !/\.(?:test|fixture|d)\.ts$|-contract\.ts$/.test(file)
  );
}

/** The files of a folder and its folders, or the file itself. Paths are relative to `root`. */
export function listFiles(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .sort();
}

/** Changes with every file that tests run, apart from the files of tests. */
export function digestOfExecuted(root: string): string {
  const files = EXECUTED.flatMap((folder) => listFiles(root, folder));
  const hash = createHash("sha256");
  for (const file of files) if (!file.endsWith(".test.ts")) hash.update(`${file} ${digestOfFile(root, file)}\n`);
  return hash.digest("hex");
}

export function digestOfFile(root: string, file: string): string {
  return createHash("sha256")
    .update(readFileSync(join(root, file)))
    .digest("hex");
}
