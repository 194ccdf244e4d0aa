/** Reads what the referee wrote down about a run: a folder for every scenario, with its checks in it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { FINISHED } from "../finished.js";
import type { Leg, Revision } from "./revisions.js";

const check = z.object({
  id: z.string(),
  status: z.enum(["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "INFO"]),
  description: z.string().default(""),
  errorMessage: z.string().optional(),
});
export type Check = z.infer<typeof check>;

/** One scenario at one revision. */
export interface Outcome {
  readonly leg: Leg;
  readonly scenario: string;
  readonly revision: Revision;
  readonly checks: readonly Check[];
}

/** Everything the referee wrote below a folder that one run was given for itself. */
export function readOutcomes(folder: string, leg: Leg, revision: Revision): Outcome[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("checks.json"))
    .map((path) => {
      const checks = z.array(check).parse(JSON.parse(readFileSync(join(folder, path), "utf8")));
      if (leg === "client") checks.push(...crashOf(join(folder, dirname(path))));
      return { leg, scenario: scenarioOf(dirname(path), leg), revision, checks };
    });
}

/** What the names of folders begin with. */
const PREFIXES: Readonly<Record<Leg, RegExp>> = {
  server: /^server-/,
  client: /^/,
  authorization: /^authorization-server-/,
};

/** `server-tools-list-2026-01-31T12-00-00-000Z` is about `tools-list`. */
export function scenarioOf(folder: string, leg: Leg): string {
  const name = folder.replaceAll("\\", "/").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
  return name.replace(PREFIXES[leg], "");
}

/** In a suite the referee overlooks a client that fails before it is done; this does not. */
function crashOf(folder: string): Check[] {
  if (readFileSync(join(folder, "stdout.txt"), "utf8").includes(FINISHED)) return [];
  const complaint = readFileSync(join(folder, "stderr.txt"), "utf8").trim();
  return [
    {
      id: "client-finished",
      status: "FAILURE",
      description: "The client gets to the end of the scenario",
      errorMessage: complaint.split("\n").slice(-12).join("\n"),
    },
  ];
}
