/** Holds the names of suites and fixtures in the SDK, and that no test waits for real time. */
import { describe, expect, test } from "vitest";
import { entrySource, publishedEntries, readManifest } from "./package-manifest.js";
import { listFiles, readTypeScript, type SourceFile } from "./source-files.js";
import { sleepViolations, testFileViolations } from "./test-files.js";

const ROOT = "packages/sdk/src";

describe("the SDK", () => {
  const files = readTypeScript(ROOT);
  const platforms = listFiles(`${ROOT}/transport/platform`).filter((path) => /-platform\.ts$/.test(path));
  const entries = publishedEntries(readManifest("packages/sdk")).map(entrySource);

  test("has suites and fixtures to check", () => {
    expect(files.filter(({ path }) => path.endsWith("-contract.ts")).length).toBeGreaterThan(5);
    expect(files.filter(({ path }) => path.endsWith(".fixture.ts")).length).toBeGreaterThan(10);
    expect(platforms.length).toBeGreaterThan(1);
  });

  test("names suites and fixtures as such, and publishes everything else", () => {
    expect(testFileViolations(files, [...entries, ...platforms])).toEqual([]);
  });
});

describe("a file", () => {
  const file = (path: string, text = ""): SourceFile => ({ path, text });
  const violations = (...files: SourceFile[]) => testFileViolations(files, ["index.ts"]);

  test("named as a contract holds tests", () => {
    expect(violations(file("a-contract.ts", 'import { expect, test } from "vitest";'))).toEqual([]);
    expect(violations(file("a-contract.ts", 'import { expect, vi } from "vitest";'))).toEqual([
      "a-contract.ts holds no tests: name it a.fixture.ts",
    ]);
  });

  test("named as a fixture holds none", () => {
    expect(violations(file("a.fixture.ts", 'import { expect } from "vitest";'))).toEqual([]);
    expect(violations(file("a.fixture.ts", 'import { describe } from "vitest";'))).toEqual([
      "a.fixture.ts holds tests: name it a-contract.ts",
    ]);
  });

  test("that only tests load is a fixture", () => {
    const entry = file("index.ts", 'export { b } from "./b.js";');
    const b = file("b.ts", 'import type { C } from "./folder/c.js";');
    const c = file("folder/c.ts", 'import "pkg";');

    expect(violations(entry, b, c)).toEqual([]);
    expect(violations(entry, b, c, file("d.ts"), file("d.test.ts", 'import "./d.js";'))).toEqual([
      "d.ts is loaded by no entry: name it d.fixture.ts, or delete it",
    ]);
  });
});

/** Their figure is a time, counted by a timer of the same event loop, or they play a client that gives up its server. */
const TIMED: readonly string[] = [
  "interaction/tests/figures/settling.test.ts",
  "packages/conformance/src/client/scripted/pipe-sender.fixture.ts",
  "packages/conformance/src/mutants/verdicts.test.ts",
];

test("no test waits for real time, except where a time is what is promised", () => {
  const files = ["packages", "interaction", "fuzz", "repository"].flatMap(readTypeScript);
  const found = sleepViolations(files);
  const timed = (sentence: string) => TIMED.some((path) => sentence.startsWith(path));
  expect(found.filter((sentence) => !timed(sentence))).toEqual([]);
  expect(found.filter(timed)).toHaveLength(TIMED.length);
});

describe("waiting for real time", () => {
  const waits = (text: string, path = "a.test.ts") => sleepViolations([{ path, text }]);

  test.each([
    "await new Promise((resolve) => setTimeout(resolve, 5));",
    'import { setTimeout } from "node:timers/promises";',
  ])("%s is found", (text) => {
    expect(waits(text)).toHaveLength(1);
    expect(waits(text, "a.ts")).toEqual([]);
  });

  test.each([
    "vi.useFakeTimers(); setTimeout(run, 5);",
    'const program = "setTimeout(run, 5)";',
    'vi.useFakeTimers({ toFake: ["setTimeout"] });',
    "http.setTimeout(5);",
  ])("%s is no wait", (text) => {
    expect(waits(text)).toEqual([]);
  });
});
