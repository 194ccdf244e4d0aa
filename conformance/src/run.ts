/**
 * Has the referee test our server, our client and our authorization server: what each revision requires, everything else that
 * applies at each revision, and the extensions. Prints a table, writes JSON, and fails on anything that did not pass.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alwaysSkipped } from "./always-skipped.js";
import { home } from "./home.js";
import { parseRequired, parseScenarios, type Scenario } from "./referee/catalog.js";
import { judge, missing, type RequiredStanding, requiredStanding } from "./referee/judgment.js";
import type { Outcome } from "./referee/outcomes.js";
import { listScenarios, referee } from "./referee/referee.js";
import { type Leg, legs, type Revision, requiredLegs, requirementSets, revisions } from "./referee/revisions.js";
import { noteLines, standingLine, tableLines } from "./referee/table.js";
import { startUnderTest } from "./under-test.js";

const notes = join(home, ".scratch");
const started = Date.now();
rmSync(notes, { recursive: true, force: true });

const catalog: Scenario[] = [];
for (const leg of legs) catalog.push(...parseScenarios(leg, await listScenarios(`--${leg}`)));

const outcomes = await testEverything();

const { cells, problems } = judge(catalog, outcomes, alwaysSkipped);
const required: RequiredStanding[] = [];
for (const revision of requirementSets) {
  const names = parseRequired(await listScenarios("--requirements", revision));
  required.push(...requiredLegs.map((leg) => requiredStanding(cells, leg, revision, names[leg])));
}
const seconds = secondsSince(started);
writeFileSync(join(notes, "results.json"), `${JSON.stringify({ seconds, problems, required, cells }, undefined, 2)}\n`);

const order = catalog.map(({ name }) => name);
console.log(tableLines(cells, order).join("\n"));
console.log(`\n${noteLines(cells).join("\n")}`);
console.log(`\n${required.map(standingLine).join("\n")}`);
for (const problem of problems) console.error(problem);
console.log(`${cells.length} runs of ${catalog.length} scenarios in ${seconds} s: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function testEverything(): Promise<Outcome[]> {
  await using underTest = await startUnderTest();
  const found: Outcome[] = [];
  const test = async (leg: Leg, revision: Revision, options: readonly string[]) => {
    const begun = Date.now();
    const folder = join(notes, [leg, ...options].join("-").replaceAll("/", "-"));
    found.push(...(await referee(leg, revision, underTest.targets[leg], options, folder)));
    console.error(`${leg} ${options.join(" ")}: ${secondsSince(begun)} s`);
  };

  for (const leg of legs) {
    for (const revision of revisions) {
      for (const options of optionsOf(leg, revision)) await test(leg, revision, options);
    }
  }
  // What no suite has, such as extensions that no revision mentions.
  for (const { leg, scenario, revision } of missing(catalog, found)) {
    await test(leg, revision, ["--scenario", scenario, "--spec-version", revision, "--force"]);
  }
  return found;
}

/** The options of each run of the referee that a leg needs at a revision. */
function optionsOf(leg: Leg, revision: Revision): readonly (readonly string[])[] {
  const isFrozen = requirementSets.some((set) => set === revision);
  if (leg === "authorization") return [["--spec-version", revision]];
  if (leg === "server")
    return [isFrozen ? ["--requirements", revision] : ["--suite", "all", "--spec-version", revision]];
  // One by one: as a set, the referee starts dozens of clients at once, which keep each other and the referee waiting.
  return catalog
    .filter((scenario) => scenario.leg === leg && applies(scenario, revision, isFrozen))
    .map(({ name, revisions: own }) => {
      return ["--scenario", name, "--spec-version", revision, ...(own.length === 0 ? ["--force"] : [])];
    });
}

/** Scenarios of extensions belong to no revision. They run at those with a frozen set. */
function applies({ revisions: own }: Scenario, revision: Revision, isFrozen: boolean): boolean {
  return own.length === 0 ? isFrozen : own.includes(revision);
}

function secondsSince(start: number): number {
  return Math.round((Date.now() - start) / 100) / 10;
}
