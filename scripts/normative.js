/**
 * Lists the sentences of the specification that bind an implementation and have no row in repository/normative.tsv.
 * `npm run normative -- <checkout> [source …]`, or as a module. A source is a revision, or `ext-auth`, `ext-apps`, `ext-skills` or
 * `ext-tasks` with a checkout of the repository of that extension.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Where the pages of each source are, which of them are read, and how the ids of its rows begin. The page of the schema is made from the schema. Of older revisions only authorization is read, since it was
 * written anew with each of them.
 * @type {Readonly<Record<string, { root: string, prefix: string, pages: RegExp }>>}
 */
const SOURCES = {
  "2025-03-26": { root: "docs/specification/2025-03-26", prefix: "2503-", pages: /^basic\/authorization$/ },
  "2025-06-18": { root: "docs/specification/2025-06-18", prefix: "2506-", pages: /^basic\/authorization$/ },
  "2025-11-25": { root: "docs/specification/2025-11-25", prefix: "25-", pages: /^(?!schema)/ },
  "2026-07-28": { root: "docs/specification/2026-07-28", prefix: "26-", pages: /^(?!schema)/ },
  "ext-auth": { root: "specification/draft", prefix: "ext-auth-", pages: /^/ },
  "ext-apps": { root: "specification/2026-01-26", prefix: "ext-apps-", pages: /^/ },
  "ext-skills": { root: "docs", prefix: "ext-skills-", pages: /^sep-draft-skills-extension$/ },
  "ext-tasks": { root: "specification/draft", prefix: "ext-tasks-", pages: /^/ },
};
/** The comments of this revision's schema are read as one more page. Those of the other repeat its pages. */
const SCHEMA_OF = "2026-07-28";

const PAGE = /\.mdx?$/;
const KEYWORD = /\b(?:MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED)\b/;
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf)\.$/;

/**
 * @typedef {{ source: string, page: string, section: string, digest: string, sentence: string }} Found
 * @typedef {{ section: string, sentence: string }} Sentence
 * @typedef {{ indent: number, section: string, isItem: boolean, isRow: boolean, text: string }} Block
 */

/**
 * The sentences of one page with a key word in capitals. An item of a list follows the sentence that leads the list in, if
 * that has the key word.
 * @param {string} text Markdown with elements
 * @returns {Sentence[]}
 */
export function sentencesOf(text) {
  const blocks = blocksOf(text);
  return blocks.flatMap((block, index) => {
    const { section } = block;
    if (block.isRow) return KEYWORD.test(block.text) ? [{ section, sentence: block.text }] : [];
    const lead = leadOf(blocks, index);
    if (lead !== undefined && KEYWORD.test(lead)) return [{ section, sentence: `${lead} ${block.text}` }];
    const leadsIn = leadOf(blocks, index + 1) !== undefined && isBelow(blocks[index + 1], block);
    const sentences = split(block.text).filter((sentence) => KEYWORD.test(sentence));
    return sentences
      .filter((sentence) => !(leadsIn && sentence.endsWith(":") && block.text.endsWith(sentence)))
      .map((sentence) => ({ section, sentence }));
  });
}

/**
 * The same of the comments in a schema.
 * @param {string} text TypeScript
 * @returns {Sentence[]}
 */
export function sentencesOfSchema(text) {
  const comments = [...text.matchAll(/\/\*\*(.*?)\*\/\s*(?:export )?(?:interface |type |const )?([\w"/.]*)/gs)];
  return comments.flatMap(([, comment = "", name = ""]) => {
    const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, ""));
    const prose = lines.filter((line) => !/^@(?:example|category|internal)\b|^\{@includeCode/.test(line)).join("\n");
    const linked = prose.replace(/\{@link\s+([^}|]*)(?:\|\s*([^}]*))?\}/g, (_all, to, as) => as ?? to);
    return sentencesOf(linked).map(({ sentence }) => ({ section: name.replaceAll('"', ""), sentence }));
  });
}

/**
 * Tells sentences apart without their words. Marks, capitals and spaces do not count.
 * @param {string} sentence
 */
export function digestOf(sentence) {
  const words = sentence.toLowerCase().replace(/[^\p{Letter}\p{Number}]+/gu, " ");
  return createHash("sha256").update(words.trim()).digest("hex").slice(0, 8);
}

/**
 * @param {string} checkout of the repository that has the source
 * @param {string} source
 * @returns {Found[]}
 */
export function sentencesIn(checkout, source) {
  const { root: folder, pages: isRead } = sourceOf(source);
  const root = join(checkout, folder);
  const pages = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && PAGE.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((file) => isRead.test(file.replace(PAGE, "")))
    .sort();
  const found = pages.flatMap((file) =>
    sentencesOf(readFileSync(join(root, file), "utf8")).map((sentence) => ({
      page: file.replace(PAGE, ""),
      ...sentence,
    })),
  );
  const schema = join(checkout, "schema", source, "schema.ts");
  if (source === SCHEMA_OF && existsSync(schema)) {
    const sentences = sentencesOfSchema(readFileSync(schema, "utf8"));
    found.push(...sentences.map((sentence) => ({ page: "schema", ...sentence })));
  }
  return found.map((sentence) => ({ ...sentence, source, digest: digestOf(sentence.sentence) }));
}

/**
 * How the ids of a source's rows begin.
 * @param {string} source
 */
export function prefixOf(source) {
  return sourceOf(source).prefix;
}

/** @param {string} source */
function sourceOf(source) {
  const known = SOURCES[source];
  if (known === undefined) throw new Error(`expected one of ${Object.keys(SOURCES).join(", ")}, got ${source}`);
  return known;
}

/**
 * The rows of the table: an id, the digest of a sentence, its level, the side it binds, the verdict, and what that rests on.
 * @param {string} text of repository/normative.tsv
 */
export function rowsOf(text) {
  const [, ...lines] = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [id = "", digest = "", level = "", side = "", verdict = "", by = ""] = line.split("\t");
    return { id, digest, level, side, verdict, by };
  });
}

/**
 * @param {string} text
 * @returns {Block[]}
 */
function blocksOf(text) {
  const lines = text
    .replace(/^---\n.*?\n---\n/s, "")
    .replace(/^[ \t]*```.*?^[ \t]*```[ \t]*$/gms, "")
    .replace(/\{\/\*.*?\*\/\}/gs, "")
    .replace(/<\/?[A-Za-z][^<>]*>/g, "")
    .split("\n");
  /** @type {Block[]} */
  const blocks = [];
  let section = "";
  let isOpen = false;
  for (const line of lines) {
    const heading = /^#+\s+(.*)/.exec(line);
    const item = /^(\s*)(?:[-*+]|\d+[.)])\s+(.*)/.exec(line);
    if (heading) section = plain(heading[1] ?? "");
    if (heading || line.trim() === "" || /^\[[^\]]+\]:\s/.test(line)) isOpen = false;
    else if (line.trim().startsWith("|")) {
      blocks.push({ indent: 0, section, isItem: false, isRow: true, text: line.trim() });
      isOpen = false;
    } else if (item) {
      const indent = (item[1] ?? "").length;
      blocks.push({ indent: indent + 1, section, isItem: true, isRow: false, text: item[2] ?? "" });
      isOpen = true;
    } else if (isOpen) {
      const last = blocks.at(-1);
      if (last) last.text += ` ${line.trim().replace(/^>\s*/, "")}`;
    } else {
      const indent = line.length - line.trimStart().length;
      blocks.push({ indent, section, isItem: false, isRow: false, text: line.trim().replace(/^>\s*/, "") });
      isOpen = true;
    }
  }
  return blocks.map((block) => ({ ...block, text: plain(block.text) }));
}

/**
 * The sentence that ends in a colon right before the list that an item belongs to.
 * @param {readonly Block[]} blocks
 * @param {number} index
 */
function leadOf(blocks, index) {
  const item = blocks[index];
  if (!item?.isItem) return undefined;
  for (let before = index - 1; before >= 0; before -= 1) {
    const block = blocks[before];
    if (!block || block.section !== item.section || block.isRow) return undefined;
    if (!isBelow(item, block)) continue;
    const last = split(block.text).at(-1);
    return last?.endsWith(":") ? last : undefined;
  }
  return undefined;
}

/**
 * @param {Block | undefined} item
 * @param {Block} block
 */
function isBelow(item, block) {
  return item !== undefined && block.indent < item.indent;
}

/**
 * @param {string} text
 * @returns {string[]}
 */
function split(text) {
  const pieces = text.split(/(?<=[.!?]["”)]?)\s+(?=["“([`]?[A-Z0-9`])/);
  /** @type {string[]} */
  const sentences = [];
  for (const piece of pieces) {
    const last = sentences.at(-1);
    if (last !== undefined && ABBREVIATION.test(last)) sentences[sentences.length - 1] = `${last} ${piece}`;
    else sentences.push(piece);
  }
  return sentences;
}

/**
 * Markdown without links and emphasis.
 * @param {string} text
 */
function plain(text) {
  return text
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replaceAll("**", "")
    .replace(/\s+/g, " ")
    .trim();
}

/** @param {readonly string[]} given */
function run([checkout, ...sources]) {
  if (checkout === undefined) throw new Error("expected the folder of a checkout of the specification");
  const table = fileURLToPath(new URL("../repository/normative.tsv", import.meta.url));
  const rows = rowsOf(readFileSync(table, "utf8"));
  const present = Object.keys(SOURCES).filter((source) => existsSync(join(checkout, sourceOf(source).root)));
  let open = 0;
  for (const source of sources.length > 0 ? sources : present) {
    const ours = rows.filter(({ id }) => id.startsWith(prefixOf(source)));
    const known = new Set(ours.map(({ digest }) => digest));
    const found = sentencesIn(checkout, source);
    const stated = new Set(found.map(({ digest }) => digest));
    for (const { page, section, digest, sentence } of found.filter((one) => !known.has(one.digest))) {
      console.log(`${source}\t${page}\t${section}\t${digest}\t${sentence}`);
      open += 1;
    }
    for (const { id, digest } of ours.filter((row) => !stated.has(row.digest))) {
      console.log(`${source}\t${id}\t\t${digest}\t(no longer in the specification)`);
      open += 1;
    }
  }
  console.log(`${open} open`);
  if (open > 0) process.exitCode = 1;
}

const [, program, ...given] = process.argv;
if (resolve(program ?? "") === fileURLToPath(import.meta.url)) run(given);
