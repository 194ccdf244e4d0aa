import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listFiles } from "./source-files.js";

test("files in folders that .gitignore names are no sources, with and without an asterisk in the name", () => {
  const root = mkdtempSync(join(tmpdir(), "parley-sources-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ["src", "node_modules", ".scratch", ".scratch-2", ".git", "xgit"]) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, "file.ts"), "");
  }

  expect(listFiles("", root)).toEqual(["src/file.ts", "xgit/file.ts"]);
});
