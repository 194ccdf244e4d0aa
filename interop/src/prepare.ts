/** What has to be there before the tests of this folder run: the peers, and the programs that clients spawn. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = fileURLToPath(new URL("..", import.meta.url));

export function setup(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  runNode(join(home, "..", "scripts", "install-package.js"), home);
  runNode(join(typescript, "bin", "tsc"), "-p", join(home, "tsconfig.build.json"));
}

function runNode(...args: readonly string[]): void {
  execFileSync(process.execPath, args, { stdio: "inherit" });
}
