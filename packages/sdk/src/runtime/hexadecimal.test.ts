import { expect, it } from "vitest";
import { sha256Hex, toHex } from "./hexadecimal.js";

it("writes two digits per byte", () => {
  expect(toHex(new Uint8Array([0, 10, 255]))).toBe("000aff");
});

it("digests a text, in whole or in part", async () => {
  // The test vector of FIPS 180-4.
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(await sha256Hex("abc")).toBe(digest);
  expect(await sha256Hex("abc", 16)).toBe(digest.slice(0, 32));
});
