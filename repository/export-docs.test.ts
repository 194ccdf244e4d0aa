/** Holds the doc comments of the public surface: each exported name has one. */
import { describe, expect, test } from "vitest";
import { exportDocs } from "./export-docs.js";
import { entrySource, publishedEntries, readManifest } from "./package-manifest.js";
import { readSource, type SourceFile } from "./source-files.js";

describe("the names that the packages export", () => {
  const entries = ["packages/sdk", "packages/redis", "packages/bullmq"].flatMap((folder) =>
    publishedEntries(readManifest(folder)),
  );
  const docs = entries.flatMap((entry) => exportDocs(readSource(entrySource(entry)), readSource));

  test("are found", () => {
    expect(docs.length).toBeGreaterThan(500);
  });

  test("have a doc comment", () => {
    const lacking = docs.filter(({ comment }) => comment === "");
    expect(lacking.map(({ name, path }) => `${name} of ${path} has no doc comment`)).toEqual([]);
  });
});

describe("finding the doc comment of an export", () => {
  const files: Readonly<Record<string, string>> = {
    "src/a/index.ts":
      'export { Tree as Oak } from "../trees/tree.js"; export { grow, type Leaf, plant } from "../trees/index.js";',
    "src/trees/index.ts": 'export { grow } from "./tree.js"; export { type Leaf, plant } from "./leaf.js";',
    "src/trees/tree.ts": "/** A tree. */\nexport class Tree {}\n// Not for users.\nexport function grow() {}",
    "src/trees/leaf.ts": "/** Grows on a tree. */\nexport interface Leaf {}\n\nexport const plant = 1;",
  };
  const read = (path: string): SourceFile => ({ path, text: files[path] ?? "" });

  test("follows re-exports and other names to the declaration", () => {
    expect(exportDocs(read("src/a/index.ts"), read)).toEqual([
      { name: "Oak", path: "src/trees/tree.ts", comment: "A tree." },
      { name: "grow", path: "src/trees/tree.ts", comment: "" },
      { name: "Leaf", path: "src/trees/leaf.ts", comment: "Grows on a tree." },
      { name: "plant", path: "src/trees/leaf.ts", comment: "" },
    ]);
  });

  test("refuses a name that is declared nowhere", () => {
    const entry = { path: "src/b.ts", text: 'export { Rose } from "./trees/leaf.js";' };
    expect(() => exportDocs(entry, read)).toThrow("src/trees/leaf.ts declares no Rose");
  });
});
