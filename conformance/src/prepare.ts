/** What has to be there before the tests of this folder run: the referee, and the programs under test, which it starts. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { home } from "./home.js";

export function setup(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  try {
    runNode(join(home, "..", "scripts", "install-package.js"), home);
  } catch {
    // It has said why. Only the tests that need the referee fail.
  }
  runNode(join(typescript, "bin", "tsc"), "-p", join(home, "tsconfig.build.json"));
}

function runNode(...args: readonly string[]): void {
  execFileSync(process.execPath, args, { stdio: "inherit" });
}
