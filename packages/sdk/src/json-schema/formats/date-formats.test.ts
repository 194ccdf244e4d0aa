import { expect, test } from "vitest";
import { isDate } from "./date-formats.js";

test.each([
  ["1904-02-29", true],
  ["2000-02-29", true],
  ["2024-02-29", true],
  ["1900-02-29", false],
  ["2023-02-29", false],
  ["2100-02-29", false],
  ["2024-02-30", false],
])("%s is a date: %s", (text, expected) => {
  expect(isDate(text)).toBe(expected);
});
