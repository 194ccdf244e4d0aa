/** Builds the package from scratch. The manifest is not published by itself, so the bundle carries it. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const folder = fileURLToPath(new URL(".", import.meta.url));
const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const manifest = fileURLToPath(new URL("../requirements/src/index.ts", import.meta.url));

rmSync(`${folder}dist`, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, "-p", `${folder}tsconfig.build.json`], { stdio: "inherit" });
if (status !== 0) process.exit(1);

const bundle = await rolldown({
  input: { index: `${folder}src/index.ts`, "parley-check": `${folder}src/parley-check.ts` },
  external: (id) => id.startsWith("node:"),
  platform: "node",
  resolve: { alias: { "parley-requirements": manifest }, extensionAlias: { ".js": [".ts", ".js"] } },
  transform: { target: "es2022" },
});
await bundle.write({ dir: `${folder}dist`, chunkFileNames: "chunks/[name].js", sourcemap: true });
await bundle.close();
