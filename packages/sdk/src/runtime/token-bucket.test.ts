import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.js";

describe("a token bucket", () => {
  test("grants its burst at once, and says how long the next one takes", () => {
    const bucket = new TokenBucket({ perSecond: 2, burst: 3 }, 1_000);
    expect([1, 2, 3, 4].map(() => bucket.take(1_000))).toEqual([0, 0, 0, 500]);
    expect(bucket.take(1_250)).toBe(250);
    expect(bucket.take(1_500)).toBe(0);
    expect(bucket.take(1_500)).toBe(500);
  });

  test("never holds more than its burst", () => {
    const bucket = new TokenBucket({ perSecond: 1_000, burst: 2 }, 0);
    expect([1, 2, 3].map(() => bucket.take(3_600_000))).toEqual([0, 0, 1]);
  });

  test("grants no more than its burst and what the time put back, however it is asked", () => {
    const rate = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(rate, fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 100 }), (given, pauses) => {
        const bucket = new TokenBucket(given, 0);
        let nowMs = 0;
        let granted = 0;
        for (const pause of pauses) {
          nowMs += pause;
          if (bucket.take(nowMs) === 0) granted += 1;
          // Sums of fractions round.
          expect(granted).toBeLessThanOrEqual(given.burst + (nowMs * given.perSecond) / 1_000 + 1e-6);
        }
      }),
    );
  });

  test("gives out a few tokens without the time while there are plenty", () => {
    const bucket = new TokenBucket({ perSecond: 1, burst: 100 }, 0);
    const untimed = () => Array.from({ length: 100 }).filter(() => bucket.takeUntimed()).length;
    expect(untimed()).toBe(16);
    expect(bucket.take(0)).toBe(0);
    expect(untimed()).toBe(16);
    expect(bucket.take(0)).toBe(0);
    // 66 are left: 64 is plenty, 63 is not.
    expect(untimed()).toBe(3);
    expect(bucket.take(0)).toBe(0);
    expect(untimed()).toBe(0);
    expect(Array.from({ length: 100 }).filter(() => bucket.take(0) === 0).length).toBe(62);
  });

  test("with and without the time grants no more than 16 beyond its burst and what the time put back", () => {
    const rate = fc.record({ perSecond: fc.integer({ min: 1, max: 500 }), burst: fc.integer({ min: 50, max: 200 }) });
    const call = fc.record({ pause: fc.integer({ min: 0, max: 400 }), calls: fc.integer({ min: 1, max: 300 }) });
    fc.assert(
      fc.property(rate, fc.array(call, { maxLength: 20 }), (given, sequence) => {
        const bucket = new TokenBucket(given, 0);
        let nowMs = 0;
        let granted = 0;
        for (const { pause, calls } of sequence) {
          nowMs += pause;
          for (let count = 0; count < calls; count += 1) {
            if (bucket.takeUntimed() || bucket.take(nowMs) === 0) granted += 1;
          }
          expect(granted).toBeLessThanOrEqual(given.burst + (nowMs * given.perSecond) / 1_000 + 16 + 1e-6);
        }
      }),
    );
  });

  test("keeps its tokens if the clock is set back", () => {
    const bucket = new TokenBucket({ perSecond: 1, burst: 2 }, 31_536_000_000);
    expect(bucket.take(31_536_000_000)).toBe(0);
    expect(bucket.take(0)).toBe(0);
    expect(bucket.take(0)).toBe(1_000);
    expect(bucket.take(1_000)).toBe(0);
  });

  test("grants a token once the time that it named has passed", () => {
    const rate = fc.record({ perSecond: fc.integer({ min: 1, max: 999 }), burst: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(rate, (given) => {
        const bucket = new TokenBucket(given, 0);
        for (let taken = 0; taken < given.burst; taken += 1) bucket.take(0);
        const waitMs = bucket.take(0);
        expect(bucket.take(waitMs)).toBe(0);
      }),
    );
  });
});
