/** Whether the manifest and the tests tell the same story. */
import type { Requirements } from "parley-requirements";
import type { Declaration } from "./declarations.js";

/** Every way in which they do not, as sentences. */
export function coverageGaps(requirements: Requirements, declarations: readonly Declaration[]): string[] {
  const gaps: string[] = [];
  const tested = new Set(declarations.flatMap(({ ids }) => ids));
  for (const [id, { divergence }] of Object.entries(requirements)) {
    if (!tested.has(id)) gaps.push(`${id}: in the manifest, but no test verifies it`);
    const plain = declarations.some(({ ids, isDiverging }) => ids.includes(id) && !isDiverging);
    const diverging = declarations.some(({ ids, isDiverging }) => ids.includes(id) && isDiverging);
    if (divergence && plain) gaps.push(`${id}: diverges by the manifest, but a test expects it to hold`);
    if (!divergence && diverging)
      gaps.push(`${id}: a test expects it to diverge, but the manifest knows of no divergence`);
  }
  for (const id of tested) {
    if (!Object.hasOwn(requirements, id)) gaps.push(`${id}: a test verifies it, but it is not in the manifest`);
  }
  return gaps;
}

/** A test file declares its tests through `verifies` alone: any other kind would belong to no requirement. */
export function strayTests(text: string): string[] {
  const imports = [...text.matchAll(/import\s*(?:type\s*)?\{([^}]*)\}\s*from\s*"vitest"/g)];
  const names = imports.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
  return names.filter((name) => /^(?:test|it|describe|suite|bench)\b/.test(name));
}
