/** Runs Vitest with the repository's own reporter on small suites, and looks at the last line and the exit code. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { repositoryRoot } from "./source-files.js";

mkdirSync(join(repositoryRoot, "repository/.scratch"), { recursive: true });
const folder = mkdtempSync(join(repositoryRoot, "repository/.scratch/tally-"));
afterAll(() => rmSync(folder, { recursive: true }));

const config = `
  import { TallyReporter } from "../../../../scripts/tally-reporter.js";
  export default { test: { globals: true, reporters: ["default", new TallyReporter(process.env.NEIGHBORS ? { root: new URL("./nowhere/", import.meta.url) } : {})] } };
`;
const passing = `test("passes", () => {});`;
const failing = `test("fails", () => { throw new Error("on purpose"); });`;

test.each([
  { name: "only passing tests", files: [`${passing}${passing}`, passing], line: "3 passed, 0 failed", status: 0 },
  { name: "a failing test", files: [`${passing}${failing}`], line: "1 passed, 1 failed", status: 1 },
  {
    name: "a file that cannot be loaded",
    files: [passing, "throw new Error('on purpose');"],
    line: "1 passed, 1 failed",
    status: 1,
  },
  {
    name: "an unhandled rejection",
    files: [`${passing}Promise.reject(new Error("on purpose"));`],
    line: "1 passed, 1 failed",
    status: 1,
  },
  {
    name: "a skipped test with its reason",
    files: [`${passing}test("needs a printer", ({ skip }) => skip("there is no printer"));`],
    line: "1 passed, 0 failed",
    notes: ["1 skipped:", "  needs a printer (there is no printer)"],
    status: 0,
  },
  {
    name: "a suite that is skipped as a whole",
    files: [`${passing}describe.skip("in a browser", () => { ${failing} });`],
    line: "1 passed, 0 failed",
    notes: ["1 skipped:", "  in a browser > fails (case-0.test.js)"],
    status: 0,
  },
  {
    name: "a checkout without its neighbors, on a build server",
    files: [passing],
    env: { CI: "true", NEIGHBORS: "1" },
    line: "1 passed, 3 failed",
    notes: [
      expect.stringMatching(/^\.\.\/shared\/spec\/\S+ is missing: messages and types/),
      expect.stringMatching(/^\.\.\/shared\/reference\/json-schema-suite\/\S+ is missing: the cases/),
      expect.stringMatching(/^\.\.\/shared\/reference\/requirements.tsv is missing: the known behaviors/),
    ],
    status: 1,
  },
  {
    name: "a checkout without its neighbors elsewhere",
    files: [passing],
    env: { NEIGHBORS: "1" },
    line: "1 passed, 0 failed",
    notes: Array.from({ length: 3 }, () => expect.stringContaining(" is missing: ")),
    status: 0,
  },
  { name: "no tests at all", files: [], line: "0 passed, 0 failed", status: 1 },
])("$name: $line", ({ name, files, env = {}, line, notes = [], status }) => {
  const root = join(folder, name.replaceAll(" ", "-"));
  mkdirSync(root);
  writeFileSync(join(root, "vitest.config.ts"), config);
  for (const [index, text] of files.entries()) writeFileSync(join(root, `case-${index}.test.js`), text);
  const ran = spawnSync(
    process.execPath,
    [join(repositoryRoot, "node_modules/vitest/vitest.mjs"), "run", "--root", root],
    {
      encoding: "utf8",
      timeout: 60_000,
      env: { ...process.env, VITEST: undefined, VITEST_MODE: undefined, NODE_ENV: undefined, CI: undefined, ...env },
    },
  );
  const lines = ran.stdout.split("\n").slice(0, -1);
  expect(lines.at(-1)).toBe(line);
  expect(lines.slice(-2 - notes.length, -1)).toEqual(["", ...notes]);
  expect(ran.status).toBe(status);
});
