import { ASKING_MUTANTS } from "./asking-mutants.fixture.js";
import { testMutants } from "./mutant-contract.js";

testMutants(ASKING_MUTANTS);
