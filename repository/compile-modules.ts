/** Compiles many small modules as one program against the built package, and tells where each complaint belongs. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "./source-files.js";

export interface SmallModule {
  /** Its path in the program, such as `readme/line-3.ts`. */
  readonly module: string;
  readonly text: string;
  /** The file it was taken from. */
  readonly path: string;
  /** The line of that file which stands right before the module's first. */
  readonly line: number;
}

/** What came of it. */
export interface CompiledModules {
  /** What the compiler printed, with places in the documents instead of the modules. */
  readonly complaints: string;
  /** The folder of the modules as they were written. */
  readonly sources: string;
  /** The folder of their JavaScript. */
  readonly out: string;
}

/**
 * Writes and compiles the modules.
 * @param name of a folder under `.scratch/` that belongs to the caller
 */
export function compileModules(name: string, modules: readonly SmallModule[]): CompiledModules {
  const folder = join(repositoryRoot, "repository/.scratch", name);
  rmSync(folder, { recursive: true, force: true });
  for (const { module, text } of modules) {
    const path = join(folder, "src", module);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const config = {
    extends: "../../../tsconfig.base.json",
    compilerOptions: {
      rootDir: "src",
      outDir: "out",
      // Types are erased and nothing else changes, as if a reader had pasted the module into a file of plain JavaScript.
      target: "ESNext",
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    include: ["src"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { cwd: folder, encoding: "utf8" });
  const complaints = stdout.trim().replaceAll(/^src\/(.+?)\((\d+),\d+\)/gm, (place, module: string, row: string) => {
    const found = modules.find((candidate) => candidate.module === module);
    return found === undefined ? place : `${found.path}:${found.line + Number(row)}`;
  });
  return { complaints, sources: join(folder, "src"), out: join(folder, "out") };
}
