/**
 * Finds the browser that tests drive. A machine without one gets Debian's, if whoever runs the tests may install it.
 * Otherwise those tests are skipped with a notice. On a build server a missing browser is a failure.
 */
import { existsSync } from "node:fs";
import { installPackage, mayInstall } from "./debian-package.js";

const KNOWN_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];
const ADVICE = "install Chromium (on Debian `apt-get install chromium`), or name a browser in CHROMIUM_PATH";

/**
 * @typedef {object} Machine
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {(path: string) => boolean} exists
 * @property {boolean} mayInstall
 * @property {() => void} install
 */

/** @type {Machine} */
const thisMachine = {
  env: process.env,
  exists: existsSync,
  mayInstall,
  install: () => installPackage("chromium"),
};

/**
 * @param {Machine} machine
 * @returns {string | undefined} the path of a browser
 * @throws when CHROMIUM_PATH names none, and on a build server without one.
 */
export function findBrowser(machine = thisMachine) {
  const named = machine.env.CHROMIUM_PATH;
  if (named !== undefined) {
    if (machine.exists(named)) return named;
    throw new Error(`CHROMIUM_PATH names ${named}, which does not exist`);
  }
  const found = KNOWN_PATHS.find(machine.exists);
  if (found !== undefined) return found;
  if (machine.mayInstall) machine.install();
  const installed = KNOWN_PATHS.find(machine.exists);
  if (installed === undefined && machine.env.CI) throw new Error(`There is no browser to test with: ${ADVICE}`);
  return installed;
}

/**
 * Vitest's global set-up: tests get the path with `inject("browserPath")`.
 * @param {import("vitest/node").TestProject} project
 */
export function setup(project) {
  const path = findBrowser();
  if (path === undefined) console.warn(`There is no browser, so tests that need one are skipped: ${ADVICE}`);
  project.provide("browserPath", path);
}
