import fc from "fast-check";
import { expect, test } from "vitest";
import { ValidationRun } from "../validator/validation-run.js";
import { isMultipleOf } from "./multiple-of.js";

function isMultiple(value: number, divisor: number): boolean {
  return isMultipleOf(divisor)(value, new ValidationRun(1000));
}

test.each([
  [6, 3],
  [0, 0.1],
  [-4, 2],
  [0.3, 0.1],
  [19.99, 0.01],
  [4.35, 0.01],
  [1.1, 0.1],
  [0.0075, 0.0001],
  [1e22, 1e21],
  [12391239123, 1e-8],
  [1e300, 1e-300],
  [9007199254740991, 1],
  [1e-7, 1e-7],
  [3e-20, 1e-20],
  [2251799813685249.5, 0.5],
])("%d is a multiple of %d", (value, divisor) => {
  expect(isMultiple(value, divisor)).toBe(true);
});

test.each([
  [7, 3],
  [0.35, 0.1],
  [19.999, 0.01],
  [0.00751, 0.0001],
  [1e308, 0.123456789],
  [1e-9, 1e-8],
  [1.5, 1],
  [1e16 + 2, 4],
  [1e-20, 3e-20],
  [0.1 + 0.2, 0.1],
])("%d is no multiple of %d", (value, divisor) => {
  expect(isMultiple(value, divisor)).toBe(false);
});

test("what is a whole number of times a decimal is found, and what is not is not", () => {
  const places = fc.integer({ min: 0, max: 6 });
  const count = fc.integer({ min: -1_000_000, max: 1_000_000 });
  const unit = fc.integer({ min: 1, max: 9999 });
  fc.assert(
    fc.property(places, count, unit, fc.nat(9998), (exponent, times, size, remainder) => {
      const decimal = (digits: number) => Number(`${digits}e-${exponent}`);
      expect(isMultiple(decimal(times * size), decimal(size))).toBe(true);
      expect(isMultiple(decimal(times * size + (remainder % size)), decimal(size))).toBe(remainder % size === 0);
    }),
  );
});

test("long division is paid for", () => {
  expect(() => isMultipleOf(1e-300)(1e300, new ValidationRun(31))).toThrow(RangeError);
  expect(isMultipleOf(2)(4, new ValidationRun(0))).toBe(true);
});
