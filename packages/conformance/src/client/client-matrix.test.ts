/** Every check of clients passes for a client without faults, and turns red for the one with its fault. */
import type { Revision } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { requirementOf } from "../judge/check.js";
import { CLIENT_AREAS, CLIENT_CHECKS, CLIENT_SCENARIOS } from "./areas/index.js";
import { type ClientTrial, concerns, runScenario } from "./client-runner.js";
import type { Scenario } from "./scenario.js";
import type { ClientFault } from "./scripted/client-fault.fixture.js";
import { CLIENT_FAULTS } from "./scripted/client-faults.fixture.js";
import { ScriptedClient } from "./scripted/scripted-client.fixture.js";

/** Scenarios in which a client must wait in vain. */
const UNANSWERING = ["stdio-probe-silent", "stdio-stubborn"];

async function runScripted(scenario: Scenario, revision: Revision, fault: ClientFault) {
  const checks = CLIENT_AREAS.flatMap(({ area, checks: all }) => all.map((check) => ({ check, area }))).filter(
    ({ check }) => check.scenario === scenario.name && concerns(check, revision),
  );
  let nowMs = 0;
  const wait = (ms: number) => {
    nowMs += ms;
  };
  const patienceMs = UNANSWERING.includes(scenario.name) ? 50 : 10_000;
  const run = async ({ server, told }: ClientTrial) => {
    await new ScriptedClient(server, fault, { wait, patienceMs, told }).run().catch(() => undefined);
    return "done";
  };
  return (await runScenario({ scenario, revision, checks }, { run, clock: () => nowMs })).findings;
}

const cells = CLIENT_SCENARIOS.flatMap((scenario) =>
  scenario.revisions.map((revision) => [scenario.name, revision, scenario] as const),
);

test.concurrent.each(cells)("a client without faults passes %s in %s", async (_name, revision, scenario) => {
  const findings = await runScripted(scenario, revision, {});

  const odd = findings.filter(({ outcome }) => outcome !== "passed");
  expect(odd.map(({ check, expected, got, reason }) => `${check}: ${reason ?? `${expected} but ${got}`}`)).toEqual([]);
});

test("every check names a requirement of the manifest, a scenario, and has a fault", () => {
  const names = CLIENT_SCENARIOS.map(({ name }) => name);

  expect(CLIENT_CHECKS.map((check) => requirementOf(check).strength)).not.toContain(undefined);
  expect(CLIENT_CHECKS.filter(({ scenario }) => !names.includes(scenario))).toEqual([]);
  expect(CLIENT_CHECKS.map(({ id }) => id).filter((id) => !(id in CLIENT_FAULTS))).toEqual([]);
  expect(new Set(CLIENT_CHECKS.map(({ id }) => id)).size).toBe(CLIENT_CHECKS.length);
});

/** More checks than this that see one fault are too much alike. */
const MAX_ALSO = 5;

describe("a client with one fault", () => {
  test.concurrent.each(CLIENT_CHECKS.map((check) => [check.id, check] as const))("fails %s", async (id, check) => {
    const scenario = CLIENT_SCENARIOS.find(({ name }) => name === check.scenario);
    const revision = scenario?.revisions.findLast((candidate) => concerns(check, candidate));
    const fault = CLIENT_FAULTS[id];
    if (!scenario || !revision || !fault) throw new Error(`${id} has no scenario, revision or fault`);

    const findings = await runScripted(scenario, revision, fault);
    const red = findings.filter(({ outcome }) => outcome === "failed").map((finding) => finding.check);

    expect(red).toContain(id);
    expect(red.filter((other) => other !== id && !fault.also?.includes(other))).toEqual([]);
    expect(fault.also?.length ?? 0).toBeLessThanOrEqual(MAX_ALSO);
  });
});
