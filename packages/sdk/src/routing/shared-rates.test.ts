import { afterEach, describe, expect, it, vi } from "vitest";
import type { RateLimit } from "../runtime/token-bucket.js";
import { UNKNOWN_ADDRESS } from "../transport/caller.js";
import { RateLimits } from "./rate-limits.js";
import { InMemoryRateStore, type RateGrant, type RateStore } from "./rate-store.js";
import { SharedRates } from "./shared-rates.js";

const ANN = { principal: "ann" };

/** A store that counts questions, and can fail or hang. */
class TestStore implements RateStore {
  readonly asked: { readonly key: string; readonly count: number }[] = [];
  state: "works" | "fails" | "hangs" = "works";
  readonly #store: RateStore;

  constructor(now: () => number) {
    this.#store = new InMemoryRateStore({ now });
  }

  async take(key: string, rate: RateLimit, count: number): Promise<RateGrant> {
    this.asked.push({ key, count });
    if (this.state === "fails") throw new Error("away");
    if (this.state === "hangs") return new Promise(() => undefined);
    return this.#store.take(key, rate, count);
  }
}

/** One clock, one store, and processes that share them. */
function setUp(rate: RateLimit, processes = 1) {
  const clock = { ms: 0 };
  const now = () => clock.ms;
  const store = new TestStore(now);
  const reported: Error[] = [];
  const report = (error: Error) => void reported.push(error);
  const rates = Array.from({ length: processes }, () => {
    const shared = new SharedRates(store, report, now);
    return new RateLimits({ work: rate }, {}, { shared, now });
  });
  /** Makes calls one after the other, at the processes in turn. Resolves with the number of those that are served. */
  const call = async (count: number, caller: { principal?: string; address?: string } = ANN) => {
    let served = 0;
    for (let index = 0; index < count; index += 1) {
      if (await isServed(async () => rates[index % processes]?.count("work", caller, clock))) served += 1;
    }
    return served;
  };
  return { clock, store, reported, rates: rates as [RateLimits, ...RateLimits[]], call };
}

function isServed(count: () => Promise<void> | undefined): Promise<boolean> {
  return Promise.resolve(count()).then(
    () => true,
    () => false,
  );
}

afterEach(() => void vi.useRealTimers());

describe("rates in a store", () => {
  it("allow the burst to all processes together, and then the rate", async () => {
    const { call, clock } = setUp({ perSecond: 1, burst: 5 }, 3);

    expect(await call(30)).toBe(5);
    clock.ms += 2_000;
    expect(await call(30)).toBe(2);
    clock.ms += 100_000;
    expect(await call(30)).toBe(5);
  });

  it("never allow more than the burst and the rate, whatever the processes do", async () => {
    const { call, clock } = setUp({ perSecond: 10, burst: 100 }, 4);
    let served = 0;
    for (let turn = 0; turn < 50; turn += 1) {
      served += await call(turn);
      expect(served).toBeLessThanOrEqual(100 + clock.ms / 100);
      clock.ms += 313;
    }
    // Each process may hold a share that it has not used.
    expect(served).toBeGreaterThan(100 + (clock.ms - 313) / 100 - 4 * 10);
  });

  it("ask the store once for each tenth of the burst, and answer the other calls at once", async () => {
    const { store, rates, call } = setUp({ perSecond: 1, burst: 1_000 });
    await call(1);

    for (let index = 1; index < 100; index += 1) expect(rates[0].count("work", ANN, {})).toBe(undefined);
    expect(store.asked).toEqual([{ key: expect.any(String), count: 100 }]);
    expect(rates[0].count("work", ANN, {})).toBeInstanceOf(Promise);
  });

  it("refuse without asking until the time that the store has named", async () => {
    const { store, rates, clock, call } = setUp({ perSecond: 4, burst: 1 });
    await call(2);
    const asked = store.asked.length;
    const refused = { code: 429, data: { limit: "principal", retryAfterMs: 250 } };

    expect(() => rates[0].count("work", ANN, {})).toThrow(expect.objectContaining(refused));
    clock.ms = 249.5;
    expect(() => rates[0].count("work", ANN, {})).toThrow(
      expect.objectContaining({ data: { limit: "principal", retryAfterMs: 1 } }),
    );
    expect(store.asked.length).toBe(asked);
    clock.ms = 250;
    expect(await call(2)).toBe(1);
  });

  it("reject a call with the same error that a process throws by itself", async () => {
    const { rates, call } = setUp({ perSecond: 4, burst: 1 });
    await call(1, { address: "192.0.2.1" });

    await expect(rates[0].count("work", { address: "192.0.2.1" }, {})).rejects.toMatchObject({
      code: 429,
      message: "Too many requests for work: this address may send 4 per second, 1 at once; try again later",
      data: { limit: "address", retryAfterMs: 250 },
    });
  });

  it("refuse the calls that wait beyond those that the store grants, with the time until the next one", async () => {
    const { store, rates } = setUp({ perSecond: 0.001, burst: 60 });
    const calls = Array.from({ length: 100 }, async () => rates[0].count("work", ANN, {}));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.filter(({ status }) => status === "rejected");

    expect(refused).toHaveLength(40);
    const reason = { code: 429, data: { limit: "principal", retryAfterMs: 1_000_000 } };
    expect(refused).toMatchObject(refused.map(() => ({ reason })));
    expect(store.asked.map(({ count }) => count)).toEqual([6, 94]);
  });

  it("count methods, principals, addresses and unknown addresses apart, and connections in their process", async () => {
    const { store, call } = setUp({ perSecond: 0.001, burst: 1 }, 2);
    const callers = [{ principal: "a" }, { principal: "b" }, { address: "a" }, { address: UNKNOWN_ADDRESS }];

    for (const caller of callers) expect(await call(4, caller)).toBe(1);
    expect(new Set(store.asked.map(({ key }) => key)).size).toBe(4);
    const asked = store.asked.length;
    expect(await call(4, {})).toBe(2);
    expect(store.asked.length).toBe(asked);
  });
});

describe("while the store of rates fails", () => {
  it("each process counts by itself, and reports it once", async () => {
    const { store, reported, call } = setUp({ perSecond: 0.001, burst: 3 }, 2);
    store.state = "fails";

    expect(await call(20)).toBe(6);
    expect(reported).toEqual([
      expect.objectContaining({ code: "handler-failed", message: expect.stringContaining("The rate store failed") }),
      expect.objectContaining({ code: "handler-failed" }),
    ]);
    expect(reported[0]?.cause).toEqual(new Error("away"));
  });

  it("no call waits, and the store is asked once per second", async () => {
    const { store, rates, reported, clock, call } = setUp({ perSecond: 0.001, burst: 100 });
    store.state = "fails";
    await call(1);
    clock.ms += 1_000;
    await call(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reported).toHaveLength(1);
    store.state = "hangs";
    for (let second = 0; second < 3; second += 1) {
      clock.ms += 1_000;
      for (let index = 0; index < 10; index += 1) expect(rates[0].count("work", ANN, {})).toBe(undefined);
      for (const principal of ["ben", "eve"]) expect(rates[0].count("work", { principal }, {})).toBe(undefined);
    }

    expect(store.asked.length).toBe(3);
  });

  it("calls that were granted before are served, and calls that were refused are refused", async () => {
    const { store, call, clock } = setUp({ perSecond: 1, burst: 20 });
    await call(1);
    expect(await call(20, { principal: "ben" })).toBe(20);
    expect(await call(1, { principal: "ben" })).toBe(0);
    store.state = "fails";
    await call(1, { principal: "eve" });

    expect(await call(100)).toBe(1 + 20);
    expect(await call(1, { principal: "ben" })).toBe(0);
    clock.ms += 1_000;
    expect(await call(100, { principal: "ben" })).toBe(20);
  });

  it("processes count together again once it answers, and the next failure is reported", async () => {
    const { store, reported, clock, call } = setUp({ perSecond: 0.001, burst: 4 }, 2);
    store.state = "fails";
    await call(20);
    store.state = "works";
    clock.ms += 1_000;
    // The calls that find out.
    await call(2, { principal: "ben" });

    expect(await call(20, { principal: "eve" })).toBe(4);
    expect(reported).toHaveLength(2);
    store.state = "fails";
    await call(2, { principal: "pat" });
    expect(reported).toHaveLength(4);
  });

  it("a call waits a second for a store that hangs", async () => {
    vi.useFakeTimers();
    const { store, reported, rates } = setUp({ perSecond: 0.001, burst: 2 });
    store.state = "hangs";
    const calls = [0, 1, 2].map(() => isServed(() => rates[0].count("work", ANN, {})));

    await vi.advanceTimersByTimeAsync(999);
    expect(reported).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(calls)).toEqual([true, true, false]);
    expect(reported).toHaveLength(1);
    expect(reported[0]?.cause).toMatchObject({ code: "request-timeout" });
  });

  it.each([
    { calls: 0.5, retryAfterMs: 0 },
    { calls: -1, retryAfterMs: 0 },
    { calls: 2, retryAfterMs: 0 },
    { calls: Number.NaN, retryAfterMs: 0 },
    { calls: 0, retryAfterMs: Number.NaN },
    undefined as never,
  ])("an answer of %j is a failure", async (answer) => {
    const reported: Error[] = [];
    const report = (error: Error) => void reported.push(error);
    const rates = new RateLimits(
      { work: { perSecond: 0.001, burst: 1 } },
      {},
      { shared: new SharedRates({ take: async () => answer }, report) },
    );

    expect(await isServed(() => rates.count("work", ANN, {}))).toBe(true);
    expect(await isServed(async () => rates.count("work", ANN, {}))).toBe(false);
    expect(reported).toHaveLength(1);
  });

  it("a refusal without a time holds for a millisecond", async () => {
    const rates = new RateLimits(
      { work: { perSecond: 1, burst: 1 } },
      {},
      {
        shared: new SharedRates(
          { take: async () => ({ calls: 0, retryAfterMs: 0 }) },
          () => undefined,
          () => 0,
        ),
        now: () => 0,
      },
    );

    await expect(rates.count("work", ANN, {})).rejects.toMatchObject({ data: { retryAfterMs: 1 } });
  });

  it("an answer from before the failure does not end it", async () => {
    const { store, reported, rates, call } = setUp({ perSecond: 0.001, burst: 1 });
    const early = isServed(() => rates[0].count("work", ANN, {}));
    store.state = "fails";
    await call(1, { principal: "ben" });
    await early;
    await call(1, { principal: "eve" });

    expect(store.asked).toHaveLength(2);
    expect(reported).toHaveLength(1);
  });
});
