/**
 * Finds the Redis server that tests start. A machine without one gets Debian's, if whoever runs the tests may install it. Otherwise
 * the tests that need it fail.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const KNOWN_PATHS = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"];
const APT = "/usr/bin/apt-get";

/** @returns {string | undefined} the path of `redis-server` */
function findRedis() {
  const named = process.env.REDIS_SERVER_PATH ?? KNOWN_PATHS.find((path) => existsSync(path));
  if (named !== undefined || process.getuid?.() !== 0 || !existsSync(APT)) return named;
  console.error("There is no Redis: installing the package redis-server, once.");
  spawnSync(APT, ["update", "-qq"], { stdio: "inherit" });
  spawnSync(APT, ["install", "-y", "-qq", "--no-install-recommends", "redis-server"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return KNOWN_PATHS.find((path) => existsSync(path));
}

/**
 * Vitest's global set-up: tests get the path with `inject("redisPath")`.
 * @param {import("vitest/node").TestProject} project
 */
export function setup(project) {
  project.provide("redisPath", findRedis());
}
