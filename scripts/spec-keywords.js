/**
 * Writes packages/requirements/src/spec-keywords.json: the strongest key word of RFC 2119 in each section of the specification
 * that spec-sections.json names. `node scripts/spec-keywords.js <checkout of the specification>`.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../packages/requirements/src/", import.meta.url);

/** @type {readonly (readonly [keyword: string, words: RegExp])[]} Strongest first. */
const KEYWORDS = [
  ["must", /\b(?:MUST|SHALL|REQUIRED)\b/],
  ["should", /\b(?:SHOULD|RECOMMENDED)\b/],
  ["may", /\b(?:MAY|OPTIONAL)\b/],
];

/**
 * The strongest key word of each section of a page. A section holds the sections below it. Sections without one are left out.
 * @param {string} page Markdown
 * @returns {Record<string, string>}
 */
export function keywordsOf(page) {
  const headings = [...page.matchAll(/^(#{2,6}) +(.+)$/gm)];
  /** @type {Record<string, string>} */
  const found = {};
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const [index, heading] of headings.entries()) {
    const [, marks = "", title = ""] = heading;
    const next = headings.slice(index + 1).find(([, others = ""]) => others.length <= marks.length);
    const text = page.slice(heading.index, next?.index);
    const strongest = KEYWORDS.find(([, words]) => words.test(text))?.[0];
    const slug = slugOf(title);
    const repeats = seen.get(slug) ?? 0;
    seen.set(slug, repeats + 1);
    if (strongest !== undefined) found[repeats === 0 ? slug : `${slug}-${repeats + 1}`] = strongest;
  }
  return found;
}

/** @param {string} title */
function slugOf(title) {
  const plain = title.replaceAll(/<[^>]*>|[`*]/g, "").toLowerCase();
  return plain.replaceAll(/[^\p{Letter}\p{Number}_]+/gu, "-").replaceAll(/^-|-$/g, "");
}

/** @param {string} checkout */
function write(checkout) {
  const sections = JSON.parse(readFileSync(new URL("spec-sections.json", FOLDER), "utf8"));
  // Proposals are not part of a checkout of the specification until they are accepted, and extensions have their own.
  const known = JSON.parse(readFileSync(new URL("spec-keywords.json", FOLDER), "utf8"));
  /** @type {Record<string, Record<string, Record<string, string>>>} */
  const kept = Object.fromEntries(Object.entries(known).filter(([name]) => name === "seps" || name.startsWith("ext-")));
  /** @type {Record<string, Record<string, Record<string, string>>>} */
  const keywords = {};
  for (const [revision, pages] of Object.entries(sections)) {
    keywords[revision] = kept[revision] ?? {};
    if (revision in kept) continue;
    for (const [page, anchors] of Object.entries(pages)) {
      const base = resolve(checkout, "docs/specification", revision, page);
      const file = existsSync(`${base}.mdx`) ? `${base}.mdx` : `${base}/index.mdx`;
      const all = keywordsOf(readFileSync(file, "utf8"));
      const known = anchors.split(" ").flatMap((/** @type {string} */ anchor) => {
        // The site has an anchor of its own for `_meta`.
        const strongest = all[anchor] ?? all[`_${anchor}`];
        return strongest === undefined ? [] : [[anchor, strongest]];
      });
      keywords[revision][page] = Object.fromEntries(known);
    }
  }
  writeFileSync(new URL("spec-keywords.json", FOLDER), `${JSON.stringify(keywords, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) write(process.argv[2] ?? "");
