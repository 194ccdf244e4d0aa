import { expect, test } from "vitest";
import { isSafeNamePattern } from "./name-pattern.js";

test.each([
  "^x-",
  "_id$",
  ".*",
  "^.*$",
  "^[a-z]+$",
  "^S_[0-9]*x$",
  "a{3}",
  "^(foo|bar)_.*$",
  "^foo|bar$",
  "",
  "\\d+",
  "[ab]\\d*",
])("%s may be tried on names", (pattern) => {
  expect(isSafeNamePattern(pattern)).toBe(true);
});

test.each([
  "a+b",
  "\\ba*b",
  "^a+b+$",
  "^(ab)+$",
  "^(a|b)(c|d)$",
  "^(?=a)b",
  "a{65}",
  "(a)\\1",
  "^a*|b*c",
  "a".repeat(129),
])("%s may not", (pattern) => {
  expect(isSafeNamePattern(pattern)).toBe(false);
});
