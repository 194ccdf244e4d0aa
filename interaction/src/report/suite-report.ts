/** The data of one run of the suite: each requirement with its tests by cell, and the cells it is left out of. */
import type { Requirements, Source, Strength } from "parley-requirements";
import { cellName, cellsOf, type ExclusionReason } from "../cells.js";
import { parseTestName } from "../test-name.js";

export type TestState = "passed" | "failed" | "skipped";

/** One test as the runner reports it. */
export interface TestResult {
  /** Path of the file within the suite, such as `tests/tools/call.test.ts`. */
  readonly file: string;
  readonly name: string;
  readonly state: TestState;
  readonly errors: readonly string[];
}

export interface SuiteReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of files that failed outside their tests. */
  readonly brokenFiles: readonly string[];
  readonly durationMs: number;
  readonly requirements: readonly RequirementReport[];
}

export interface RequirementReport {
  readonly id: string;
  /** The folder of its tests. */
  readonly area: string;
  readonly behavior: string;
  readonly strength: Strength;
  /** The link to the section, or the path to the decision. */
  readonly source: string;
  /** The note of a known gap. */
  readonly divergence?: string;
  readonly tests: readonly TestReport[];
  readonly excluded: readonly { readonly because: ExclusionReason; readonly cells: readonly string[] }[];
}

export interface TestReport {
  /** All requirements that the test verifies. */
  readonly ids: readonly string[];
  readonly sentence: string;
  readonly file: string;
  readonly cells: readonly CellReport[];
}

export interface CellReport {
  readonly cell: string;
  readonly state: TestState;
  readonly errors?: readonly string[];
}

/** The area of requirements whose tests were not run. */
const NOT_RUN = "not run";

export function reportSuite(
  requirements: Requirements,
  results: readonly TestResult[],
  { brokenFiles = [], durationMs = 0 }: { readonly brokenFiles?: readonly string[]; readonly durationMs?: number } = {},
): SuiteReport {
  const count = (state: TestState) => results.filter((result) => result.state === state).length;
  const tests = testsById(results);
  return {
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped"),
    brokenFiles,
    durationMs,
    requirements: Object.entries(requirements).map(([id, requirement]) => {
      const own = tests.get(id) ?? [];
      const { behavior, strength, source, divergence } = requirement;
      return {
        id,
        area: own[0] ? areaOf(own[0].file) : NOT_RUN,
        behavior,
        strength,
        source: sourceLink(source),
        ...(divergence && { divergence: divergence.note }),
        tests: own,
        excluded: exclusionsOf(requirement),
      };
    }),
  };
}

function testsById(results: readonly TestResult[]): Map<string, TestReport[]> {
  const byId = new Map<string, Map<string, TestReport & { cells: CellReport[] }>>();
  for (const { file, name, state, errors } of results) {
    const parsed = parseTestName(name);
    if (!parsed) continue;
    const { cell, ids, sentence } = parsed;
    const key = JSON.stringify([file, ids, sentence]);
    for (const id of ids) {
      const tests = byId.get(id) ?? new Map();
      const test = tests.get(key) ?? { ids, sentence, file, cells: [] };
      test.cells.push({ cell, state, ...(errors.length > 0 && { errors }) });
      byId.set(id, tests.set(key, test));
    }
  }
  return new Map([...byId].map(([id, tests]) => [id, [...tests.values()]]));
}

function areaOf(file: string): string {
  return /^tests\/([^/]+)\//.exec(file)?.[1] ?? file;
}

function sourceLink(source: Source): string {
  return typeof source === "string" ? source : `docs/decisions.md#${source.decision}`;
}

function exclusionsOf(requirement: Requirements[string]): RequirementReport["excluded"] {
  const byReason = new Map<ExclusionReason, string[]>();
  for (const cell of cellsOf(requirement).excluded) {
    byReason.set(cell.because, [...(byReason.get(cell.because) ?? []), cellName(cell)]);
  }
  return [...byReason].map(([because, cells]) => ({ because, cells }));
}
