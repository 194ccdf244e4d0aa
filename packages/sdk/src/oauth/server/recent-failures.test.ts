import { expect, it } from "vitest";
import { RecentFailures } from "./recent-failures.js";

it("forgets half of the failures in ten minutes, and none if the clock is set back", () => {
  let now = 31_536_000_000;
  const failures = new RecentFailures(() => now);
  for (let count = 0; count < 8; count++) failures.add("192.0.2");
  expect([failures.count("192.0.2"), failures.count("198.51.100")]).toEqual([8, 0]);
  now += 600_000;
  expect(failures.count("192.0.2")).toBe(4);
  now += 1_800_000;
  expect(failures.count("192.0.2")).toBe(0);
  failures.add("192.0.2");
  now = 0;
  expect(failures.count("192.0.2")).toBeGreaterThanOrEqual(1);
});

it("remembers the last 10,000 networks, by 64 characters of each", () => {
  const failures = new RecentFailures(() => 0);
  const long = "x".repeat(64);
  failures.add(`${long}1`);
  expect(failures.count(`${long}2`)).toBe(1);
  for (let index = 0; index < 10_000; index++) failures.add(`${index}`);
  expect([failures.count(long), failures.count("0")]).toEqual([0, 1]);
});
