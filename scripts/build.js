/** Compiles the packages from scratch, so that no file of a deleted source stays in what is published. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const name of ["requirements", "sdk"]) {
  rmSync(`${root}/packages/${name}/dist`, { recursive: true, force: true });
  const { status } = spawnSync("tsc", ["-p", `packages/${name}/tsconfig.build.json`], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(1);
}
