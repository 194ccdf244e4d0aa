/** The quick part of the matrix: one test for each cell that both peers have something to show for. */
import { beforeAll, describe, expect, test } from "vitest";
import { departures } from "./departures.js";
import { features } from "./features.js";
import { type Cell, pairTitle } from "./matrix/cell.js";
import { nameOf, type Pair, runPairs } from "./matrix/run-pair.js";
import { ownPairs, quickPairs } from "./pairs.js";
import { formatEntry } from "./wire/wire-log.js";

const pairs = [...quickPairs, ...ownPairs];
let cells: Cell[];
beforeAll(async () => {
  cells = await runPairs(pairs, departures);
});

describe.each(pairs.map((pair): [string, Pair] => [pairTitle(nameOf(pair)), pair]))("%s", (title, { client, mode }) => {
  const offered = features.filter((feature) => (mode.lacks[feature] ?? client.lacks[feature]) === undefined);
  test.each(offered)("%s", (feature) => {
    const cell = cells.find((candidate) => candidate.feature === feature && pairTitle(candidate) === title);
    const wire = cell?.wire.map(formatEntry).join("\n");
    expect(cell?.outcome.verdict, `${JSON.stringify(cell?.outcome)}\n${wire}`).toMatch(/^(passed|departure)$/);
  });
});
