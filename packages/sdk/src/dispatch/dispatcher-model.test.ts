import fc from "fast-check";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { connectInProcess, connectJsonRpc } from "./contract/connection.fixture.js";
import { DispatcherModel } from "./contract/dispatcher-model.fixture.js";
import { story } from "./contract/model-operations.fixture.js";

const RUNS = 200;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe.each([
  ["JsonRpcDispatcher", connectJsonRpc, true],
  ["DirectDispatcher", connectInProcess, false],
])("%s", (_name, connect, sendsBatches) => {
  it("loses, doubles and crosses nothing, whatever happens in which order, and leaves nothing alive", async () => {
    const plays = fc.asyncProperty(story, (drawn) => DispatcherModel.play(connect, sendsBatches, drawn));
    await fc.assert(plays, { numRuns: RUNS });
  }, 60_000);
});
