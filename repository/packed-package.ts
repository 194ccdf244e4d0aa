/** The SDK as `npm pack` makes it, unpacked into a project that has nothing else of the repository. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { requireFreshBuild } from "./built-package.js";
import { repositoryRoot } from "./source-files.js";

export interface PackedProject {
  readonly folder: string;
  /** The files of the tarball. */
  readonly files: readonly string[];
}

/** @param name of a folder under `.scratch/` that belongs to the caller */
export function unpackInto(name: string, sources: Readonly<Record<string, string>> = {}): PackedProject {
  requireFreshBuild();
  const folder = join(repositoryRoot, "repository/.scratch", name);
  const target = join(folder, "node_modules/parley-mcp");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });

  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: join(repositoryRoot, "packages/sdk"),
    encoding: "utf8",
    // npm is a script there.
    shell: process.platform === "win32",
  });
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  execFileSync("tar", ["-xzf", join(folder, filename), "-C", target, "--strip-components=1"]);

  const texts = { "package.json": `{ "private": true, "type": "module" }`, ...sources };
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, files: files.map(({ path }) => path) };
}
