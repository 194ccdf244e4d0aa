import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import type { ProjectConfig } from "vitest/node";
import { TallyReporter } from "./scripts/tally-reporter.js";

const sources = fileURLToPath(new URL("packages", import.meta.url));
const announceJudges = fileURLToPath(new URL("interaction/src/announce-judges.ts", import.meta.url));

/** Tests import the packages by their published names and get the sources, so no build is needed and coverage counts. */
const alias = [
  { find: /^parley-mcp\/([a-z-]+)$/, replacement: `${sources}/sdk/src/$1/index.ts` },
  { find: /^parley-requirements$/, replacement: `${sources}/requirements/src/index.ts` },
];

/** Compiling and spawning take longer than the default of five seconds. */
const patient: ProjectConfig = { testTimeout: 120_000, hookTimeout: 120_000 };

function project(name: string, root: string, options: ProjectConfig = {}): TestProjectInlineConfiguration {
  return { resolve: { alias }, test: { name, root, include: ["**/*.test.ts"], ...options } };
}

export default defineConfig({
  test: {
    projects: [
      project("sdk", "packages/sdk"),
      project("requirements", "packages/requirements"),
      project("interaction", "interaction", { globalSetup: [announceJudges] }),
      project("examples", "examples", patient),
      project("bench", "bench", patient),
      project("repository", "repository", patient),
    ],
    reporters: ["default", new TallyReporter()],
    coverage: {
      provider: "v8",
      include: ["packages/sdk/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*-contract.ts"],
      reporter: [["text", { skipFull: true }], "html"],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
});
