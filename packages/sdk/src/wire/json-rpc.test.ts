import fc from "fast-check";
import { expect, it } from "vitest";
import { correlationKey, isRequestId } from "./json-rpc.js";

it("takes strings and safe integers for ids, and nothing else", () => {
  for (const id of ["", "7", "a", 0, -0, -7, Number.MAX_SAFE_INTEGER]) expect(isRequestId(id)).toBe(true);
  for (const id of [null, undefined, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, true, {}, [], 7n]) {
    expect(isRequestId(id)).toBe(false);
  }
});

it("gives two ids the same key exactly when they have the same text", () => {
  const ids = fc.oneof(
    fc.maxSafeInteger(),
    fc.maxSafeInteger().map(String),
    fc.string(),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom("", "0", "-0", "07", " 7", "7.0", "1e3", "1000", 1000, "-3", "3", "9007199254740993", "Infinity"),
  );
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      expect(new Set([correlationKey(a), correlationKey(b)]).size === 1).toBe(String(a) === String(b));
    }),
    { numRuns: 1_000 },
  );
});
