import { MODERN_MUTANTS } from "./modern-mutants.fixture.js";
import { testMutants } from "./mutant-contract.js";

testMutants(MODERN_MUTANTS);
