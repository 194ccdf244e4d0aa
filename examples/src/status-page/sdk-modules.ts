/** The built SDK as modules for the browser, as it is published. The page's import map gives them the names that programs use. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const FOLDER = "/modules/";
/** Names without dots: no path leads out of the folder. */
const MODULE = /^\/modules\/((?:[a-z-]+\/)*[a-z-]+\.js)$/;
const built = join(dirname(createRequire(import.meta.url).resolve("parley-mcp/package.json")), "dist");

export const IMPORT_MAP = JSON.stringify({
  imports: {
    "parley-mcp/apps": `${FOLDER}apps/index.js`,
    "parley-mcp/client": `${FOLDER}client/index.js`,
    "parley-mcp/tasks": `${FOLDER}tasks/index.js`,
    // Node finds its own platform by a condition in the package, which browsers do not read.
    "#platform": `${FOLDER}transport/platform/web-platform.js`,
  },
});

export function isModulePath(path: string): boolean {
  return path.startsWith(FOLDER);
}

/** Undefined if the SDK has no such module. */
export async function readModule(path: string): Promise<Uint8Array | undefined> {
  const name = MODULE.exec(path)?.[1];
  return name === undefined ? undefined : readFile(join(built, name)).catch(() => undefined);
}
