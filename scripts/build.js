/** Compiles the packages from scratch, so that no file of a deleted source stays in what is published. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const name of ["requirements", "sdk"]) {
  rmSync(`${root}/packages/${name}/dist`, { recursive: true, force: true });
  const compiler = ["node_modules/typescript/bin/tsc", "-p", `packages/${name}/tsconfig.build.json`];
  const { status } = spawnSync(process.execPath, compiler, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
