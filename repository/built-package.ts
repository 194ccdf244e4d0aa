/** The compiled package as a user would get it. Tests that look at it say so when it is missing or out of date. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isTestFile, listFiles, repositoryRoot } from "./source-files.js";

/** @throws {Error} when packages/sdk/dist is older than its sources or lacks a file. */
export function requireFreshBuild(): void {
  for (const source of listFiles("packages/sdk/src").filter((path) => path.endsWith(".ts") && !isTestFile(path))) {
    // The code of all sources is bundled right after their types were written.
    const built = source.replace("/src/", "/dist/").replace(/\.ts$/, ".d.ts");
    const builtAt = statSync(join(repositoryRoot, built), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (builtAt < statSync(join(repositoryRoot, source)).mtimeMs) {
      throw new Error(`${built} is missing or older than its source: run \`npm run build\` first (\`npm test\` does)`);
    }
  }
}
