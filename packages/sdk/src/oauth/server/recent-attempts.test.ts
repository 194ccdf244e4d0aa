import { expect, it } from "vitest";
import { RecentAttempts } from "./recent-attempts.js";

it("counts the attempts of an address and of its networks", () => {
  const attempts = new RecentAttempts(() => 0);
  expect(attempts.add("192.0.2.1")).toEqual([0, 0, 0]);
  expect(attempts.add("192.0.2.2")).toEqual([1, 0, 0]);
  expect(attempts.add("192.0.2.1")).toEqual([2, 1, 1]);
  expect(attempts.add("198.51.100.1")).toEqual([0, 0, 0]);
});

it("takes an attempt back, and none that was not counted", () => {
  const attempts = new RecentAttempts(() => 0);
  attempts.forgive("192.0.2.1");
  for (const count of [0, 1]) {
    expect(attempts.add("192.0.2.1")).toEqual([count, count, count]);
    expect(attempts.add("192.0.2.1")).toEqual([count + 1, count + 1, count + 1]);
    attempts.forgive("192.0.2.1");
  }
});

it("forgets half of the attempts in an hour, a single one after it, and none if the clock is set back", () => {
  let now = 31_536_000_000;
  const attempts = new RecentAttempts(() => now);
  for (let count = 0; count < 8; count++) attempts.add("192.0.2.1");
  now += 3_600_000;
  expect(attempts.add("192.0.2.1")[0]).toBe(4);
  attempts.forgive("192.0.2.1");
  now += 3 * 3_600_000;
  expect(attempts.add("192.0.2.1")[0]).toBe(0);
  now = 0;
  expect(attempts.add("192.0.2.1")[0]).toBeGreaterThanOrEqual(1);
});

it("remembers the last 10,000 networks of each width, by 64 characters of each", () => {
  const attempts = new RecentAttempts(() => 0);
  const long = "x".repeat(64);
  attempts.add(`${long}1`);
  expect(attempts.add(`${long}2`)).toEqual([1, 1, 1]);
  for (let index = 0; index < 10_000; index++) attempts.add(`10.${index >> 8}.${index & 255}.1`);
  expect(attempts.add(long)).toEqual([0, 0, 0]);
  expect(attempts.add("10.0.2.1")).toEqual([1, 1, 1]);
});

it("remembers a network while another one tries from 10,000 addresses", () => {
  const attempts = new RecentAttempts(() => 0);
  attempts.add("2001:db8::1");
  for (let index = 0; index < 10_000; index++) attempts.add(`2001:db9:${index.toString(16)}::1`);
  expect(attempts.add("2001:db8::1")).toEqual([1, 0, 0]);
});
