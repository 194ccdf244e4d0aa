/** Compares the pages in `docs/` with the list of them in the README. */
import { expect, test } from "vitest";
import { listFiles, readSource } from "./source-files.js";

const { text: readme } = readSource("README.md");
const [, list = ""] = /\n## Documentation\n([\s\S]*?)\n## /.exec(readme) ?? [];
const listed = [...list.matchAll(/\]\((docs\/[^)#]+\.md)\)/g)].map(([, path = ""]) => path);
const pages = listFiles("docs").filter((path) => path.endsWith(".md"));

test("the README lists every page", () => {
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((path) => !listed.includes(path))).toEqual([]);
});

test("the README lists no page that does not exist, and none twice", () => {
  expect(listed.filter((path, index) => !pages.includes(path) || listed.indexOf(path) !== index)).toEqual([]);
});
