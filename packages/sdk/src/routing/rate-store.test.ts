import { expect, it } from "vitest";
import { InMemoryRateStore } from "./rate-store.js";
import { rateStoreContract } from "./rate-store-contract.js";

rateStoreContract(async (options) => new InMemoryRateStore(options));

it("counts with the clock of the process by default", async () => {
  const store = new InMemoryRateStore();
  const rate = { perSecond: 0.001, burst: 1 };

  expect(await store.take("a", rate, 1)).toEqual({ calls: 1, retryAfterMs: 0 });
  expect(await store.take("a", rate, 1)).toMatchObject({ calls: 0 });
});

it("refuses 0 as maxBuckets", () => {
  expect(() => new InMemoryRateStore({ maxBuckets: 0 })).toThrow("maxBuckets: expected a number from 1, got 0");
});
