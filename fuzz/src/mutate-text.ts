/** Small damage to a text that was valid: what a fuzzer sends is worth most where it is almost right. */
import type { Random } from "./random.js";

/** Characters that mean something to some parser, and those that break the ones who forgot about them. */
export const AWKWARD: readonly string[] = [
  ..."\0\t\n\r \"'\\{}[]:,;=&?#%/+-._~*()<>@!|^`$",
  ..."0179aAzZ",
  ...[
    "\x1f",
    "\x7f",
    "\x80",
    "\xa0",
    "\xff",
    "é",
    "ß",
    "İ",
    "\u2028",
    "\ufeff",
    "\ufffd",
    "\ud800",
    "\udfff",
    "世",
    "😀",
  ],
  ...["\r\n", "\n\n", "%2F", "%00", "%", "..", "__proto__", "constructor", "1e999", "-0", "9007199254740993"],
];

/** The same for bytes: broken and overlong UTF-8, byte order marks, every kind of line end. */
export const AWKWARD_BYTES: readonly string[] = [
  ...'\0\t\n\r "\\{}[]:,',
  ...["\x80", "\xbf", "\xc0\xaf", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf0\x9f\x98\x80", "\xf0\x9f", "\xf8", "\xff"],
  ...["\xef\xbb\xbf", "\xef\xbb", "\r\n", "\n\r", "\r\r", "\n\n", "\r\n\r\n"],
];

const MAX_LENGTH = 20_000;

/** `tokens` are what the damage is made of; `others` are texts to take a part of. */
export function mutateText(
  random: Random,
  text: string,
  tokens: readonly string[] = AWKWARD,
  others: readonly string[] = [],
): string {
  let mutated = text;
  for (let count = random.between(1, 4); count > 0; count--) mutated = mutateOnce(random, mutated, tokens, others);
  return mutated.slice(0, MAX_LENGTH);
}

function mutateOnce(random: Random, text: string, tokens: readonly string[], others: readonly string[]): string {
  const start = random.below(text.length + 1);
  const end = Math.min(text.length, start + (random.oneIn(4) ? random.below(text.length + 1) : random.below(4)));
  const [before, part, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
  switch (random.below(9)) {
    case 0:
      return before + after;
    case 1:
      return before + part.repeat(random.between(2, 5)) + after;
    case 2:
    case 3:
      return before + random.pick(tokens) + text.slice(start);
    case 4:
      return before + random.pick(tokens) + after;
    case 5:
      return random.oneIn(4) ? before : before + random.pick(tokens).repeat(random.between(2, 40)) + after;
    case 6: {
      if (others.length === 0) return before + part.toUpperCase() + after;
      const other = random.pick(others);
      return before + other.slice(random.below(other.length + 1));
    }
    case 7:
      return before + String.fromCharCode(text.charCodeAt(start) ^ (1 << random.below(8))) + text.slice(start + 1);
    default:
      return before + after + part;
  }
}
