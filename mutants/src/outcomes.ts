/** Counts of mutants by folder, and what is left to do. */
import { dirname } from "node:path";
import type { Mutant } from "./mutate.js";

export interface Outcome {
  readonly mutant: Mutant;
  readonly isKilled: boolean;
}

/** The part of the mutants that tests have to kill, in every folder. */
const LEAST_KILLED = 0.95;

interface FolderCount {
  killed: number;
  all: number;
}

export function countByFolder(outcomes: readonly Outcome[]): Map<string, FolderCount> {
  const counts = new Map<string, FolderCount>();
  for (const { mutant, isKilled } of outcomes) {
    const folder = dirname(mutant.file);
    const count = counts.get(folder) ?? { killed: 0, all: 0 };
    counts.set(folder, count);
    count.all += 1;
    if (isKilled) count.killed += 1;
  }
  return counts;
}

/** A line per folder, with a mark where too few were killed. */
export function renderCounts(counts: ReadonlyMap<string, FolderCount>): string[] {
  return [...counts].map(([folder, { killed, all }]) => {
    const mark = isTooFew({ killed, all }) ? " (too few)" : "";
    return `${folder}: ${killed} of ${all} killed${mark}`;
  });
}

export function isTooFew({ killed, all }: FolderCount): boolean {
  return killed < LEAST_KILLED * all;
}

/** @param tests how many files of tests reach it */
export function renderSurvivor({ file, line, change, source }: Mutant, tests: number): string {
  return `survived ${tests} files of tests: ${file}:${line}: ${change}\n  ${source}`;
}
