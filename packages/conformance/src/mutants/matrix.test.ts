import { expect, test } from "vitest";
import { allChecks } from "../checks/index.js";
import { ASKING_MUTANTS } from "./asking-mutants.fixture.js";
import { FEATURE_MUTANTS } from "./feature-mutants.fixture.js";
import { MODERN_MUTANTS } from "./modern-mutants.fixture.js";
import { PROTOCOL_MUTANTS } from "./protocol-mutants.fixture.js";
import { SKILL_MUTANTS } from "./skill-mutants.fixture.js";
import { TRANSPORT_MUTANTS } from "./transport-mutants.fixture.js";

test("every check has a mutant", () => {
  const mutants = [
    ...MODERN_MUTANTS,
    ...TRANSPORT_MUTANTS,
    ...PROTOCOL_MUTANTS,
    ...FEATURE_MUTANTS,
    ...ASKING_MUTANTS,
    ...SKILL_MUTANTS,
  ];
  const killed = new Set(mutants.map(({ check }) => check));

  expect(allChecks().filter(({ id }) => !killed.has(id))).toEqual([]);
});
