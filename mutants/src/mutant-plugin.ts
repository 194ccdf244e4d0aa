/** Has Vitest load a mutant in place of its source file, which stays as it is. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";

/** Names a JSON file with the source file and the text to load for it. The file may change while Vitest runs. */
export const MUTANT_VARIABLE = "PARLEY_MUTANT";

export interface LoadedMutant {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Absent for the file as it is. */
  readonly text?: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Does nothing unless the variable is set. */
export function mutantPlugin(env: NodeJS.ProcessEnv = process.env): Plugin {
  const path = env[MUTANT_VARIABLE];
  if (path === undefined) return { name: "parley-mutant" };
  return {
    name: "parley-mutant",
    enforce: "pre",
    load(id) {
      const mutant: LoadedMutant | undefined = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
      return id.split("?")[0] === root + mutant?.file ? mutant?.text : undefined;
    },
  };
}
