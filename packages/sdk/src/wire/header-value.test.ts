import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHeaderValue, encodeHeaderValue, HeaderValueError } from "./header-value.js";

describe("encodeHeaderValue", () => {
  it.each([
    ["us-west1", "us-west1"],
    ["", ""],
    ["two words", "two words"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["a\tb", "=?base64?YQli?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["=?base64?literal", "=?base64?literal"],
    ["literal?=", "literal?="],
    ["=?base64?=", "=?base64?="],
  ])("writes %j as %j", (text, value) => {
    expect(encodeHeaderValue(text)).toBe(value);
  });

  it("refuses texts of more than 65,536 characters", () => {
    expect(encodeHeaderValue("a".repeat(65_536))).toHaveLength(65_536);
    expect(() => encodeHeaderValue("a".repeat(65_537))).toThrow("at most 65536 characters: got 65537");
  });
});

describe("decodeHeaderValue", () => {
  it.each([
    ["plain", "plain"],
    [" \tplain\t ", "plain"],
    ["", ""],
    ["a\tb", "a\tb"],
    ["=?base64??=", ""],
    ["=?base64?77u/eA==?=", "\uFEFFx"],
    ["=?BASE64?eA==?=", "=?BASE64?eA==?="],
    ["=?base64?eA==", "=?base64?eA=="],
  ])("reads %j as %j", (value, text) => {
    expect(decodeHeaderValue(value)).toBe(text);
  });

  it.each([
    ["missing padding", "=?base64?eA?="],
    ["too much padding", "=?base64?eA===?="],
    ["a character outside the alphabet", "=?base64?eA-_?="],
    ["white space", "=?base64?e A=?="],
    ["bits left over", "=?base64?eB==?="],
    ["bytes that are no UTF-8", "=?base64?/w==?="],
    ["a control character", "a\u0007b"],
    ["bytes beyond ASCII", "gr\u00fcn"],
  ])("refuses %s", (_what, value) => {
    expect(() => decodeHeaderValue(value)).toThrow(HeaderValueError);
  });

  it("reads back whatever was written, and what was written is a safe header", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary-ascii" }),
      fc.base64String().map((encoded) => `=?base64?${encoded}?=`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const value = encodeHeaderValue(text);
        expect(value).toMatch(/^(?:[!-~](?:[ -~]*[!-~])?)?$/);
        expect(decodeHeaderValue(value)).toBe(text);
      }),
    );
  });
});
