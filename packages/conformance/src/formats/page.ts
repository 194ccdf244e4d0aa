/**
 * One HTML page without references to others: filters and a search over entries, and a grid whose cells lead to their entries.
 * Readable on a phone and on a desk.
 */
import { escapeMarkup } from "./markup.js";

/** The color of a kind of entry. */
export type Tone = "red" | "amber" | "blue" | "green" | "dim";

export interface Page {
  /** The program that wrote the page. */
  readonly tool: string;
  readonly heading: string;
  readonly summary: string;
  readonly kinds: readonly PageKind[];
  readonly grid: PageGrid;
  readonly entries: readonly PageEntry[];
}

/** A kind of entry, which readers can show and hide. */
export interface PageKind {
  readonly name: string;
  readonly tone: Tone;
  readonly count: number;
  /** Whether its entries are shown at first. */
  readonly isShown: boolean;
}

export interface PageGrid {
  readonly corner: string;
  readonly columns: readonly PageColumn[];
  readonly rows: readonly { readonly label: string; readonly cells: readonly (PageCell | undefined)[] }[];
}

/** Neighboring columns of one group share a heading. */
export interface PageColumn {
  readonly group?: string;
  readonly label: string;
}

export interface PageCell {
  readonly tone: Tone;
  readonly text: string;
  /** The search that finds the entries of the cell. */
  readonly query: string;
}

export interface PageEntry {
  /** The fragment that leads to the entry. Unique within the page. */
  readonly id: string;
  /** The name of a `PageKind`. */
  readonly kind: string;
  readonly name: string;
  readonly tag: string;
  readonly title: string;
  /** Words that a search finds. */
  readonly search: string;
  readonly facts: readonly PageFact[];
  /** Preformatted texts below the facts. */
  readonly blocks: readonly { readonly heading: string; readonly text: string }[];
}

export interface PageFact {
  readonly name: string;
  readonly text: string;
  readonly href?: string;
}

export function renderPage(page: Page): string {
  const { tool, heading, summary, kinds, grid, entries } = page;
  const tones = new Map(kinds.map(({ name, tone }) => [name, tone]));
  const [worst] = kinds;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(`${tool} ${heading}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="tool">${escapeMarkup(tool)}</p>
<h1>${escapeMarkup(heading)}</h1>
<p>${escapeMarkup(summary)}</p>
</header>
<main>
<section aria-label="Counts" class="filters">
<input type="search" placeholder="Search names and texts" aria-label="Search">
${kinds.map(filter).join("\n")}
</section>
<section aria-label="Areas" class="scroll">${table(grid)}</section>
<section aria-label="Findings" id="findings">
${entries.map((entry) => details(entry, tones.get(entry.kind) ?? "dim", entry.kind === worst?.name)).join("\n")}
<p id="none" hidden>Nothing matches.</p>
</section>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function filter({ name, tone, count, isShown }: PageKind): string {
  const checked = isShown ? " checked" : "";
  return `<label class="${tone}"><input type="checkbox" value="${escapeMarkup(name)}"${checked}> <b>${count}</b> ${escapeMarkup(name)}</label>`;
}

function table({ corner, columns, rows }: PageGrid): string {
  const head = columns.map(({ label }) => `<th scope="col">${escapeMarkup(label)}</th>`).join("");
  const groups = columnGroups(columns)
    .map(({ label, span }) => `<th scope="colgroup" colspan="${span}">${escapeMarkup(label)}</th>`)
    .join("");
  const groupRow = columns.some(({ group }) => group !== undefined) ? `<tr><td></td>${groups}</tr>` : "";
  const body = rows.map(
    ({ label, cells }) => `<tr><th scope="row">${escapeMarkup(label)}</th>${cells.map(cellOf).join("")}</tr>`,
  );
  return `<table><thead>${groupRow}<tr><th scope="col">${escapeMarkup(corner)}</th>${head}</tr></thead><tbody>${body.join("\n")}</tbody></table>`;
}

function columnGroups(columns: readonly PageColumn[]): { readonly label: string; readonly span: number }[] {
  const groups: { label: string; span: number }[] = [];
  for (const { group = "" } of columns) {
    const last = groups.at(-1);
    if (last?.label === group) last.span += 1;
    else groups.push({ label: group, span: 1 });
  }
  return groups;
}

function cellOf(cell: PageCell | undefined): string {
  if (!cell) return '<td class="none">–</td>';
  return `<td class="${cell.tone}"><button type="button" data-query="${escapeMarkup(cell.query)}">${escapeMarkup(cell.text)}</button></td>`;
}

function details(entry: PageEntry, tone: Tone, isOpen: boolean): string {
  const { id, kind, name, tag, title, search } = entry;
  const facts = entry.facts.map((fact) => `<dt>${escapeMarkup(fact.name)}</dt><dd>${factText(fact)}</dd>`);
  const blocks = entry.blocks.map(
    ({ heading, text }) => `<h3>${escapeMarkup(heading)}</h3><pre>${escapeMarkup(text)}</pre>`,
  );
  return `<details id="${escapeMarkup(id)}" class="${tone}" data-kind="${escapeMarkup(kind)}" data-search="${escapeMarkup(search.toLowerCase())}"${isOpen ? " open" : ""}>
<summary><span class="kind">${escapeMarkup(kind)}</span> <span class="name">${escapeMarkup(name)}</span> <span class="tag">${escapeMarkup(tag)}</span><span class="title">${escapeMarkup(title)}</span></summary>
<dl>${facts.join("")}</dl>
${blocks.join("\n")}
</details>`;
}

function factText({ text, href }: PageFact): string {
  return href === undefined ? escapeMarkup(text) : `<a href="${escapeMarkup(href)}">${escapeMarkup(text)}</a>`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2129; --dim: #5b6472; --paper: #ffffff; --line: #d9dde3; --shade: #f4f6f8;
  --red: #b3261e; --amber: #8a5a00; --blue: #1f5fa8; --green: #1b6e3c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa4b2; --paper: #14171c; --line: #313842; --shade: #1c2027;
  --red: #ff8a80; --amber: #ffc266; --blue: #8ab8ff; --green: #7fd6a0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: .8rem; margin: .75rem 0 .25rem; color: var(--dim); }
.tool { margin: 0; color: var(--dim); }
.filters { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
.filters input[type=search] { flex: 1 1 16rem; min-height: 2.75rem; padding: 0 .75rem; font: inherit; color: inherit; background: var(--shade); border: 1px solid var(--line); border-radius: .4rem; }
.filters label { display: inline-flex; align-items: center; gap: .4rem; min-height: 2.75rem; padding: 0 .75rem; border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0 .5rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th[scope=colgroup] { border-left: 1px solid var(--line); }
tbody th { position: sticky; left: 0; background: var(--paper); }
td.none { color: var(--dim); }
td button { min-height: 2.25rem; padding: 0 .25rem; font: inherit; color: inherit; background: none; border: 0; cursor: pointer; text-decoration: underline; text-decoration-color: var(--line); }
#findings { margin-top: 1.5rem; }
details { border: 1px solid var(--line); border-left: 4px solid var(--dim); border-radius: .3rem; margin: .5rem 0; padding: 0 .75rem; }
details.red { border-left-color: var(--red); } details.amber { border-left-color: var(--amber); }
details.blue { border-left-color: var(--blue); } details.green { border-left-color: var(--green); }
.red .kind, td.red, label.red b { color: var(--red); } .amber .kind, td.amber, label.amber b { color: var(--amber); }
.blue .kind, td.blue, label.blue b { color: var(--blue); } .green .kind, label.green b { color: var(--green); }
summary { padding: .6rem 0; cursor: pointer; }
.kind { font-weight: 600; } .name { font-family: ui-monospace, monospace; overflow-wrap: anywhere; } .tag { color: var(--dim); white-space: nowrap; }
.title { display: block; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .75rem; margin: 0 0 .5rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
a { color: var(--blue); }
pre { margin: 0 0 .6rem; padding: .6rem; background: var(--shade); border-radius: .3rem; font: .85rem/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .4rem; } }
`;

const SCRIPT = `
const search = document.querySelector("input[type=search]");
const boxes = [...document.querySelectorAll(".filters input[type=checkbox]")];
const entries = [...document.querySelectorAll("details")];
function update() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const kinds = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  let shown = 0;
  for (const entry of entries) {
    const matches = kinds.has(entry.dataset.kind) && words.every((word) => entry.dataset.search.includes(word));
    entry.hidden = !matches;
    if (matches) shown += 1;
  }
  document.getElementById("none").hidden = shown > 0;
}
function find(query) {
  search.value = query;
  for (const box of boxes) box.checked = true;
  update();
}
function follow() {
  const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(entry instanceof HTMLDetailsElement)) return;
  find("");
  entry.open = true;
  entry.scrollIntoView();
}
search.addEventListener("input", update);
for (const box of boxes) box.addEventListener("change", update);
for (const button of document.querySelectorAll("td button")) {
  button.addEventListener("click", () => {
    find(button.dataset.query);
    document.getElementById("findings").scrollIntoView();
  });
}
addEventListener("hashchange", follow);
update();
follow();
`;
