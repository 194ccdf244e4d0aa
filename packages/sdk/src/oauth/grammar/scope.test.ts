import fc from "fast-check";
import { expect, test } from "vitest";
import { joinScopes, parseScope, unionScopes } from "./scope.js";

test("a scope is a list of tokens without duplicates", () => {
  expect(parseScope("files:read  files:write files:read ")).toEqual(["files:read", "files:write"]);
  expect(parseScope(undefined)).toEqual([]);
  expect(parseScope("")).toEqual([]);
});

test("tokens that the grammar excludes are dropped", () => {
  expect(parseScope('a "b" c\\d é e\tf \u0000 g')).toEqual(["a", "g"]);
  expect(parseScope(`${"x".repeat(257)} ${"y".repeat(256)}`)).toEqual(["y".repeat(256)]);
});

test("a scope has 256 tokens at most", () => {
  const text = Array.from({ length: 300 }, (_, index) => `s${index}`).join(" ");
  expect(parseScope(text)).toHaveLength(256);
});

test("a union has every scope once, in the order of appearance", () => {
  expect(unionScopes(["a", "b"], [], ["b", "c"])).toEqual(["a", "b", "c"]);
});

test("any text is read as what it is joined to again", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab: "\\é\t') }), (text) => {
      const scopes = parseScope(text);
      expect(parseScope(joinScopes(scopes))).toEqual(scopes);
    }),
  );
});
