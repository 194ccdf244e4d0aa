import { testMutants } from "./mutant-contract.js";
import { TRANSPORT_MUTANTS } from "./transport-mutants.fixture.js";

testMutants(TRANSPORT_MUTANTS);
