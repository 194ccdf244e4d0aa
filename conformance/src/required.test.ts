/** What each revision requires of a server and of a client, as the referee finds it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseRequired, parseScenarios } from "./referee/catalog.js";
import { judge } from "./referee/judgment.js";
import type { Outcome } from "./referee/outcomes.js";
import { listScenarios, referee } from "./referee/referee.js";
import { type Leg, type Revision, requirementSets, revisions } from "./referee/revisions.js";
import { startUnderTest, type UnderTest } from "./under-test.js";

const notes = mkdtempSync(join(tmpdir(), "referee-"));
let underTest: UnderTest;
beforeAll(async () => {
  underTest = await startUnderTest();
});
afterAll(async () => {
  await underTest[Symbol.asyncDispose]();
  rmSync(notes, { recursive: true });
});

describe.each(requirementSets)("required by %s", async (revision) => {
  const required = parseRequired(await listScenarios("--requirements", revision));

  describe("of a server", () => {
    let outcomes: Outcome[];
    beforeAll(async () => {
      outcomes = await run("server", revision, "--requirements", revision);
    });

    test.each(required.server)("%s", (name) => {
      const own = outcomes.filter(({ scenario }) => scenario === name);
      expect(judge([{ leg: "server", name, revisions: [revision] }], own).problems).toEqual([]);
    });
  });

  describe("of a client", () => {
    // One by one: as a set they run all at once, dozens of processes that keep each other waiting.
    test.each(required.client)("%s", async (name) => {
      const outcomes = await run("client", revision, "--scenario", name, "--spec-version", revision);
      expect(judge([{ leg: "client", name, revisions: [revision] }], outcomes).problems).toEqual([]);
    });
  });
});

// No requirement set has these. Of an authorization server, they are all that the referee tests.
describe.each(revisions)("of an authorization server at %s", async (revision) => {
  const scenarios = parseScenarios("authorization", await listScenarios("--authorization"));
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await run("authorization", revision, "--spec-version", revision);
  });

  test.each(scenarios.map(({ name }) => name))("%s", (name) => {
    const own = outcomes.filter(({ scenario }) => scenario === name);
    expect(judge([{ leg: "authorization", name, revisions: [revision] }], own).problems).toEqual([]);
  });
});

function run(leg: Leg, revision: Revision, ...options: readonly string[]): Promise<Outcome[]> {
  return referee(leg, revision, underTest.targets[leg], options, mkdtempSync(join(notes, leg)));
}
