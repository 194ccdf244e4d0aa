/** The contract suite of `RateStore`. */
import { describe, expect, it } from "vitest";
import type { InMemoryRateStoreOptions, RateStore } from "./rate-store.js";

const RATE = { perSecond: 2, burst: 5 };

export function rateStoreContract(open: (options: InMemoryRateStoreOptions) => Promise<RateStore>): void {
  describe("a store of rates", () => {
    it("gives out a full bucket, then tells the time until the next call", async () => {
      const store = await open({ now: () => 1_000 });
      expect(await store.take("a", RATE, 3)).toEqual({ calls: 3, retryAfterMs: 0 });
      expect(await store.take("a", RATE, 3)).toEqual({ calls: 2, retryAfterMs: 500 });
      expect(await store.take("a", RATE, 3)).toEqual({ calls: 0, retryAfterMs: 500 });
    });

    it("gives out calls as they come back, and no more than the burst after a long pause", async () => {
      let now = 1_000;
      const store = await open({ now: () => now });
      await store.take("a", RATE, 5);
      now += 499;
      expect(await store.take("a", RATE, 5)).toEqual({ calls: 0, retryAfterMs: 1 });
      now += 1;
      expect(await store.take("a", RATE, 1)).toEqual({ calls: 1, retryAfterMs: 0 });
      now += 1_250;
      expect(await store.take("a", RATE, 5)).toEqual({ calls: 2, retryAfterMs: 250 });
      now += 250;
      expect(await store.take("a", RATE, 5)).toEqual({ calls: 1, retryAfterMs: 500 });
      now += 1_000_000;
      expect(await store.take("a", RATE, 9)).toEqual({ calls: 5, retryAfterMs: 500 });
    });

    it("counts each key by itself, whatever its characters", async () => {
      const store = await open({ now: () => 1_000 });
      const keys = ["a", "A", "a b", "a\nb", "ä😀", "", "x".repeat(10_000)];
      for (const key of keys) expect(await store.take(key, RATE, 9)).toMatchObject({ calls: 5 });
      for (const key of keys) expect(await store.take(key, RATE, 9)).toMatchObject({ calls: 0 });
    });

    it("gives out no more than the burst to many that ask together", async () => {
      const store = await open({ now: () => 1_000 });
      const grants = await Promise.all(Array.from({ length: 10 }, () => store.take("a", RATE, 2)));
      expect(grants.reduce((sum, { calls }) => sum + calls, 0)).toBe(5);
    });

    it("takes nothing back when the clock is set back", async () => {
      let now = 10_000;
      const store = await open({ now: () => now });
      await store.take("a", RATE, 3);
      now = 5_000;
      expect(await store.take("a", RATE, 2)).toEqual({ calls: 2, retryAfterMs: 0 });
      now = 5_500;
      expect(await store.take("a", RATE, 3)).toEqual({ calls: 1, retryAfterMs: 500 });
    });

    it("counts rates of a call in years, and of a million calls per second", async () => {
      let now = 1_000;
      const store = await open({ now: () => now });
      const years = { perSecond: 1e-9, burst: 1 };
      expect(await store.take("years", years, 1)).toEqual({ calls: 1, retryAfterMs: 0 });
      expect((await store.take("years", years, 1)).retryAfterMs).toBeGreaterThan(900_000_000_000);
      const million = { perSecond: 1e6, burst: 1e6 };
      expect(await store.take("million", million, 1e9)).toEqual({ calls: 1e6, retryAfterMs: 1 });
      now += 1;
      expect(await store.take("million", million, 1e9)).toEqual({ calls: 1_000, retryAfterMs: 1 });
    });

    it("gives out calls of a burst that no integer holds", async () => {
      const store = await open({ now: () => 1_000 });
      const { calls } = await store.take("a", { perSecond: 1, burst: Number.MAX_VALUE }, 1e300);
      expect(calls).toBeGreaterThanOrEqual(1e9);
      expect(calls).toBeLessThanOrEqual(1e300);
    });

    it("makes room beyond its limit, and keeps the bucket that was used last", async () => {
      let now = 1_000;
      const store = await open({ maxBuckets: 2, now: () => now });
      for (const key of ["a", "b", "c"]) {
        await store.take(key, RATE, 5);
        now += 1;
      }
      expect(await store.take("c", RATE, 5)).toMatchObject({ calls: 0 });
      expect(await store.take("a", RATE, 5)).toMatchObject({ calls: 5 });
    });
  });
}
