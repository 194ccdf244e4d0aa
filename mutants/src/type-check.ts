/** Tells which mutants do not compile. They are no faults that anybody could ship. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutate.js";

/** A fault may leave a variable or a branch unused. */
const LENIENT = [
  "--noUnusedLocals",
  "false",
  "--noUnusedParameters",
  "false",
  "--allowUnreachableCode",
  "true",
] as const;

/**
 * The mutants that compile. They are compiled together, each beside its file under a name of its own, in a copy of their package's
 * sources in `folder`. In some files even a faultless copy has errors, since its classes are not those of the file: their mutants
 * all count as compiling.
 */
export function compilingMutants(root: string, folder: string, mutants: readonly Mutant[]): Mutant[] {
  const packages = new Set(mutants.map(packageOf));
  const compiling = [...packages].flatMap((home) =>
    compilingIn(
      home,
      root,
      folder,
      mutants.filter((mutant) => packageOf(mutant) === home),
    ),
  );
  // In the order of the sample, of which an interrupt leaves the first part.
  return mutants.filter((mutant) => compiling.includes(mutant));
}

/** Such as `packages/sdk`. */
function packageOf({ file }: Mutant): string {
  return file.split("/").slice(0, 2).join("/");
}

function compilingIn(home: string, root: string, folder: string, mutants: readonly Mutant[]): Mutant[] {
  mkdirSync(join(folder, home), { recursive: true });
  cpSync(join(root, home), join(folder, home), {
    recursive: true,
    filter: (path) => !/[\\/](?:dist|node_modules)$|\.test\.ts$/.test(path),
  });
  cpSync(join(root, "tsconfig.base.json"), join(folder, "tsconfig.base.json"));
  try {
    const files = new Set(mutants.map(({ file }) => file));
    for (const file of files) cpSync(join(root, file), join(folder, nameBeside(file, "control")));
    for (const [index, { file, text }] of mutants.entries()) writeFileSync(join(folder, nameBeside(file, index)), text);
    const broken = filesWithErrors(root, folder, home);
    const isBroken = (file: string, index: number) =>
      broken.has(nameBeside(file, index)) && !broken.has(nameBeside(file, "control"));
    return mutants.filter(({ file }, index) => !isBroken(file, index));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function nameBeside(file: string, name: number | "control"): string {
  return file.replace(/\.ts$/, `.mutant-${name}.ts`);
}

function filesWithErrors(root: string, folder: string, home: string): Set<string> {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const cwd = join(folder, home);
  const args = [compiler, "-p", cwd, "--noEmit", "--pretty", "false", ...LENIENT];
  const { stdout } = spawnSync(process.execPath, args, { cwd, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  return new Set([...stdout.matchAll(/^(.+?)\(\d+,\d+\): error/gm)].map(([, path]) => `${home}/${path}`));
}
