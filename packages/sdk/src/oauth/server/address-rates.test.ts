import { expect, it } from "vitest";
import { AddressRates } from "./address-rates.js";

it("remembers 10,000 addresses, those that called last", () => {
  const rates = new AddressRates({ perSecond: 0.001, burst: 1 }, () => 0);
  expect(rates.take("first")).toBe(0);
  expect(rates.take("second")).toBe(0);
  for (let index = 0; index < 9_998; index++) rates.take(`address ${index}`);
  expect(rates.take("first")).toBe(1_000_000);
  rates.take("one more");
  expect(rates.take("first")).toBe(1_000_000);
  expect(rates.take("second")).toBe(0);
});

it("remembers 64 characters of an address", () => {
  const rates = new AddressRates({ perSecond: 0.001, burst: 1 }, () => 0);
  expect(rates.take("x".repeat(64))).toBe(0);
  expect(rates.take("x".repeat(65))).toBeGreaterThan(0);
});

it("counts addresses apart that differ in their first character alone", () => {
  const rates = new AddressRates({ perSecond: 0.001, burst: 1 }, () => 0);
  expect([rates.take("1.0.0.1"), rates.take("2.0.0.1")]).toEqual([0, 0]);
});
