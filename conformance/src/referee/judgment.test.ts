import { describe, expect, test } from "vitest";
import type { Scenario } from "./catalog.js";
import { judge, missing, requiredStanding } from "./judgment.js";
import type { Check, Outcome } from "./outcomes.js";

const revision = "2026-07-28";

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

    const { cells, problems } = judge([scenario("ping", revision)], [held]);

    expect(problems).toEqual([]);
    expect(cells).toMatchObject([{ scenario: "ping", passed: 1, skipped: [{ id: "b" }], failed: [], warned: [] }]);
  });

  test("when the referee skips every check of a scenario that it always skips", () => {
    expect(judge([], [outcome("old", check("a", "SKIPPED"))], ["old"]).problems).toEqual([]);
  });
});

describe("a run is not clean", () => {
  test.each(["FAILURE", "WARNING"] as const)("after a %s", (status) => {
    const { problems } = judge([], [outcome("ping", check("a", "SUCCESS"), check("b", status, "no answer"))]);

    expect(problems).toEqual([`server ping at 2026-07-28: ${status.toLowerCase()} b: no answer`]);
  });

  test("when a scenario had nothing that passed", () => {
    expect(judge([], [outcome("ping", check("a", "SKIPPED"))]).problems).toEqual([
      "server ping at 2026-07-28: no check passed",
    ]);
  });

  test("when a scenario was left out where it applies", () => {
    const catalog = [scenario("ping", "2025-11-25", revision), scenario("an-extension")];

    expect(judge(catalog, [outcome("ping", check("a", "SUCCESS"))]).problems).toEqual([
      "server ping at 2025-11-25: not run",
      "server an-extension at 2026-07-28: not run",
    ]);
  });

  test("when a scenario that is always skipped passes, fails or does not exist", () => {
    const outcomes = [outcome("held", check("a", "SUCCESS")), outcome("broken", check("b", "FAILURE", "no answer"))];

    expect(judge([], outcomes, ["held", "broken", "nothing"]).problems).toEqual([
      "server broken at 2026-07-28: failure b: no answer",
      'always-skipped.ts: "held" is not skipped; take it off the list',
      'always-skipped.ts: "broken" is not skipped; take it off the list',
      'always-skipped.ts: "nothing" is not skipped; take it off the list',
    ]);
  });
});

test("a scenario of an extension has to run once, at any revision", () => {
  expect(missing([scenario("an-extension")], [outcome("an-extension")])).toEqual([]);
});

test("of what a revision requires, the scenarios that held are counted", () => {
  const outcomes = [
    outcome("ping", check("a", "SUCCESS")),
    outcome("tools-list", check("a", "FAILURE")),
    outcome("unscored", check("a", "SUCCESS")),
  ];
  const { cells } = judge([], outcomes);

  expect(requiredStanding(cells, "server", revision, ["ping", "tools-list"])).toEqual({
    leg: "server",
    revision,
    required: 2,
    passed: 1,
  });
});
