/** What every Dispatcher promises, whatever lies underneath. Run by dispatcher.test.ts over each implementation. */
import { describe } from "vitest";
import { batchContract } from "./contract/batch-contract.js";
import { cancellationContract } from "./contract/cancellation-contract.js";
import { closingContract } from "./contract/closing-contract.js";
import type { Connect } from "./contract/connection.fixture.js";
import { contextContract } from "./contract/context-contract.js";
import { progressContract } from "./contract/progress-contract.js";
import { requestContract } from "./contract/request-contract.js";
import { timeoutContract } from "./contract/timeout-contract.js";

export function dispatcherContract(connect: Connect): void {
  describe("requests", () => requestContract(connect));
  describe("timeouts", () => timeoutContract(connect));
  describe("cancellation", () => cancellationContract(connect));
  describe("progress", () => progressContract(connect));
  describe("contexts", () => contextContract(connect));
  describe("closing", () => closingContract(connect));
  describe("batches", () => batchContract(connect));
}
