/**
 * Tries every pair of peers, prints the matrix, writes JSON, and fails on anything that departures.ts does not explain.
 * A text after the command picks pairs by their titles; `--write` puts the summary into docs/interop.md.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { departures } from "./departures.js";
import { type Cell, pairTitle } from "./matrix/cell.js";
import { problemsIn, unseen } from "./matrix/judge.js";
import { nameOf, runPairs } from "./matrix/run-pair.js";
import { byPeer, departureLines, summaryLines, tableLines } from "./matrix/table.js";
import { ownPairs, quickPairs, slowPairs } from "./pairs.js";
import { versionsOf } from "./versions.js";
import { formatEntry } from "./wire/wire-log.js";

const BEGIN = "<!-- matrix -->";
const END = "<!-- end of matrix -->";
const page = fileURLToPath(new URL("../../docs/interop.md", import.meta.url));
const notes = fileURLToPath(new URL("../.scratch/", import.meta.url));

const wantsWrite = process.argv.includes("--write");
const wanted = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
const all = [...quickPairs, ...slowPairs, ...ownPairs];
const pairs = all.filter((pair) => pairTitle(nameOf(pair)).includes(wanted ?? ""));

const begun = Date.now();
const cells = await runPairs(pairs, departures, (pair) => {
  console.error(`${pairTitle(nameOf(pair))}: done after ${Math.round((Date.now() - begun) / 1000)} s`);
});

const versions = versionsOf(pairs.flatMap(({ client, server }) => [client.packageName, server.packageName]));
for (const peer of byPeer(cells)) console.log(`${tableLines(peer, departures).join("\n")}\n`);
console.log(`${departureLines(departures).join("\n")}\n`);
for (const [name, version] of Object.entries(versions)) console.log(`${name} ${version}`);

const problems = [...problemsIn(cells), ...(wanted === undefined ? problemsOfWhole() : [])];
mkdirSync(notes, { recursive: true });
writeFileSync(`${notes}results.json`, `${JSON.stringify({ versions, problems, departures, cells }, undefined, 2)}\n`);
for (const cell of cells) if (cell.outcome.verdict === "failed") console.error(explain(cell));
for (const problem of problems) console.error(problem);
const passed = cells.filter(({ outcome }) => outcome.verdict === "passed").length;
console.log(`${cells.length} cells of ${pairs.length} pairs: ${passed} passed, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

/** What can be said only when every pair was tried. */
function problemsOfWhole(): string[] {
  const stale = unseen(departures, cells).map(({ id }) => `No cell shows the departure "${id}": take it off the list`);
  const text = readFileSync(page, "utf8");
  const peers = Object.entries(versions).map(([name, version]) => `| \`${name}\` | ${version} |`);
  const shown = ["| package | version |", "|---|---|", ...peers, "", ...summaryLines(cells)].join("\n");
  const [before = "", rest = ""] = text.split(BEGIN);
  const updated = `${before}${BEGIN}\n${shown}\n${END}${rest.split(END)[1] ?? ""}`;
  if (wantsWrite) writeFileSync(page, updated);
  else if (updated !== text) stale.push("docs/interop.md shows another matrix: npm run interop -- --write");
  return stale;
}

function explain(cell: Cell): string {
  return [`${pairTitle(cell)}, ${cell.feature}:`, ...cell.wire.map(formatEntry)].join("\n");
}
