/** Short runs of the command: the stores as they are keep all promises, and the checker notices stores with a planted fault. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, inject, test } from "vitest";
import type { Promised } from "./checker.js";
import type { ClientKind } from "./clients/kinds.js";
import type { StoreFault } from "./faulty-stores.js";

declare module "vitest" {
  interface ProvidedContext {
    redisPath: string | undefined;
    haproxyPath: string | undefined;
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

beforeAll(async () => {
  await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "chaos/tsconfig.build.json"], { cwd: root });
});

/** What the command prints, whatever its status. */
async function chaos(...args: readonly string[]): Promise<string> {
  const paths = { REDIS_SERVER_PATH: inject("redisPath") ?? "", HAPROXY_PATH: inject("haproxyPath") ?? "" };
  const options = { cwd: root, env: { ...process.env, ...paths }, timeout: 100_000 };
  const command = ["chaos/dist/run.js", "--expiry-seconds", "0", ...args];
  const ended = run(process.execPath, command, options).catch((error: { stdout: string; stderr: string }) => error);
  const { stdout, stderr } = await ended;
  return stdout + stderr;
}

test("replicas that are killed, frozen and cut off keep all promises", async () => {
  const output = await chaos("--seconds", "8", "--calm-seconds", "2");
  expect(output).toContain("All promises were kept.");
  expect(output).toMatch(/[1-9]\d* faults, .*"answered":[1-9]/);
});

const PLANTED: readonly (readonly [StoreFault, ClientKind, Promised])[] = [
  ["forget-changes", "ours-modern", "change heard"],
  ["forget-states", "replayer", "run once"],
  ["forget-sessions", "ours-legacy", "session kept"],
  ["forget-events", "official-v1", "no event lost"],
  ["double-events", "official-v1", "no event twice"],
  ["reorder-events", "official-v1", "events in order"],
  ["forget-sessions", "official-v1", "session kept"],
  ["double-answers", "official-v2-legacy", "answered once"],
];

test.each(PLANTED)("stores that %s are noticed by %s: %s", async (fault, kind, promise) => {
  const calm = ["--seconds", "0", "--calm-seconds", "3", "--hear-seconds", "1"];
  expect(await chaos(...calm, "--clients", kind, "--store-fault", fault)).toContain(`${promise}: broken`);
});
