/**
 * Installs a package that is no workspace, such as `interop`, unless what is there comes from the same lockfile.
 * `node scripts/install-package.js <folder>`, or as a module.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @param {string} folder
 * @throws when npm fails, such as without a connection to its registry.
 */
export function installPackage(folder) {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  // npm empties node_modules before it installs, so a copy of the lockfile in there tells what is installed.
  const installed = join(folder, "node_modules", ".installed-lock.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return;

  const { status, error, stderr } = spawnSync("npm", ["ci", "--prefer-offline", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
    // npm is a script there.
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    throw new Error(
      `The packages of ${folder} could not be installed, which takes npm's registry once; ` +
        `try "npm ci --prefix ${folder}".\n${error?.message ?? stderr.trim()}`,
    );
  }
  writeFileSync(installed, lock);
}

const [, program, folder] = process.argv;
if (folder !== undefined && resolve(program ?? "") === fileURLToPath(import.meta.url)) installPackage(folder);
