import { describe, expect, it } from "vitest";
import { hasWayUp, isUnsafeInPath } from "./path-safety.js";

describe("a way up", () => {
  it.each([
    "..",
    "../secret",
    "a/..",
    "a/../b",
    "..\\secret",
    "a\\..\\b",
    "file:///srv/../etc",
    "file:///srv/%2e%2E/etc",
    "a%2F..%2fb",
    "a%5c.%2e%5Cb",
    "a/..?b",
    "a/..#b",
  ])("is in %j", (text) => {
    expect(hasWayUp(text)).toBe(true);
    expect(isUnsafeInPath(text)).toBe(true);
  });

  it.each(["", ".", "a", "a..b", "..a", "a..", "...", "a/.../b", "a/./b", ".env", "a/..b/c", "v1..v2"])(
    "is not in %j",
    (text) => {
      expect(hasWayUp(text)).toBe(false);
      expect(isUnsafeInPath(text)).toBe(false);
    },
  );
});

describe("a NUL", () => {
  it.each(["\0", "a.txt\0.png", "a%00"])("makes %j unsafe", (text) => {
    expect(hasWayUp(text)).toBe(false);
    expect(isUnsafeInPath(text)).toBe(true);
  });
});
