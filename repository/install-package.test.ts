import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installPackage } from "../scripts/install-package.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "install-"));
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "package-lock.json"), "no lockfile that npm would take");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("what was installed from the same lockfile is left alone", () => {
  writeFileSync(join(folder, "node_modules", ".installed-lock.json"), "no lockfile that npm would take");

  installPackage(folder);

  expect(existsSync(join(folder, "node_modules", ".installed-lock.json"))).toBe(true);
});

test("an installation that fails says what was to be installed, and counts as none", () => {
  writeFileSync(join(folder, "node_modules", ".installed-lock.json"), "another lockfile");

  expect(() => installPackage(folder)).toThrow(/could not be installed.*registry.*npm/s);
  expect(() => installPackage(folder)).toThrow();
});
