/**
 * Programs of other people that tests start. A machine without one gets Debian's package, if whoever runs the tests may install it.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const APT = "/usr/bin/apt-get";

export const mayInstall = process.getuid?.() === 0 && existsSync(APT);

/** @param {string} name the package to install */
export function installPackage(name) {
  console.error(`Installing the package ${name}, once.`);
  spawnSync(APT, ["update", "-qq"], { stdio: "inherit" });
  spawnSync(APT, ["install", "-y", "-qq", "--no-install-recommends", name], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}

/**
 * @param {string} name the package of the program
 * @param {readonly string[]} paths where the program may be
 * @returns {string | undefined} the path of the program. Without one, the tests that need it fail.
 */
export function findProgram(name, paths) {
  const found = () => paths.find((path) => existsSync(path));
  if (found() === undefined && mayInstall) installPackage(name);
  return found();
}
