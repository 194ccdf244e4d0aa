import { testMutants } from "./mutant-contract.js";
import { PROTOCOL_MUTANTS } from "./protocol-mutants.fixture.js";

testMutants(PROTOCOL_MUTANTS);
