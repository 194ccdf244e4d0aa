/** Finds the Redis server that tests start. `REDIS_SERVER_PATH` names another one. */
import { findProgram } from "./debian-package.js";

const KNOWN_PATHS = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"];

/**
 * Vitest's global set-up: tests get the path with `inject("redisPath")`.
 * @param {import("vitest/node").TestProject} project
 */
export function setup(project) {
  project.provide("redisPath", process.env.REDIS_SERVER_PATH ?? findProgram("redis-server", KNOWN_PATHS));
}
