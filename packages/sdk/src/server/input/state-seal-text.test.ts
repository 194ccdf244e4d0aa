import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeBase64Url, encodeBase64Url } from "./state-seal.js";

it("writes the alphabet that is safe in URLs, without padding", () => {
  expect(encodeBase64Url(Uint8Array.of(0xfb, 0xef, 0xff, 0xff))).toBe("--___w");
  expect(encodeBase64Url(new Uint8Array())).toBe("");
});

it("gives any bytes back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = encodeBase64Url(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("base64url"));
      expect(decodeBase64Url(text)).toEqual(bytes);
    }),
  );
});

it.each([
  ["padding", "--___w=="],
  ["the other alphabet", "++///w"],
  ["bits that belong to no byte", "--___x"],
  ["white space", "--__ _w"],
  ["a line break at the end", "--___w\n"],
  ["a foreign character", "--__*w"],
  ["a length no bytes have", "--___"],
  ["a character beyond bytes", "--__\u{1F512}"],
])("does not read %s", (_what, text) => {
  expect(decodeBase64Url(text)).toBeUndefined();
});

it("reads any text as at most one spelling of its bytes", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (text) => {
      const bytes = decodeBase64Url(text);
      if (bytes !== undefined) expect(encodeBase64Url(bytes)).toBe(text);
    }),
  );
});
