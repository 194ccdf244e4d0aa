/**
 * Builds the packages from scratch, so that nothing of a deleted source stays in what is published. The SDK's code is
 * bundled: a program that has a dozen files to read starts in a third of the time that two hundred take it. What is
 * shared by several entries is in one file, so nothing exists twice. Its types stay one file per source. The packages for Redis
 * and BullMQ are compiled against the built SDK, file by file.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param {string} name */
function compile(name) {
  rmSync(`${root}/packages/${name}/dist`, { recursive: true, force: true });
  const compiler = ["node_modules/typescript/bin/tsc", "-p", `packages/${name}/tsconfig.build.json`];
  const { status } = spawnSync(process.execPath, compiler, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

compile("requirements");
compile("sdk");

const sdk = `${root}/packages/sdk`;
const { exports, imports } = JSON.parse(readFileSync(`${sdk}/package.json`, "utf8"));
const published = [...Object.values(exports), ...Object.values(imports)]
  .flatMap((target) => Object.values(target))
  .map((path) => /^\.\/dist\/(.+)\.js$/.exec(path)?.[1])
  .filter((name) => name !== undefined);

// A project that checks its libraries need not name this one itself: `AsyncDisposable` is part of the types.
for (const name of published) {
  const types = `${sdk}/dist/${name}.d.ts`;
  writeFileSync(types, `/// <reference lib="esnext.disposable" />\n${readFileSync(types, "utf8")}`);
}

const BELOW_SERVERS_AND_CLIENTS =
  /\/src\/(?:(?:runtime|protocol|errors|wire|json-schema|schema|uri-template|dispatch|era|routing|types)\/|transport\/[^/]+\.ts$)/;

const bundle = await rolldown({
  input: Object.fromEntries(published.map((name) => [name, `${sdk}/src/${name}.ts`])),
  external: (id) => !id.startsWith(".") && !isAbsolute(id),
  platform: "neutral",
  resolve: { extensionAlias: { ".js": [".ts"] } },
  transform: { target: "es2022" },
});
await bundle.write({
  dir: `${sdk}/dist`,
  chunkFileNames: "chunks/[name].js",
  sourcemap: true,
  // Servers and clients need the layers below them: one file of those starts faster than one for each set of entries.
  codeSplitting: { groups: [{ name: "base", test: BELOW_SERVERS_AND_CLIENTS }] },
});
await bundle.close();

compile("redis");
compile("bullmq");
