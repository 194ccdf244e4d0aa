import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalText } from "./canonical-text.js";
import { Run } from "./run.js";

function textOf(value: unknown): string {
  return canonicalText(value, new Run(100_000));
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
  expect(() => canonicalText([1, true, null], new Run(3))).toThrow(RangeError);
  expect(canonicalText([1, true, null], new Run(4))).toBe("[1,true,null]");
});

test("names, values and putting the names in order are paid for", () => {
  const names = Array.from({ length: 1023 }, (_, index) => `k${index}`);
  const wide = Object.fromEntries(names.map((name, index) => [name, index]));
  const itself = 3 + Math.floor((1023 * 10) / 2) + Math.floor((names.join("").length * 10) / 256);
  expect(() => canonicalText(wide, new Run(1023 * 2 + itself - 1))).toThrow(RangeError);
  expect(canonicalText(wide, new Run(1023 * 2 + itself))).toContain('"k7":7,');
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => ({ [`=${name}`]: sorted(member) }))
    .concat({});
}
