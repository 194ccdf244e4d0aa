import { describe, expect, it } from "vitest";
import { hasDotDotSegment, isAbsolutePath, isUnsafeInPath } from "./path-safety.js";

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
    "CON:../b",
    "aux%3A..%2fb",
    "a/.\t./b",
    ".. ",
    "a/..\u0001",
    "C|../b",
    "a/%\t2\ne./b",
    "a%2\rf\t..",
  ])("is in %j", (text) => {
    expect(hasDotDotSegment(text)).toBe(true);
    expect(isUnsafeInPath(text)).toBe(true);
  });

  it.each(["", ".", "a", "a..b", "..a", "a..", "...", "a/.../b", "a/./b", ".env", "a/..b/c", "v1..v2"])(
    "is not in %j",
    (text) => {
      expect(hasDotDotSegment(text)).toBe(false);
      expect(isUnsafeInPath(text)).toBe(false);
    },
  );
});

describe("a NUL", () => {
  it.each(["\0", "a.txt\0.png", "a%00", "a%\t0\n0"])("makes %j unsafe", (text) => {
    expect(hasDotDotSegment(text)).toBe(false);
    expect(isUnsafeInPath(text)).toBe(true);
  });
});

describe("a path that begins elsewhere", () => {
  it.each([
    ["an absolute path", "/etc/passwd"],
    ["an absolute path, still encoded", "%2Fetc/passwd"],
    ["a backslash", "\\etc"],
    ["a backslash, still encoded", "%5cetc"],
    ["a UNC path", "\\\\host\\share"],
    ["a network path", "//host/share"],
    ["a device path", "\\\\?\\C:\\x"],
    ["a drive", "C:"],
    ["a path on a drive", "c:\\x"],
    ["a path relative to a drive", "C:x"],
    ["a drive, still encoded", "c%3Ax"],
    ["a drive with a pipe", "C|/Windows"],
    ["a drive with a pipe, still encoded", "C%7c/Windows"],
    ["a file URL", "file:///etc/passwd"],
    ["a file URL without slashes", "FILE:etc"],
    ["a file URL, still encoded", "file%3A%2F%2F/etc"],
    ["what a URL parser strips before a slash", " \u0001/etc"],
    ["what a URL parser strips inside a scheme", "fi\nle:///etc"],
  ])("is %s: %j", (_what, text) => {
    expect(isAbsolutePath(text)).toBe(true);
  });

  it.each([
    "",
    "a",
    "a/b",
    "a//b",
    "a/C:/b",
    "~",
    "~root/x",
    "urn:isbn:1",
    "https://a.example/b",
    "con",
    "a.txt::$DATA",
  ])("is not %j", (text) => {
    expect(isAbsolutePath(text)).toBe(false);
  });
});

it("a way up is found behind any number of characters that URL parsers drop", () => {
  const long = "a\t\n\r".repeat(10_000);
  expect([hasDotDotSegment(`${long}/.\t./x`), hasDotDotSegment(`${long}/x`)]).toEqual([true, false]);
});
