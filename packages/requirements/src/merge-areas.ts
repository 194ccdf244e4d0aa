import type { Requirement, Requirements } from "./requirement.js";

/** One table of all areas. @throws when two areas claim the same id. */
export function mergeAreas(areas: readonly Requirements[]): Requirements {
  const merged: Record<string, Requirement> = {};
  for (const area of areas) {
    for (const [id, requirement] of Object.entries(area)) {
      if (Object.hasOwn(merged, id)) throw new Error(`Requirement "${id}" is in the manifest twice`);
      merged[id] = requirement;
    }
  }
  return merged;
}
