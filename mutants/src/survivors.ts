/** Mutants that no test kills and none can: each with the reason why it behaves like the original. */
import { readFileSync } from "node:fs";
import type { Mutant } from "./mutate.js";

export interface Survivor {
  readonly file: string;
  readonly source: string;
  readonly change: string;
  readonly reason: string;
}

export function readSurvivors(root: string): Survivor[] {
  return JSON.parse(readFileSync(`${root}/mutants/survivors.json`, "utf8"));
}

/** The reason why a mutant survives, if one is on record. */
export function reasonOf({ file, source, change }: Mutant, survivors: readonly Survivor[]): string | undefined {
  return survivors.find((known) => known.file === file && known.source === source && known.change === change)?.reason;
}
