import { expect, test } from "vitest";
import { owned } from "./owned.js";
import { SdkError } from "./sdk-error.js";

test("what succeeds is returned", () => {
  expect(owned("tool", () => 7)).toBe(7);
});

test("an error of ours names its owner and keeps its code and cause", () => {
  const cause = new SdkError("unusable-schema", "too deep");
  const run = () => {
    throw cause;
  };
  expect(() => owned('tool "add": input', run)).toThrow(
    expect.objectContaining({ code: "unusable-schema", message: 'tool "add": input: too deep', cause }),
  );
});

test("what anybody else throws stays as it is", () => {
  const cause = new TypeError("no");
  const run = () => {
    throw cause;
  };
  expect(() => owned("tool", run)).toThrow(cause);
});
