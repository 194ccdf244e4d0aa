/** Reads the repository's files as plain data, so that every check can also be tried on made-up ones. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface SourceFile {
  /** Relative to the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export const repositoryRoot: string = fileURLToPath(new URL("..", import.meta.url));

/** Folders that hold nothing of ours: those .gitignore names, and git's own. */
const notSources = new RegExp(`^(?:${[".git", ...ignoredFolders()].map(asPattern).join("|")})$`);

/** The paths of all files at or below a folder, sorted; what is installed or generated is left out. */
export function listFiles(folder = "", root = repositoryRoot): string[] {
  const paths: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (notSources.test(entry.name)) continue;
    if (entry.isDirectory()) paths.push(...listFiles(path, root));
    else if (entry.isFile()) paths.push(path);
  }
  return paths.sort();
}

function ignoredFolders(): string[] {
  const lines = readFileSync(join(repositoryRoot, ".gitignore"), "utf8").split("\n");
  return lines.filter((line) => line.endsWith("/")).map((line) => line.slice(0, -1));
}

/** The regular expression of a name in which `*` stands for anything. */
function asPattern(name: string): string {
  return name.replaceAll(".", "\\.").replaceAll("*", ".*");
}

export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(join(repositoryRoot, path), "utf8") };
}

/** All TypeScript files below a folder. */
export function readTypeScript(folder: string): SourceFile[] {
  return listFiles(folder)
    .filter((path) => path.endsWith(".ts"))
    .map(readSource);
}

/** Files that only tests load: they may use development dependencies and are left out of what is published. */
export function isTestFile(path: string): boolean {
  return path.endsWith(".test.ts") || path.endsWith("-contract.ts") || path.endsWith(".fixture.ts");
}
