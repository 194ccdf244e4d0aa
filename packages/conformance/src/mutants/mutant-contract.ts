/** What holds for every mutant: its check turns red on it, and few others do. */
import { REVISIONS } from "parley-requirements";
import { expect, test } from "vitest";
import { allChecks } from "../checks/index.js";
import { appliesTo, type Check } from "../judge/check.js";
import type { Mutant } from "./fault-makers.fixture.js";
import { runScripted } from "./run-scripted.fixture.js";

const CHECKS = new Map(allChecks().map((check) => [check.id, check]));

/** More checks than this that see one fault are too much alike. */
const MAX_ALSO = 7;

function cellOf(mutant: Mutant, check: Check) {
  const kind = mutant.kind ?? check.over ?? "http";
  const spoken = mutant.setup?.revisions ?? REVISIONS;
  const revision = mutant.revision ?? spoken.findLast((candidate) => appliesTo(check, candidate, kind));
  return { kind, revisions: revision === undefined ? [] : [revision] };
}

export function testMutants(mutants: readonly Mutant[]): void {
  test.each(mutants.map((mutant) => [mutant.check, mutant] as const))(
    "a server with the fault of %s fails it",
    async (id, mutant) => {
      const check = CHECKS.get(id);
      if (!check) throw new Error(`There is no check ${id}`);

      const { setup = {}, also = [] } = mutant;
      const { findings } = await runScripted({ fault: mutant, setup, ...cellOf(mutant, check) });
      const red = findings.filter(({ outcome }) => outcome === "failed").map(({ check: failed }) => failed);

      expect(red).toContain(id);
      expect(red.filter((failed) => failed !== id && !also.includes(failed))).toEqual([]);
      expect(also.length).toBeLessThanOrEqual(MAX_ALSO);
    },
  );
}
