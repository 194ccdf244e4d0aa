import { expect, test } from "vitest";
import { encodeBase64, isBase64 } from "./base64.js";

test.each(["", "AAAA", "AA==", "AAA=", "+/09azAZ", "AAAA".repeat(2_048), `${"AAAA".repeat(4_096)}AA==`])(
  "is Base64: %s",
  (text) => {
    expect(isBase64(text)).toBe(true);
  },
);

test.each([
  "A",
  "AAA",
  "A===",
  "AA=A",
  "AA A",
  "AAA\n",
  "_-AA",
  "data:image/png;base64,AAAA",
  `\n${"A".repeat(16_383)}`,
  `${"A".repeat(16_383)}\n`,
  "A".repeat(16_383),
])("is not Base64: %j", (text) => {
  expect(isBase64(text)).toBe(false);
});

test("what was encoded is Base64, whatever its length", () => {
  for (const length of [0, 1, 2, 3, 0x6000, 0x6001]) {
    expect(isBase64(encodeBase64(new Uint8Array(length).fill(251)))).toBe(true);
  }
});
