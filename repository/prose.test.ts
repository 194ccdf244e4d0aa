/** Reads every text in the repository as a stranger would: no private paths, no hosts, one spelling. */
import { describe, expect, test } from "vitest";
import { proseViolations } from "./prose.js";
import { listFiles, readSource } from "./source-files.js";

test("no text names a private path or a registry, or mixes spellings", () => {
  const paths = listFiles();
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.flatMap((path) => proseViolations(readSource(path)))).toEqual([]);
});

test("README names the two commands that matter", () => {
  const { text } = readSource("README.md");
  expect(text).toContain("npm ci && npm start");
  expect(text).toContain("npm ci && npm test");
});

describe("finding words", () => {
  test("names of packages in a lockfile keep their spelling", () => {
    const name = ["@img/col", "our"].join("");
    expect(proseViolations({ path: "interop/package-lock.json", text: name })).toEqual([]);
    expect(proseViolations({ path: "interop/package.json", text: name })).toHaveLength(1);
  });

  const find = (text: string) => proseViolations({ path: "a.md", text });

  test.each([
    ["a home folder", ["see /ho", "me/someone/file"]],
    ["a home folder of another system", ["see '/Use", "rs/someone'"]],
    ["a work folder", ["(/wo", "rk/main)"]],
    ["a folder with a drive", ["C:\\Us", "ers\\someone"]],
    ["a registry", ["https://registry.npm", "js.org/x"]],
    ["a private registry", ["https://example.com/artif", "actory/npm"]],
    ["a spelling", ["the behav", "iour of"]],
    ["a spelling inside a name", ["deSerial", "ise()"]],
    ["a spelling of a noun", ["authoris", "ation"]],
  ])("%s is found", (_, parts) => {
    expect(find(`first line\n${parts.join("")}`)).toEqual([expect.stringMatching(/^a\.md:2: /)]);
  });

  test.each([
    "file:///home/user/project",
    "https://example.com/work/item",
    "./work/item",
    "registry.tools.get(name)",
    "notifications/cancelled",
    "behavior, serialize, organism, authority, realist, raise",
    "/root",
  ])("%s is fine", (text) => {
    expect(find(text)).toEqual([]);
  });
});
