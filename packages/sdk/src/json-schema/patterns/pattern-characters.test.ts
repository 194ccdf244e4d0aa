import fc from "fast-check";
import { expect, test } from "vitest";
import { CharacterSet } from "./pattern-characters.js";

const members = [
  ..."ab-^ é一😀\\".split("").filter((character) => !"-^\\".includes(character)),
  ...["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\p{L}", "\\P{Lu}", "\\p{Script=Greek}"],
  ...["\\n", "\\t", "\\v", "\\f", "\\r", "\\0", "\\cJ", "\\x61", "\\u0062", "\\u{1F600}", "\\uD83D\\uDE00", "\\ud83d"],
  ...["\\.", "\\/", "\\[", "\\]", "\\\\", "\\^"],
];
const classMembers = [...members, "\\b", "\\-", "a-z", "\\x41-Z", "à-ÿ", "\\u{1F600}-\\u{1F64F}", "+--"];
const codePoints = [
  ...Array.from({ length: 256 }, (_, code) => code),
  ...[0x3b1, 0x2028, 0x4e00, 0xd83d, 0xfeff, 0x1f600, 0x1f64f, 0x10ffff],
];

function expectAgreement(atom: string): void {
  const set = new CharacterSet(atom);
  const native = new RegExp(`^(?:${atom})$`, "u");
  const differing = codePoints.filter((code) => set.accepts(code) !== native.test(String.fromCodePoint(code)));
  expect(differing, atom).toEqual([]);
}

test.each([...members, ".", "[]", "[^]", "[-]", "[a-]", "[^-a]", "[\\d-]", "[\\]]"])(
  "%s is what RegExp takes it for",
  (atom) => {
    expectAgreement(atom);
  },
);

test("classes are what RegExp takes them for", () => {
  const text = fc.array(fc.constantFrom(...classMembers), { maxLength: 5 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.boolean(), (inner, isNegated) => {
      const atom = `[${isNegated ? "^" : ""}${inner}]`;
      fc.pre(isPattern(atom));
      expectAgreement(atom);
    }),
    { numRuns: 500 },
  );
});

test("sets are disjoint if no two share a character of ASCII, and one at most has others", () => {
  const areDisjoint = (...atoms: string[]) => CharacterSet.areDisjoint(atoms.map((atom) => new CharacterSet(atom)));
  expect(areDisjoint("a", "[b-z]", "\\d", "é")).toBe(true);
  expect(areDisjoint("a", "[a-z]")).toBe(false);
  expect(areDisjoint("é", "[à-ÿ]")).toBe(false);
  expect(areDisjoint("[^a]", "a")).toBe(true);
  expect(areDisjoint()).toBe(true);
});

test("more properties are told apart than are remembered", () => {
  const categories =
    "Lu Ll Lt LC Lm Lo L Mn Mc Me M Nd Nl No N Pc Pd Ps Pe Pi Pf Po P Sm Sc Sk So S Zs Zl Zp Z Cc Cf Cs Co Cn C";
  const names = categories.split(" ").flatMap((name) => [name, `gc=${name}`, `General_Category=${name}`]);
  const scripts = ["Latin", "Greek", "Cyrillic", "Arabic", "Hebrew"].flatMap((name) =>
    ["sc", "scx", "Script", "Script_Extensions"].map((key) => `${key}=${name}`),
  );
  const atoms = [...names, ...scripts].flatMap((name) => [`\\p{${name}}`, `\\P{${name}}`]);
  expect(atoms.length).toBeGreaterThan(256);
  for (const atom of atoms) expectAgreement(atom);
});

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}
