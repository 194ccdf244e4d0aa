import { describe, expect, test } from "vitest";
import type { Scenario } from "./catalog.js";
import { judge, missing, requiredStanding } from "./judgment.js";
import type { Check, Outcome } from "./outcomes.js";

const revision = "2026-07-28";
const later = [{ scenarios: "tasks-*", reason: "later" }];

function check(id: string, status: Check["status"], errorMessage?: string): Check {
  return { id, status, description: `about ${id}`, errorMessage };
}

function outcome(scenario: string, ...checks: Check[]): Outcome {
  return { leg: "server", scenario, revision, checks };
}

function scenario(name: string, ...revisions: Scenario["revisions"]): Scenario {
  return { leg: "server", name, revisions };
}

describe("a run is clean", () => {
  test("when every check passed or was skipped or only informs", () => {
    const held = outcome("ping", check("a", "SUCCESS"), check("b", "SKIPPED"), check("c", "INFO"));

    const { cells, problems } = judge([scenario("ping", revision)], [held], []);

    expect(problems).toEqual([]);
    expect(cells).toMatchObject([{ scenario: "ping", passed: 1, skipped: [{ id: "b" }], failed: [], warned: [] }]);
  });

  test("when only features that are still to be built fail", () => {
    const failing = outcome("tasks-lifecycle", check("a", "FAILURE"));

    const { cells, problems } = judge([], [failing], later);

    expect(problems).toEqual([]);
    expect(cells).toMatchObject([{ isNotYet: true, failed: [{ id: "a" }] }]);
  });
});

describe("a run is not clean", () => {
  test.each(["FAILURE", "WARNING"] as const)("after a %s", (status) => {
    const { problems } = judge([], [outcome("ping", check("a", "SUCCESS"), check("b", status, "no answer"))], []);

    expect(problems).toEqual([`server ping at 2026-07-28: ${status.toLowerCase()} b: no answer`]);
  });

  test("when a scenario had nothing that passed", () => {
    expect(judge([], [outcome("ping", check("a", "SKIPPED"))], []).problems).toEqual([
      "server ping at 2026-07-28: no check passed",
    ]);
  });

  test("when a scenario was left out where it applies", () => {
    const catalog = [scenario("ping", "2025-11-25", revision), scenario("an-extension")];

    expect(judge(catalog, [outcome("ping", check("a", "SUCCESS"))], []).problems).toEqual([
      "server ping at 2025-11-25: not run",
      "server an-extension at 2026-07-28: not run",
    ]);
  });

  test("when a feature that is listed as still to be built passes, or does not exist", () => {
    const listed = [...later, { scenarios: "nothing", reason: "later" }];

    expect(judge([], [outcome("tasks-lifecycle", check("a", "SUCCESS"))], listed).problems).toEqual([
      'not-yet.ts: "tasks-*" passes; take it off the list',
      'not-yet.ts: "nothing" passes; take it off the list',
    ]);
  });
});

test("a scenario of an extension has to run once, at any revision", () => {
  expect(missing([scenario("an-extension")], [outcome("an-extension")])).toEqual([]);
});

test("what a revision requires is counted without what is still to be built", () => {
  const outcomes = [
    outcome("ping", check("a", "SUCCESS")),
    outcome("tools-list", check("a", "FAILURE")),
    outcome("tasks-lifecycle", check("a", "FAILURE")),
    outcome("unscored", check("a", "SUCCESS")),
  ];
  const { cells } = judge([], outcomes, later);

  expect(requiredStanding(cells, "server", revision, ["ping", "tools-list", "tasks-lifecycle"])).toEqual({
    leg: "server",
    revision,
    required: 3,
    passed: 1,
    notYet: 1,
  });
});
