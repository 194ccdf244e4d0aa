/**
 * Closes a test run with `N passed, N failed`, alone on the last line and after everything else a run prints.
 * What breaks outside a test (a file that cannot be loaded, an unhandled rejection) counts as failed, and a run
 * without a single test is a failure too.
 */
import { writeSync } from "node:fs";
import type { Reporter, TestModule, TestRunEndReason } from "vitest/node";

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

export class TallyReporter implements Reporter {
  #tally: Tally = { passed: 0, failed: 0 };

  onInit(): void {
    process.once("exit", () => {
      if (this.#tally.passed + this.#tally.failed === 0 || this.#tally.failed > 0) process.exitCode ||= 1;
      writeSync(process.stdout.fd, `\n${this.#tally.passed} passed, ${this.#tally.failed} failed\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[], _reason: TestRunEndReason): void {
    this.#tally = tally(modules, unhandled.length);
  }
}

function tally(modules: readonly TestModule[], unhandledErrors: number): Tally {
  let passed = 0;
  let failed = unhandledErrors;
  for (const module of modules) {
    const failedBefore = failed;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") passed += 1;
      if (state === "failed") failed += 1;
    }
    if (failed === failedBefore && module.state() === "failed") failed += 1;
  }
  return { passed, failed };
}
