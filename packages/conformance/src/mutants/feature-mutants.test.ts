import { FEATURE_MUTANTS } from "./feature-mutants.fixture.js";
import { testMutants } from "./mutant-contract.js";

testMutants(FEATURE_MUTANTS);
