/** What would be published: complete, loadable by plain Node, free of tests; and a lockfile that names no host. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { requireFreshBuild } from "./built-package.js";
import { surfaceOf } from "./entry-surface.js";
import { entrySource, publishedEntries, readManifest } from "./package-manifest.js";
import { isTestFile, listFiles, readSource, repositoryRoot } from "./source-files.js";

const manifest = readManifest("packages/sdk");

describe("the built package", () => {
  beforeAll(requireFreshBuild);

  test.each(publishedEntries(manifest))("plain Node loads %s", (entry) => {
    const program = `import * as entry from ${JSON.stringify(entry)}; console.log(JSON.stringify(Object.keys(entry)));`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: join(repositoryRoot, "examples"),
      encoding: "utf8",
      timeout: 30_000,
    });
    expect((JSON.parse(printed) as string[]).sort()).toEqual(surfaceOf(readSource(entrySource(entry))).values);
  });

  test("makes no code from strings, also where it checks schemas", () => {
    const program = `
      import { McpServer } from "parley-mcp/server";
      import { Client } from "parley-mcp/client";
      import { createFetchHandler } from "parley-mcp/web";
      const server = new McpServer({ name: "s", version: "1.0.0" });
      const input = { type: "object", properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] };
      server.tool("t", { input, output: input }, ({ a }) => ({ a }));
      const handler = createFetchHandler(server);
      const fetch = (url, init) => handler(new Request(url, init));
      const client = await Client.connect({ url: "http://localhost/mcp", fetch }, { name: "c", version: "1.0.0" });
      await client.listTools();
      const { structuredContent } = await client.callTool("t", { a: 7 });
      const { isError } = await client.callTool("t", { a: 0 });
      let isForbidden = false;
      try { new Function("return 1")(); } catch { isForbidden = true; }
      console.log(JSON.stringify({ structuredContent, isError, isForbidden }));
    `;
    const strict = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", program];
    const printed = execFileSync(process.execPath, strict, {
      cwd: join(repositoryRoot, "examples"),
      encoding: "utf8",
      timeout: 30_000,
    });
    expect(JSON.parse(printed)).toEqual({ structuredContent: { a: 7 }, isError: true, isForbidden: true });
  });

  test("has the types of every source, and its code in few files with their maps", () => {
    const types = listFiles("packages/sdk/src")
      .filter((path) => path.endsWith(".ts") && !isTestFile(path))
      .map((path) => `${path.slice("packages/sdk/src/".length, -".ts".length)}.d.ts`)
      .sort();
    const found = readdirSync(join(repositoryRoot, "packages/sdk/dist"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(repositoryRoot, "packages/sdk/dist/").length))
      .sort();
    expect(found.filter((path) => path.endsWith(".d.ts"))).toEqual(types);
    const code = found.filter((path) => path.endsWith(".js"));
    const maps = found.filter((path) => path.endsWith(".map"));
    expect(found).toHaveLength(types.length + code.length + maps.length);
    expect(code.map((path) => `${path}.map`)).toEqual(expect.arrayContaining(maps));
    // What only passes others on has nothing to map.
    const chunks = code.filter((path) => path.startsWith("chunks/"));
    expect(maps).toEqual(expect.arrayContaining(chunks.map((path) => `${path}.map`)));
    const { exports, imports } = JSON.parse(readSource("packages/sdk/package.json").text) as {
      exports: Record<string, unknown>;
      imports: Record<string, unknown>;
    };
    const named = JSON.stringify([exports, imports]).match(/(?<=\.\/dist\/)[^"]+\.js/g);
    expect(code.filter((path) => !chunks.includes(path)).sort()).toEqual(named?.sort());
    expect(code.length).toBeLessThanOrEqual(3 * Object.keys(exports).length);
  });
});

test("the lockfile pins every package by hash and names no host", () => {
  const { packages } = JSON.parse(readSource("package-lock.json").text) as {
    packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
  };
  const installed = Object.entries(packages).filter(([path]) => path.includes("node_modules/"));
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(([, entry]) => entry.resolved?.includes("://"))).toEqual([]);
  expect(installed.filter(([, entry]) => entry.integrity === undefined && entry.link !== true)).toEqual([]);
});
