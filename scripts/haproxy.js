/** Finds the HAProxy that tests start. `HAPROXY_PATH` names another one. */
import { findProgram } from "./debian-package.js";

const KNOWN_PATHS = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy", "/opt/homebrew/bin/haproxy"];

/**
 * Vitest's global set-up: tests get the path with `inject("haproxyPath")`.
 * @param {import("vitest/node").TestProject} project
 */
export function setup(project) {
  project.provide("haproxyPath", process.env.HAPROXY_PATH ?? findProgram("haproxy", KNOWN_PATHS));
}
