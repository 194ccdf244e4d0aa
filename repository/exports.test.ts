/** Holds the public surface: what each entry exports changes only together with exports.snapshot.json. */
import { describe, expect, test } from "vitest";
import { type EntrySurface, surfaceOf } from "./entry-surface.js";
import { entrySource, publishedEntries, readManifest } from "./package-manifest.js";
import { readSource } from "./source-files.js";

const entries = ["packages/sdk", "packages/redis", "packages/bullmq"].flatMap((folder) =>
  publishedEntries(readManifest(folder)),
);

describe("parley-mcp", () => {
  test("publishes the entries a user needs", () => {
    expect(entries).toEqual(expect.arrayContaining(["parley-mcp/server", "parley-mcp/client", "parley-mcp/testing"]));
  });

  test("exports what the snapshot lists, no more and no less", async () => {
    const surface: Record<string, EntrySurface> = {};
    for (const entry of entries) surface[entry] = surfaceOf(readSource(entrySource(entry)));
    await expect(`${JSON.stringify(surface, null, 2)}\n`).toMatchFileSnapshot("exports.snapshot.json");
  });

  test("exports from servers and clients alike only what nearly every program needs", () => {
    const [server, client] = ["parley-mcp/server", "parley-mcp/client"].map((entry) => {
      const { values, types } = surfaceOf(readSource(entrySource(entry)));
      return [...values, ...types];
    });
    expect(server?.filter((name) => client?.includes(name))).toEqual([
      "ProtocolError",
      "SdkError",
      "defineExtension",
      "defineListenFilter",
      "defineMetaKey",
      "defineMethod",
      "defineNotification",
      "defineResultType",
    ]);
  });

  test.each(entries)("%s exports at run time the values its source lists", async (entry) => {
    const { values } = surfaceOf(readSource(entrySource(entry)));
    expect(values.length).toBeGreaterThan(0);
    // The specifier is known only at run time, so that one test serves every entry.
    const built = (await import(/* @vite-ignore */ entry)) as Record<string, unknown>;
    expect(Object.keys(built).sort()).toEqual(values);
    expect(Object.entries(built).filter(([, value]) => value === undefined)).toEqual([]);
  });
});

describe("reading an entry", () => {
  const read = (text: string) => surfaceOf({ path: "index.ts", text });

  test("tells values from types, under their exported names", () => {
    const text = `/** Doc. */\nexport { b, a as z, type T } from "./a.js";\nexport type { U, V as W } from "./b.js";`;
    expect(read(text)).toEqual({ values: ["b", "z"], types: ["T", "U", "W"] });
  });

  test.each([
    `export * from "./a.js";`,
    `export const a = 1;`,
    `import "./a.js";`,
    `export default 1;`,
    `export * as a from "./a.js";`,
  ])("%s is refused", (text) => {
    expect(() => read(text)).toThrow("index.ts:1: an entry holds only");
  });
});
