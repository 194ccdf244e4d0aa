import { expect, test } from "vitest";
import { checkMode, isAvailable, withinContainer } from "./host-context.js";

test("a size is limited by the dimensions that the container has", () => {
  expect(withinContainer({ width: 900, height: 900 }, {})).toEqual({ width: 900, height: 900 });
  expect(withinContainer({ width: 900, height: 900 }, { containerDimensions: { maxWidth: 600 } })).toEqual({
    width: 600,
    height: 900,
  });
  const fixed = { width: 500, height: 400, maxWidth: 600, maxHeight: 300 };
  expect(withinContainer({ width: 900, height: 900 }, { containerDimensions: fixed })).toEqual({
    width: 500,
    height: 300,
  });
  expect(withinContainer({}, { containerDimensions: { maxWidth: 600 } })).toEqual({});
});

test("a page that declared an empty list of display modes supports none", () => {
  expect(() => checkMode("inline", [])).toThrow("only none");
  expect(isAvailable("inline", {}, [])).toBe(false);
});

test("a host without a list of display modes has the one in use", () => {
  expect(isAvailable("inline", {}, undefined)).toBe(true);
  expect(isAvailable("pip", {}, undefined)).toBe(false);
});
