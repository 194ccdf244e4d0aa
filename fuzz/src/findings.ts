/** Inputs that broke a property once, kept so that they never do again. */
import { readdirSync, readFileSync } from "node:fs";
import type { FuzzInput } from "./target.js";

export interface KnownFinding {
  readonly target: string;
  readonly property: string;
  readonly input: FuzzInput;
}

/** All of a folder; each file is named after its target. */
export function readFindings(folder: URL): KnownFinding[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      // Written by hand from what a run has printed.
      const kept = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Omit<KnownFinding, "target">[];
      return kept.map((finding) => ({ ...finding, target: file.replace(/\.json$/, "") }));
    });
}
