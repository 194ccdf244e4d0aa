import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.js";
import { WorkBudget } from "./work-budget.js";

function steps(limit: number): WorkBudget {
  return new WorkBudget(limit, () => new RangeError("too many steps"));
}

function textOf(value: unknown): string {
  return canonicalJson(value);
}

test("the order of members makes no difference, that of items does", () => {
  expect(textOf({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(textOf({ b: [{ d: 3, c: 2 }], a: 1 }));
  expect(textOf([1, 2])).not.toBe(textOf([2, 1]));
});

test.each<[unknown, unknown]>([
  [1, "1"],
  [null, "null"],
  [[], {}],
  [
    [1, [2]],
    [[1], 2],
  ],
  [
    [1, [2]],
    [1, 2],
  ],
  [["a,b"], ["a", "b"]],
  [{ "a:1,b": 1 }, { a: 1, b: 1 }],
  [{ a: null }, {}],
  [[[]], [[], []]],
  [false, 0],
])("%j is not %j", (one, other) => {
  expect(textOf(one)).not.toBe(textOf(other));
});

test("equal values share a text, others do not", () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(value, value, (one, other) => {
      const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      expect(textOf(one) === textOf(other)).toBe(isSame);
      expect(textOf(structuredClone(one))).toBe(textOf(one));
    }),
  );
});

test("numbers in a list are paid for", () => {
  expect(() => canonicalJson([1, true, null], steps(3))).toThrow("too many steps");
  expect(canonicalJson([1, true, null], steps(4))).toBe("[1,true,null]");
});

test("names, values and putting the names in order are paid for", () => {
  const names = Array.from({ length: 1023 }, (_, index) => `k${index}`);
  const wide = Object.fromEntries(names.map((name, index) => [name, index]));
  const itself = 3 + Math.floor((1023 * 10) / 2) + Math.floor((names.join("").length * 10) / 256);
  expect(() => canonicalJson(wide, steps(1023 * 2 + itself - 1))).toThrow("too many steps");
  expect(canonicalJson(wide, steps(1023 * 2 + itself))).toContain('"k7":7,');
});

test("a value that nests too deep is refused", () => {
  const nested = JSON.parse(`${"[".repeat(1_026)}${"]".repeat(1_026)}`);
  expect(() => canonicalJson(nested)).toThrow("the value nests too deep");
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => ({ [`=${name}`]: sorted(member) }))
    .concat({});
}

test.each<[what: string, wrap: (inner: unknown) => unknown]>([
  ["arrays", (inner) => [inner]],
  ["objects", (inner) => ({ a: inner })],
])("%s nest 1,025 deep and no deeper", (_what, wrap) => {
  let value: unknown = "a";
  for (let depth = 0; depth < 1_025; depth += 1) value = wrap(value);
  expect(() => textOf(value)).not.toThrow();
  expect(() => textOf(wrap(value))).toThrow("the value nests too deep");
});
