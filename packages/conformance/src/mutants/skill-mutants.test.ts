import { testMutants } from "./mutant-contract.js";
import { SKILL_MUTANTS } from "./skill-mutants.fixture.js";

testMutants(SKILL_MUTANTS);
