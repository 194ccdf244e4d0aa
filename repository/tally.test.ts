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
  export default { test: { globals: true, reporters: ["default", new TallyReporter()] } };
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
  { name: "no tests at all", files: [], line: "0 passed, 0 failed", status: 1 },
])("$name: $line", ({ name, files, line, status }) => {
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
      env: { ...process.env, VITEST: undefined, VITEST_MODE: undefined, NODE_ENV: undefined },
    },
  );
  expect(ran.stdout.split("\n").at(-2)).toBe(line);
  expect(ran.status).toBe(status);
});
