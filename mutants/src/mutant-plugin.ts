/** Has Vitest load a mutant in place of its source file, which stays as it is, or record which mutants the tests reach. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";
import { instrument } from "./instrument.js";
import { isMutated } from "./source-files.js";

/** Names a JSON file with what to load. The file may change while Vitest runs. */
export const MUTANT_VARIABLE = "PARLEY_MUTANT";

/** `reach` instruments all sources. Otherwise the text is loaded for the file, which is relative to the root of the repository. */
export type Planted = "reach" | { readonly file: string; readonly text: string } | undefined;

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Does nothing unless the variable is set. */
export function mutantPlugin(env: NodeJS.ProcessEnv = process.env): Plugin {
  const path = env[MUTANT_VARIABLE];
  if (path === undefined) return { name: "parley-mutant" };
  return {
    name: "parley-mutant",
    enforce: "pre",
    config: () => ({ test: { setupFiles: [fileURLToPath(new URL("reach-setup.ts", import.meta.url))] } }),
    load(id) {
      const [source = ""] = id.split("?");
      if (!source.startsWith(root)) return undefined;
      const file = source.slice(root.length);
      const planted: Planted = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
      if (planted === "reach") return isMutated(file) ? instrument(file, readFileSync(source, "utf8")) : undefined;
      return planted?.file === file ? planted.text : undefined;
    },
  };
}
