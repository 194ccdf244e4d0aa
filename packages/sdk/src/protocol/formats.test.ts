import { describe, expect, test } from "vitest";
import { base64Shape, iconSourceShape, mimeTypeShape, priorityShape, uriShape } from "./formats.js";
import { explain, type Shape } from "./shape.js";

const cases: [name: string, shape: Shape, right: unknown[], wrong: [value: unknown, complaint: string][]][] = [
  [
    "base64",
    base64Shape,
    ["", "AAAA"],
    [
      ["?", 'expected base64, got "?"'],
      [new Uint8Array(1), "expected string, got object"],
    ],
  ],
  [
    "a MIME type",
    mimeTypeShape,
    ["text/plain", "image/svg+xml", "text/plain; charset=utf-8", "application/vnd.a.b-c_d"],
    ["text", "text/", "/plain", "text/plain/x", "te xt/plain", ""].map((value) => [
      value,
      `expected a MIME type such as image/png, got "${value}"`,
    ]),
  ],
  [
    "a URI",
    uriShape,
    ["notes://today", "urn:isbn:1", "file:///a b", "https://example.com", "a:b"],
    ["notes", "", "/a", "//host", "http://"].map((value) => [
      value,
      `expected an absolute URI such as notes://today, got "${value}"`,
    ]),
  ],
  [
    "the source of an icon",
    iconSourceShape,
    ["https://example.com/i.png", "HTTPS://example.com", "data:image/png;base64,AAAA"],
    ["http://example.com/i.png", "javascript:1", "file:///i", "https:", "i.png"].map((value) => [
      value,
      `expected an https: or data: URI, got "${value}"`,
    ]),
  ],
  [
    "a priority",
    priorityShape,
    [0, 0.5, 1],
    [
      [-0.1, "expected number from 0 to 1, got -0.1"],
      [1.1, "expected number from 0 to 1, got 1.1"],
      [Number.NaN, "expected number from 0 to 1, got NaN"],
      ["1", 'expected number from 0 to 1, got "1"'],
    ],
  ],
];

describe.each(cases)("%s", (_name, shape, right, wrong) => {
  test.each(right)("passes: %j", (value) => {
    expect(shape(value)).toBeUndefined();
  });

  test.each(wrong)("is refused: %j", (value, complaint) => {
    const fault = shape(value);
    expect(fault && explain(fault, "value")).toBe(`value: ${complaint}`);
  });
});
