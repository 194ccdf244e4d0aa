/** The judge is judged: each check turns red on a server with its fault, and each fault turns few other checks red. */
import { REVISIONS } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { allChecks } from "../checks/index.js";
import { appliesTo, type Check } from "../judge/check.js";
import type { Mutant } from "./fault-makers.fixture.js";
import { FEATURE_MUTANTS } from "./feature-mutants.fixture.js";
import { MODERN_MUTANTS } from "./modern-mutants.fixture.js";
import { PROTOCOL_MUTANTS } from "./protocol-mutants.fixture.js";
import { runScripted } from "./run-scripted.fixture.js";
import { TRANSPORT_MUTANTS } from "./transport-mutants.fixture.js";

const MUTANTS: readonly Mutant[] = [...MODERN_MUTANTS, ...TRANSPORT_MUTANTS, ...PROTOCOL_MUTANTS, ...FEATURE_MUTANTS];

const CHECKS = new Map(allChecks().map((check) => [check.id, check]));

function cellOf(mutant: Mutant, check: Check) {
  const kind = mutant.kind ?? check.over ?? "http";
  const spoken = mutant.setup?.revisions ?? REVISIONS;
  const revision = mutant.revision ?? spoken.findLast((candidate) => appliesTo(check, candidate, kind));
  return { kind, revisions: revision === undefined ? [] : [revision] };
}

test("every check has a mutant", () => {
  const killed = new Set(MUTANTS.map(({ check }) => check));

  expect([...CHECKS.keys()].filter((id) => !killed.has(id))).toEqual([]);
});

describe("a server with one fault", () => {
  test.each(MUTANTS.map((mutant) => [mutant.check, mutant] as const))("fails %s", async (id, mutant) => {
    const check = CHECKS.get(id);
    if (!check) throw new Error(`There is no check ${id}`);

    const { setup = {}, also = [] } = mutant;
    const { findings } = await runScripted({ fault: mutant, setup, ...cellOf(mutant, check) });
    const red = findings.filter(({ outcome }) => outcome === "failed").map(({ check: failed }) => failed);

    expect(red).toContain(id);
    expect(red.filter((failed) => failed !== id && !also.includes(failed))).toEqual([]);
  });
});
