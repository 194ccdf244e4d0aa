/** Runs tests with a mutant in place of its source file, until one fails. */
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MUTANT_VARIABLE } from "./mutant-plugin.js";
import type { Mutant } from "./mutate.js";

/** A mutant on which the tests take longer is killed: without it, they take a fraction. */
const UNIT_LIMIT_MS = 180_000;
const INTERACTION_LIMIT_MS = 1_800_000;

export interface TestRunOptions {
  readonly root: string;
  /** A folder for the mutant that Vitest loads. */
  readonly scratch: string;
  /** Leave the interaction suite out: a mutant that survives the unit tests takes minutes there. */
  readonly unitOnly: boolean;
}

/** Runs the tests of its folder first, which kill most mutants in seconds. Returns whether a test failed. */
export function isKilled(mutant: Mutant, { root, scratch, unitOnly }: TestRunOptions): boolean {
  const path = join(scratch, "mutant.json");
  writeFileSync(path, JSON.stringify({ file: mutant.file, text: mutant.text }));
  if (unitStages(root, mutant.file).some((args) => hasFailure(root, args, path, UNIT_LIMIT_MS))) return true;
  return !unitOnly && hasFailure(root, interactionStage(mutant.file), path, INTERACTION_LIMIT_MS);
}

function unitStages(root: string, file: string): (readonly string[])[] {
  const folder = dirname(file);
  const hasTests = readdirSync(join(root, folder)).some((name) => name.endsWith(".test.ts"));
  const ownTests = ["run", "--project", "sdk", folder.replace("packages/sdk/", "")];
  return [...(hasTests ? [ownTests] : []), [...relatedTo(file), "--project", "sdk"]];
}

function interactionStage(file: string): readonly string[] {
  return [...relatedTo(file), "--project", "interaction", "--project", "interaction-alone"];
}

function relatedTo(file: string): readonly string[] {
  return ["related", file, "--run", "--passWithNoTests"];
}

function hasFailure(root: string, args: readonly string[], mutantPath: string, timeLimitMs: number): boolean {
  const program = join(root, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [program, ...args, "--bail", "1", "--reporter", "dot"], {
    cwd: root,
    env: { ...process.env, [MUTANT_VARIABLE]: mutantPath },
    stdio: "ignore",
    timeout: timeLimitMs,
  });
  // Null after a time limit.
  return status !== 0;
}
