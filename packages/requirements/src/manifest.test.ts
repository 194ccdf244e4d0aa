import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requirements } from "./index.js";
import { manifestFaults } from "./manifest-faults.js";

const sections = JSON.parse(readFileSync(new URL("spec-sections.json", import.meta.url), "utf8"));
const keywords = JSON.parse(readFileSync(new URL("spec-keywords.json", import.meta.url), "utf8"));
const decisionsPage = new URL("../../../docs/decisions.md", import.meta.url);

/** The anchors of the page's decisions, its third-level headings. */
function decisionAnchors(): Set<string> {
  const page = existsSync(decisionsPage) ? readFileSync(decisionsPage, "utf8") : "";
  return new Set([...page.matchAll(/^### (.+)$/gm)].map(([, heading = ""]) => toAnchor(heading)));
}

function toAnchor(heading: string): string {
  const words = heading.toLowerCase().replaceAll(/[^a-z0-9 -]/g, "");
  return words.trim().replaceAll(" ", "-");
}

test("the manifest holds together and every source exists", () => {
  expect(manifestFaults(requirements, { sections, keywords, decisions: decisionAnchors() })).toEqual([]);
});

test("no behavior is promised twice in the same words", () => {
  const sentences = Object.values(requirements).map(({ behavior }) => behavior);
  expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index)).toEqual([]);
});
