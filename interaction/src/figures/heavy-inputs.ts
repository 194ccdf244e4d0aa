/** JSON that is as large as limits allow and as costly as could be found, by what makes it so. */

const MEBIBYTE = 1_048_576;

/** Room for what an input is wrapped in. */
const WRAPPING = 1_024;

/** Somewhat below the default limit of 150,000: objects and keys, strings and lists count. */
const NODES = 148_500;

function list(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(",");
}

/** As many as fit into the bytes, and no more than the nodes allow. */
function fitting(bytes: number, nodesEach: number, item: (index: number) => string): string {
  const longest = item(99_999).length + 1;
  return list(Math.min(Math.floor(NODES / nodesEach), Math.floor((bytes - WRAPPING) / longest)), item);
}

/** Those that take longest to read. */
export const COSTLIEST = [
  "objects whose keys all differ",
  "objects of three keys that all differ",
  "two equal objects at the end of many",
  "keys of empty objects",
  "nothing but null",
] as const;

type Costly = (typeof COSTLIEST)[number];

/** Objects with a member `s` where there is one, so that schemas for it have something to look at. */
export function heavyObjects(maxBytes: number = 4 * MEBIBYTE): Record<Costly, string> & Record<string, string> {
  const room = maxBytes - WRAPPING;
  const items = (nodesEach: number, item: (index: number) => string) => `{"s":[${fitting(maxBytes, nodesEach, item)}]}`;
  const members = (nodesEach: number, item: (index: number) => string) => `{${fitting(maxBytes, nodesEach, item)}}`;
  const filled = (unit: string) => unit.repeat(Math.floor(room / Buffer.byteLength(unit)));
  const scalars = (unit: string) => unit.repeat(Math.min(5 * NODES - 100, Math.floor(room / unit.length)));
  return {
    "objects whose keys all differ": items(2.2, (n) => `{"a${n}":${n}}`),
    "objects of three keys that all differ": items(4.6, (n) => `{"x${n}":1,"y${n}":2,"z${n}":3}`),
    "two equal objects at the end of many": `${items(2.3, (n) => `{"a${n}":${n}}`).slice(0, -2)},{"a1":1}]}`,
    "objects alike": items(2.2, () => '{"a":1}'),
    "keys that all differ": members(1.2, (n) => `"k${n}":1`),
    "keys of empty objects": members(2.2, (n) => `"k${n}":{}`),
    "one key again and again": members(1.2, () => '"k":1'),
    "keys that are numbers": members(1.2, (n) => `"${(n * 7_919) % 1_000_003}":1`),
    "__proto__ again and again": members(2.2, () => '"__proto__":{}'),
    "a long key": `{"${"k".repeat(room)}":1}`,
    "long keys": `{${list(Math.floor(room / 4_010), (n) => `"${"k".repeat(4_000)}${n}":1`)}}`,
    "a long string": `{"s":"${"a".repeat(room)}"}`,
    "escaped characters": `{"s":"${filled("\\u0061")}"}`,
    "escaped quotes": `{"s":"${filled('\\"')}"}`,
    "characters of four bytes": `{"s":"${filled("😀")}"}`,
    "short strings": items(1.2, (n) => `"${n}"`),
    "nested lists": `{"s":[${list(Math.floor(NODES / 401), () => "[".repeat(400) + "]".repeat(400))}]}`,
    "empty lists": items(1.2, () => "[]"),
    numbers: `{"s":[${scalars("1,")}1]}`,
    // A number with an exponent counts as a node.
    fractions: items(1.3, () => "1.2345678901234567e-300"),
    // As many digits as count for nearly all nodes: 25 are one.
    "one number of many digits": `{"s":${"1".repeat(Math.min(room, 25 * (NODES - 1_000)))}}`,
    "nothing but null": `{"s":[${scalars("null,")}1]}`,
    blanks: `{"s":1${" ".repeat(room)}}`,
  };
}

/** Texts that patterns and formats may stumble over. */
export function heavyTexts(): string[] {
  const units = ["a", "1.", ":", "a@"];
  const texts = units.flatMap((unit) => [30_000, 300_000].map((length) => unit.repeat(length / unit.length)));
  return [...texts, "a".repeat(4 * MEBIBYTE - WRAPPING)];
}
