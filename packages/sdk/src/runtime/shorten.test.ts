import { expect, test } from "vitest";
import { shorten } from "./shorten.js";

test("100 characters are shown, and an ellipsis stands for the rest", () => {
  expect(shorten("x".repeat(100))).toBe("x".repeat(100));
  expect(shorten("x".repeat(101))).toBe(`${"x".repeat(100)}…`);
});
