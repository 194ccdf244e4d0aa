#!/usr/bin/env node
/** The command `parley-check`. npm links commands at installation, before the package is built, so this file is not built. */
import { existsSync } from "node:fs";

const program = new URL("../dist/parley-check.js", import.meta.url);

if (existsSync(program)) {
  await import(program.href);
} else {
  console.error("parley-check: the package is not built yet; run `npm run build` in the repository first");
  process.exitCode = 2;
}
