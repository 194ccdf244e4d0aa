/**
 * Closes a test run with `N passed, N failed`, alone on the last line and after everything else a run prints.
 * What breaks outside a test (a file that cannot be loaded, an unhandled rejection) counts as failed, and a run
 * without a single test is a failure too. Before the last line stand the skipped tests, and what a missing file beside the
 * checkout leaves untested. On a build server, each missing file counts as failed.
 */
import { writeSync } from "node:fs";
import type { Reporter, TestModule, TestRunEndReason, Vitest } from "vitest/node";
import { missingNeighbors } from "./neighbors.js";

interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** Names of tests, with the reason where the test gives one. */
  readonly skipped: readonly string[];
}

const MAX_SKIPPED_SHOWN = 50;

export interface TallyReporterOptions {
  /** The folder whose neighbors are looked for. Without it, none are. */
  readonly root?: URL;
}

export class TallyReporter implements Reporter {
  readonly #missing: readonly string[];
  #tally: Tally = { passed: 0, failed: 0, skipped: [] };
  /** Whether the run was asked for a part of its tests. It skips the others. */
  #isFiltered = false;

  constructor({ root }: TallyReporterOptions = {}) {
    this.#missing = root === undefined ? [] : missingNeighbors(root);
  }

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined;
    process.once("exit", () => this.#print());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[], _reason: TestRunEndReason): void {
    this.#tally = tally(modules, unhandled.length);
  }

  #print(): void {
    const { passed, skipped } = this.#tally;
    const failed = this.#tally.failed + (process.env.CI ? this.#missing.length : 0);
    if (passed + failed === 0 || failed > 0) process.exitCode ||= 1;
    const lines = [...this.#missing, ...(this.#isFiltered ? [] : skippedLines(skipped))];
    const notes = lines.map((line) => `${line}\n`).join("");
    writeSync(process.stdout.fd, `\n${notes}${passed} passed, ${failed} failed\n`);
  }
}

function skippedLines(skipped: readonly string[]): string[] {
  const rest = skipped.length - MAX_SKIPPED_SHOWN;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  return skipped.length === 0 ? [] : [`${skipped.length} skipped:`, ...skipped.slice(0, MAX_SKIPPED_SHOWN), ...more];
}

function tally(modules: readonly TestModule[], unhandledErrors: number): Tally {
  let passed = 0;
  let failed = unhandledErrors;
  const skipped: string[] = [];
  for (const module of modules) {
    const failedBefore = failed;
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === "passed") passed += 1;
      if (result.state === "failed") failed += 1;
      if (result.state === "skipped") skipped.push(`  ${test.fullName} (${result.note ?? module.relativeModuleId})`);
    }
    if (failed === failedBefore && module.state() === "failed") failed += 1;
  }
  return { passed, failed, skipped };
}
