import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LEGACY_REVISIONS } from "../protocol/revisions.js";
import { legacyCode, modernCode } from "./reserved-codes.js";

const page = { mode: "url", message: "Sign in", url: "https://example.com/", elicitationId: "1" };

describe("the code that a modern server sends", () => {
  it("is never one of the range that the specification does not define", () => {
    fc.assert(
      fc.property(fc.integer({ min: -32768, max: 0 }), fc.anything(), (code, data) => {
        const sent = modernCode(code, data);
        const isReserved = sent >= -32099 && sent <= -32000;
        expect(isReserved && ![-32020, -32021, -32022].includes(sent)).toBe(false);
      }),
    );
  });

  it.each([
    [-32002, undefined, -32602],
    [-32042, { elicitations: [page] }, -32603],
    [-32021, { requiredCapabilities: {} }, -32021],
    [-32021, { requiredCapabilities: [] }, -32603],
    [-32022, { supported: [], requested: "x" }, -32022],
    [-32022, { supported: [] }, -32603],
    [-32022, "text", -32603],
    [-32020, undefined, -32020],
    [-32099, undefined, -32603],
    [-32000, undefined, -32603],
    [-32100, undefined, -32100],
    [-31999, undefined, -31999],
    [-32603, undefined, -32603],
  ])("for %i with %j is %s", (code, data, sent) => expect(modernCode(code, data)).toBe(sent));
});

describe("the code that a legacy server sends", () => {
  it.each(LEGACY_REVISIONS)("in %s is its own, but -32042 only with pages", (revision) => {
    const withPages = revision === "2025-11-25" ? -32042 : -32603;
    expect(legacyCode(-32042, { elicitations: [page] }, revision)).toBe(withPages);
    for (const elicitations of [undefined, [], [page, { ...page, mode: "form" }], [{ ...page, url: 7 }], ["page"]]) {
      expect(legacyCode(-32042, { elicitations }, revision)).toBe(-32603);
    }
    expect(legacyCode(-32042, undefined, revision)).toBe(-32603);
    expect(legacyCode(-32002, undefined, revision)).toBe(-32002);
  });
});
