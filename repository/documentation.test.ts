/** Finds the pages of `docs/` that a reader of the README does not find. */
import { posix } from "node:path";
import { expect, test } from "vitest";
import { listFiles, readSource, type SourceFile } from "./source-files.js";

const readme = readSource("README.md");
const [, list = ""] = /\n## Documentation\n([\s\S]*?)\n## /.exec(readme.text) ?? [];
const listed = linkedPages({ path: readme.path, text: list });
const documents = listFiles().filter((path) => path.endsWith(".md"));

/** The paths of the Markdown files that a page links to. */
function linkedPages({ path, text }: SourceFile): string[] {
  const links = [...text.matchAll(/\]\(([^():#]+\.md)(?:#[^)]*)?\)/g)];
  return links.map(([, link = ""]) => posix.join(posix.dirname(path), link));
}

test("each page is in the list of the README, or a page of the list links to it", () => {
  const pages = documents.filter((path) => path.startsWith("docs/"));
  const found = new Set([...listed, ...listed.flatMap((path) => linkedPages(readSource(path)))]);
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((path) => !found.has(path))).toEqual([]);
});

test("the list of the README has no page that does not exist, and none twice", () => {
  expect(listed.filter((path, index) => !documents.includes(path) || listed.indexOf(path) !== index)).toEqual([]);
});
