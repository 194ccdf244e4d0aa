import { expect, it } from "vitest";
import { backoffMs } from "./backoff.js";

const LIMITS = { initialDelayMs: 100, maxDelayMs: 350 };

it("doubles up to the longest delay", () => {
  const delays = [0, 1, 2, 90].map((attempt) => backoffMs(attempt, { ...LIMITS, random: () => 0 }));
  expect(delays).toEqual([100, 200, 350, 350]);
});

it("adds at most a quarter at random, and never less than nothing", () => {
  expect(backoffMs(0, { ...LIMITS, random: () => 1 })).toBe(125);
  const delays = new Set(Array.from({ length: 50 }, () => backoffMs(0, LIMITS)));
  expect(delays.size).toBeGreaterThan(1);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(100);
});
