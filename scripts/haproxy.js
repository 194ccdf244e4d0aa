/**
 * Finds the HAProxy that tests start. A machine without one gets Debian's, if whoever runs the tests may install it. Otherwise
 * the tests that need it fail.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const KNOWN_PATHS = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy", "/opt/homebrew/bin/haproxy"];
const APT = "/usr/bin/apt-get";

/** @returns {string | undefined} the path of `haproxy` */
function findHaproxy() {
  const named = process.env.HAPROXY_PATH ?? KNOWN_PATHS.find((path) => existsSync(path));
  if (named !== undefined || process.getuid?.() !== 0 || !existsSync(APT)) return named;
  console.error("There is no HAProxy: installing the package haproxy, once.");
  spawnSync(APT, ["update", "-qq"], { stdio: "inherit" });
  spawnSync(APT, ["install", "-y", "-qq", "--no-install-recommends", "haproxy"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return KNOWN_PATHS.find((path) => existsSync(path));
}

/**
 * Vitest's global set-up: tests get the path with `inject("haproxyPath")`.
 * @param {import("vitest/node").TestProject} project
 */
export function setup(project) {
  project.provide("haproxyPath", findHaproxy());
}
