import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import type { ProjectConfig } from "vitest/node";
import { mutantPlugin } from "./mutants/src/mutant-plugin.js";
import { TallyReporter } from "./scripts/tally-reporter.js";

const sources = fileURLToPath(new URL("packages", import.meta.url));
const announceJudges = fileURLToPath(new URL("interaction/src/announce-judges.ts", import.meta.url));
const prepareInterop = fileURLToPath(new URL("interop/src/prepare.ts", import.meta.url));
const prepareBrowser = fileURLToPath(new URL("scripts/browser.js", import.meta.url));
const prepareRedis = fileURLToPath(new URL("scripts/redis.js", import.meta.url));
const prepareHaproxy = fileURLToPath(new URL("scripts/haproxy.js", import.meta.url));
const prepareReferee = fileURLToPath(new URL("conformance/src/prepare.ts", import.meta.url));

/** Tests import the packages by their published names and get the sources, so no build is needed and coverage counts. */
const alias = [
  { find: /^parley-mcp$/, replacement: `${sources}/sdk/src/index.ts` },
  { find: /^parley-mcp\/([a-z/-]+)$/, replacement: `${sources}/sdk/src/$1/index.ts` },
  { find: /^#platform$/, replacement: `${sources}/sdk/src/transport/platform/node-platform.ts` },
  { find: /^@parley-mcp\/conformance$/, replacement: `${sources}/conformance/src/index.ts` },
  { find: /^@parley-mcp\/bullmq$/, replacement: `${sources}/bullmq/src/index.ts` },
  { find: /^@parley-mcp\/redis$/, replacement: `${sources}/redis/src/index.ts` },
  { find: /^parley-requirements$/, replacement: `${sources}/requirements/src/index.ts` },
];

const interactionTests = fileURLToPath(new URL("interaction/tests/", import.meta.url));

/** Tests that turn the clock for everything in their process want it to themselves. */
const clockTests = readdirSync(interactionTests, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => readFileSync(interactionTests + file, "utf8").includes("useFakeTimers"))
  .map((file) => `tests/${file.replaceAll("\\", "/")}`);

/** Compiling and spawning take longer than the default of five seconds. */
const patient: ProjectConfig = { testTimeout: 120_000, hookTimeout: 120_000 };

function project(name: string, root: string, options: ProjectConfig = {}): TestProjectInlineConfiguration {
  const test = { name, root, include: ["**/*.test.ts"], ...options };
  return { plugins: [mutantPlugin()], resolve: { alias }, test };
}

export default defineConfig({
  test: {
    projects: [
      // Property tests try hundreds of cases, which takes long on a machine that is busy.
      project("sdk", "packages/sdk", { testTimeout: 20_000 }),
      project("redis", "packages/redis", { testTimeout: 30_000, globalSetup: [prepareRedis] }),
      project("bullmq", "packages/bullmq", { testTimeout: 60_000, globalSetup: [prepareRedis] }),
      project("requirements", "packages/requirements"),
      project("checker", "packages/conformance", { testTimeout: 60_000 }),
      project("interaction", "interaction", {
        include: ["tests/**/*.test.ts"],
        exclude: clockTests,
        globalSetup: [announceJudges],
        // Ten thousand tests whose imports are the same: a worker each per file would double their time.
        isolate: false,
      }),
      // Checking the whole manifest takes a while on a machine that is busy.
      project("interaction-alone", "interaction", {
        include: ["src/**/*.test.ts", ...clockTests],
        testTimeout: 60_000,
        globalSetup: [prepareBrowser],
      }),
      project("examples", "examples", { ...patient, globalSetup: [prepareBrowser, prepareRedis, prepareHaproxy] }),
      project("bench", "bench", { ...patient, globalSetup: [prepareRedis] }),
      project("chaos", "chaos", { ...patient, globalSetup: [prepareRedis, prepareHaproxy] }),
      project("fuzz", "fuzz"),
      project("mutants", "mutants"),
      project("interop", "interop", {
        ...patient,
        hookTimeout: 300_000,
        globalSetup: [prepareInterop, prepareBrowser],
      }),
      project("conformance", "conformance", {
        ...patient,
        globalSetup: [prepareReferee],
        // The referee waits for some answers only half a second: nothing else runs meanwhile.
        sequence: { groupOrder: 1 },
      }),
      project("repository", "repository", patient),
    ],
    // The default leaves one core to the process that starts the workers, which needs little of it.
    maxWorkers: "100%",
    reporters: ["default", new TallyReporter({ root: new URL(".", import.meta.url) })],
    coverage: {
      provider: "v8",
      include: [
        "packages/sdk/src/**/*.ts",
        "packages/redis/src/**/*.ts",
        "packages/bullmq/src/**/*.ts",
        "interaction/src/**/*.ts",
      ],
      // Only `npm run interaction` loads the reporter.
      exclude: ["**/*.test.ts", "**/*-contract.ts", "**/*.fixture.ts", "interaction/src/report/suite-reporter.ts"],
      reporter: [["text", { skipFull: true }], "html"],
      thresholds: {
        "packages/sdk/src/**": { lines: 99.9, branches: 99.8, functions: 99.8, statements: 99.8 },
        "packages/redis/src/**": { lines: 99.9, branches: 99.8, functions: 99.8, statements: 99.8 },
        "packages/bullmq/src/**": { lines: 99.9, branches: 99.8, functions: 99.8, statements: 99.8 },
        // What helps a test to fail clearly runs only when one fails.
        "interaction/src/**": { lines: 98.5, branches: 90, functions: 96.5, statements: 96.5 },
      },
    },
  },
});
