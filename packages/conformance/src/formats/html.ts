/** The report as one HTML file without references to others, readable on a phone and on a desk. */
import { type Finding, type Report, type Tally, tallyOf } from "../judge/report.js";
import { areaRows, revisionsOf, summaryOf } from "./grouping.js";
import { escapeMarkup } from "./markup.js";

const OUTCOMES: readonly string[] = ["failure", "warning", "note", "passed", "not applicable", "not observed"];

export function formatHtml(report: Report): string {
  const tally = tallyOf(report.findings);
  const counts = [tally.failures, tally.warnings, tally.notes, tally.passed, tally.notApplicable, tally.notObserved];
  const target = escapeMarkup(report.target);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>parley-check ${target}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="tool">parley-check</p>
<h1>${target}</h1>
<p>${escapeMarkup(summaryOf(tally))}. The target ${escapeMarkup(revisionsOf(report))}.</p>
</header>
<main>
<section aria-label="Counts" class="filters">
<input type="search" placeholder="Search checks, requirements, texts" aria-label="Search">
${OUTCOMES.map((outcome, index) => filter(outcome, counts[index] ?? 0)).join("\n")}
</section>
<section aria-label="Areas" class="scroll">${grid(report)}</section>
<section aria-label="Findings" id="findings">
${sorted(report.findings).map(entry).join("\n")}
<p id="none" hidden>Nothing matches.</p>
</section>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function kindOf({ outcome, severity }: Finding): string {
  return outcome === "failed" ? severity : outcome;
}

function sorted(findings: readonly Finding[]): Finding[] {
  const rank = (finding: Finding) => OUTCOMES.indexOf(kindOf(finding));
  return [...findings].sort((a, b) => rank(a) - rank(b));
}

function classOf(outcome: string): string {
  return outcome.replace(" ", "-");
}

function filter(outcome: string, count: number): string {
  const isOn = !outcome.startsWith("not ") && outcome !== "passed";
  const checked = isOn ? " checked" : "";
  return `<label class="${classOf(outcome)}"><input type="checkbox" value="${outcome}"${checked}> <b>${count}</b> ${outcome}</label>`;
}

function grid(report: Report): string {
  const head = report.checked.map((revision) => `<th scope="col">${escapeMarkup(revision)}</th>`).join("");
  const rows = areaRows(report).map(({ area, tallies }) => {
    const cells = tallies.map((tally, index) => {
      if (!tally) return '<td class="none">none</td>';
      const red = tally.failures + tally.warnings + tally.notes;
      const worst = worstOf(tally);
      const query = escapeMarkup(`${area} ${report.checked[index] ?? ""}`);
      return `<td class="${worst}"><button type="button" data-query="${query}">${tally.passed}${red > 0 ? ` / ${red}` : ""}</button></td>`;
    });
    return `<tr><th scope="row">${escapeMarkup(area)}</th>${cells.join("")}</tr>`;
  });
  return `<table><thead><tr><th scope="col">passed / failed</th>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function worstOf({ failures, warnings, notes }: Tally): string {
  if (failures > 0) return "failure";
  if (warnings > 0) return "warning";
  return notes > 0 ? "note" : "passed";
}

function entry(finding: Finding): string {
  const kind = kindOf(finding);
  const { check, area, title, revision, requirement, source } = finding;
  const isLink = source.startsWith("https:");
  const see = isLink ? `<a href="${escapeMarkup(source)}">${escapeMarkup(source)}</a>` : escapeMarkup(source);
  const search = escapeMarkup(`${area} ${revision} ${check} ${requirement} ${title}`.toLowerCase());
  const rows: [string, string | undefined][] = [
    ["expected", finding.expected],
    ["got", finding.got],
    ["mend", finding.mend],
    ["reason", finding.reason],
    ["requirement", requirement],
  ];
  const facts = rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value = ""]) => `<dt>${name}</dt><dd>${escapeMarkup(value)}</dd>`);
  const exchanges = finding.evidence.map(
    ({ sent, received }) =>
      `<h3>Sent</h3><pre>${escapeMarkup(sent)}</pre><h3>Received</h3><pre>${escapeMarkup(received)}</pre>`,
  );
  const open = kind === "failure" ? " open" : "";
  return `<details class="${classOf(kind)}" data-kind="${kind}" data-search="${search}"${open}>
<summary><span class="kind">${kind}</span> <span class="name">${escapeMarkup(check)}</span> <span class="revision">${escapeMarkup(revision)}</span><span class="title">${escapeMarkup(title)}</span></summary>
<dl>${facts.join("")}<dt>see</dt><dd>${see}</dd></dl>
${exchanges.join("\n")}
</details>`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2129; --dim: #5b6472; --paper: #ffffff; --line: #d9dde3; --shade: #f4f6f8;
  --red: #b3261e; --amber: #8a5a00; --blue: #1f5fa8; --green: #1b6e3c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa4b2; --paper: #14171c; --line: #313842; --shade: #1c2027;
  --red: #ff8a80; --amber: #ffc266; --blue: #8ab8ff; --green: #7fd6a0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: .8rem; margin: .75rem 0 .25rem; color: var(--dim); }
.tool { margin: 0; color: var(--dim); }
.filters { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
.filters input[type=search] { flex: 1 1 16rem; min-height: 2.75rem; padding: 0 .75rem; font: inherit; color: inherit; background: var(--shade); border: 1px solid var(--line); border-radius: .4rem; }
.filters label { display: inline-flex; align-items: center; gap: .4rem; min-height: 2.75rem; padding: 0 .75rem; border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0 .5rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
td.none { color: var(--dim); }
td button { min-height: 2.25rem; padding: 0 .25rem; font: inherit; color: inherit; background: none; border: 0; cursor: pointer; text-decoration: underline; text-decoration-color: var(--line); }
#findings { margin-top: 1.5rem; }
details { border: 1px solid var(--line); border-left: 4px solid var(--dim); border-radius: .3rem; margin: .5rem 0; padding: 0 .75rem; }
details.failure { border-left-color: var(--red); } details.warning { border-left-color: var(--amber); }
details.note { border-left-color: var(--blue); } details.passed { border-left-color: var(--green); }
.failure .kind, td.failure, label.failure b { color: var(--red); } .warning .kind, td.warning, label.warning b { color: var(--amber); }
.note .kind, td.note, label.note b { color: var(--blue); } .passed .kind, label.passed b { color: var(--green); }
summary { padding: .6rem 0; cursor: pointer; }
.kind { font-weight: 600; } .name { font-family: ui-monospace, monospace; overflow-wrap: anywhere; } .revision { color: var(--dim); white-space: nowrap; }
.title { display: block; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .75rem; margin: 0 0 .5rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
a { color: var(--blue); }
pre { margin: 0; padding: .6rem; background: var(--shade); border-radius: .3rem; font: .85rem/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
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
search.addEventListener("input", update);
for (const box of boxes) box.addEventListener("change", update);
for (const button of document.querySelectorAll("td button")) {
  button.addEventListener("click", () => {
    search.value = button.dataset.query;
    for (const box of boxes) box.checked = true;
    update();
    document.getElementById("findings").scrollIntoView();
  });
}
update();
`;
