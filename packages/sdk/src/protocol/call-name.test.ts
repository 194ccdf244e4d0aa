import { expect, it } from "vitest";
import { callName } from "./call-name.js";

it("names the method and what it is about, cut short", () => {
  expect(callName("tools/list", undefined)).toBe("tools/list");
  expect(callName("tools/call", 'a "b"')).toBe('tools/call "a \\"b\\""');
  expect(callName("resources/read", "x".repeat(101))).toBe(`resources/read "${"x".repeat(100)}…"`);
});
