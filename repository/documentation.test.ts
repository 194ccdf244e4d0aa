/** Finds the pages of `docs/` that a reader of the README does not find, and sources that a README names and nobody finds. */
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

test("every source that a README of a folder names exists", () => {
  const files = listFiles();
  const pages = documents.filter((path) => path.endsWith("/README.md")).map(readSource);
  const named = pages.flatMap(({ path, text }) => {
    const spans = [...text.matchAll(/`((?:src|tests)\/[\w./-]*)`/g)];
    return spans.map(([, name = ""]) => posix.join(posix.dirname(path), name));
  });
  const isThere = (name: string) => files.some((file) => file === name || file.startsWith(name.replace(/\/?$/, "/")));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});
