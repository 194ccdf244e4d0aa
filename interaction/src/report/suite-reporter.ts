/** A reporter of Vitest that writes the report of the suite: `report/index.html` for people, `report/report.json` for programs. */
import { mkdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { requirements } from "parley-requirements";
import type { Reporter, TestModule } from "vitest/node";
import { renderSuitePage } from "./suite-page.js";
import { reportSuite, type TestResult } from "./suite-report.js";
import { summaryText } from "./suite-summary.js";

const SUITE = fileURLToPath(new URL("../..", import.meta.url));

export default class SuiteReporter implements Reporter {
  readonly #startedAt = performance.now();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const declared = modules.filter(({ moduleId }) => fileOf(moduleId).startsWith("tests/"));
    const report = reportSuite(requirements, declared.flatMap(resultsOf), {
      brokenFiles: declared.filter(isBroken).map(({ moduleId }) => fileOf(moduleId)),
      durationMs: Math.round(performance.now() - this.#startedAt),
    });
    mkdirSync(`${SUITE}report`, { recursive: true });
    writeFileSync(`${SUITE}report/report.json`, `${JSON.stringify(report)}\n`);
    writeFileSync(`${SUITE}report/index.html`, renderSuitePage(report));
    process.stdout.write(`\n${summaryText(report)}\nThe page: interaction/report/index.html\n`);
  }
}

function fileOf(moduleId: string): string {
  return relative(SUITE, moduleId).replaceAll("\\", "/");
}

function resultsOf(module: TestModule): TestResult[] {
  return [...module.children.allTests()].map((test) => {
    const { state, errors = [] } = test.result();
    return {
      file: fileOf(module.moduleId),
      name: test.name,
      state: state === "pending" ? "skipped" : state,
      errors: errors.map(({ message }) => message),
    };
  });
}

/** Whether a file failed without a failing test: it cannot be loaded, or a hook threw. */
function isBroken(module: TestModule): boolean {
  return module.state() === "failed" && ![...module.children.allTests("failed")].length;
}
