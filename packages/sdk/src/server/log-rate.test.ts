import { expect, it } from "vitest";
import { LogRate } from "./log-rate.js";

it("admits so many messages per second, and counts the rest once", () => {
  let now = 5_000;
  const rate = new LogRate(2, () => now);
  const admitted = () => [rate.admit(), rate.admit(), rate.admit()];

  expect(admitted()).toEqual([true, true, false]);
  now += 999;
  expect(rate.admit()).toBe(false);
  now += 1;
  expect(admitted()).toEqual([true, true, false]);
  expect([rate.takeDropped(), rate.takeDropped()]).toEqual([3, 0]);
});

it("goes on after the clock was set back", () => {
  let now = 100_000;
  const rate = new LogRate(1, () => now);
  expect([rate.admit(), rate.admit()]).toEqual([true, false]);
  now = 0;
  expect(rate.admit()).toBe(true);
});

it("admits everything without a limit", () => {
  const rate = new LogRate(Number.POSITIVE_INFINITY);
  expect(Array.from({ length: 1_000 }, () => rate.admit())).not.toContain(false);
});
