import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { bundledSize } from "./bundle/bundled-size.js";

const USED = `export function used() { return "${"used ".repeat(200)}"; }`;

it.each([
  ["what is imported", 'export { used } from "./part.js";', [1_000, 1_200]],
  ["nothing that is not", 'export { other } from "./part.js";', [10, 100]],
])("counts %s, minified", async (_, entry, [least, most]) => {
  await using module = await written(entry);
  const { minifiedBytes, gzippedBytes } = await bundledSize(module.file);
  expect(minifiedBytes).toBeGreaterThan(least as number);
  expect(minifiedBytes).toBeLessThan(most as number);
  expect(gzippedBytes).toBeLessThan(150);
});

it("does not take what is missing for small", async () => {
  await using module = await written('export * from "no-such-package";');
  await expect(bundledSize(module.file)).rejects.toThrow("no-such-package");
});

it.each([
  ["server", "modernServerCodec", "client"],
  ["server", "downgradeContent", "client"],
  ["server", "SharedRates", "client"],
  ["client", "modernClientCodec", "server"],
])("a bundled %s has %s, and a bundled %s has not", async (side, name, otherSide) => {
  expect(await bundledCode(side)).toContain(name);
  expect(await bundledCode(otherSide)).not.toContain(name);
});

/** A server or a client of ours in one file, with the names of its code. Made from the built package, as by its users. */
async function bundledCode(side: string): Promise<string> {
  await using bundle = await rolldown({
    input: fileURLToPath(new URL(`./bundle/entries/parley-${side}.ts`, import.meta.url)),
    platform: "neutral",
    external: /^node:/,
    logLevel: "silent",
    // It maps the package to its sources.
    tsconfig: false,
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  return output.map((part) => (part.type === "chunk" ? part.code : "")).join("");
}

async function written(entry: string) {
  const folder = await mkdtemp(join(tmpdir(), "parley-bundle-"));
  await writeFile(join(folder, "part.js"), `${USED}\nexport const other = 1;`);
  await writeFile(join(folder, "entry.js"), entry);
  return {
    file: join(folder, "entry.js"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
