import { expect, test } from "vitest";
import { type RateLimitOptions, RateLimits } from "./rate-limits.js";

const ONCE = { perSecond: 0.001, burst: 1 };

function limited(options: RateLimitOptions, defaults = {}) {
  const rates = new RateLimits(options, defaults, { now: () => 0 });
  const connection = {};
  const isServed = (caller?: { principal?: string; address?: string }, of: object = connection) => {
    try {
      void rates.count("work", caller, of);
      return true;
    } catch {
      return false;
    }
  };
  return { rates, isServed };
}

test("counts principals, addresses and connections apart, even if they have the same name", () => {
  const { isServed } = limited({ work: ONCE });
  const [one, other] = [{}, {}];
  const callers = [{ principal: "a" }, { principal: "b" }, { address: "a" }, { address: "b" }];

  expect(callers.map((caller) => isServed(caller))).toEqual([true, true, true, true]);
  expect(callers.map((caller) => isServed(caller))).toEqual([false, false, false, false]);
  expect([one, other, one, other].map((of) => isServed(undefined, of))).toEqual([true, true, false, false]);
});

test("a principal counts as itself wherever it connects from", () => {
  const { isServed } = limited({ work: ONCE });

  expect(isServed({ principal: "a", address: "x" })).toBe(true);
  expect(isServed({ principal: "a", address: "y" })).toBe(false);
  expect(isServed({ principal: "b", address: "x" })).toBe(true);
});

test("an option that is undefined leaves the default as it is", () => {
  const { isServed } = limited({ work: undefined }, { work: ONCE });

  expect([isServed(), isServed()]).toEqual([true, false]);
});

test("a client that calls on is remembered beyond 10,000 others, and one that is idle is forgotten", () => {
  const { isServed } = limited({ work: { perSecond: 0.000_001, burst: 1 } });
  isServed({ principal: "busy" });
  isServed({ principal: "idle" });
  for (let other = 0; other < 9_998; other += 1) isServed({ principal: `${other}` });

  expect(isServed({ principal: "busy" })).toBe(false);
  isServed({ principal: "newcomer" });
  expect(isServed({ principal: "busy" })).toBe(false);
  expect(isServed({ principal: "idle" })).toBe(true);
});

test("a client with plenty of calls left is served without the time, and refused at its burst", () => {
  const { isServed } = limited({ work: { perSecond: 0.001, burst: 100 } });

  for (const caller of [undefined, { principal: "a" }, { address: "a" }]) {
    expect(Array.from({ length: 110 }).filter(() => isServed(caller)).length).toBe(100);
  }
});

test("tells the level, the rate and the time to wait", () => {
  const { rates } = limited({ work: { perSecond: 4, burst: 1 } });
  void rates.count("work", { address: "192.0.2.1" }, {});

  expect(() => rates.count("work", { address: "192.0.2.1" }, {})).toThrow(
    expect.objectContaining({
      code: 429,
      message: "Too many requests for work: this address may send 4 per second, 1 at once; try again later",
      data: { limit: "address", retryAfterMs: 250 },
    }),
  );
});

test.each([
  { perSecond: 0, burst: 1 },
  { perSecond: 1, burst: 0 },
  { perSecond: Number.NaN, burst: 1 },
])("refuses the rate %j", (rate) => {
  expect(() => limited({ work: rate })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining('rateLimits["work"]') }),
  );
});
