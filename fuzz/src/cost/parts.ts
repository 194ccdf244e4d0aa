/** JSON that is described by its parts, so that a megabyte of it can be doubled, swapped and printed. */
import { collidingDoubles } from "../../../packages/sdk/src/json-schema/colliding-doubles.fixture.js";
import type { Random } from "../random.js";

export type Part =
  | { readonly kind: "plain"; readonly json: unknown }
  /** A text many times; `%` is the number of the item or member it is in. */
  | {
      readonly kind: "text";
      readonly text: string;
      readonly times: number;
      readonly before?: string;
      readonly after?: string;
    }
  | { readonly kind: "items"; readonly item: Part; readonly times: number }
  | { readonly kind: "members"; readonly name: Part; readonly value: Part; readonly times: number }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, Part>> }
  | { readonly kind: "doubles"; readonly times: number };

const MAX_TIMES = 2_000_000;
const TEXTS: readonly string[] = ["a", "%", "\u0001", "\u4e00", "😀", "\ud800", "a%", "0", "{a}", "a.", "/", "%41"];

export const plain = (json: unknown): Part => ({ kind: "plain", json });
export const text = (piece: string, times = 1, before = "", after = ""): Part => ({
  kind: "text",
  text: piece,
  times,
  before,
  after,
});
export const items = (item: Part, times = 4): Part => ({ kind: "items", item, times });
export const members = (name: Part, value: Part, times = 4): Part => ({ kind: "members", name, value, times });
export const object = (parts: Readonly<Record<string, Part>>): Part => ({ kind: "object", members: parts });
export const doubles = (times = 4): Part => ({ kind: "doubles", times });

/** How long the JSON of a part is, at least about: told without making it. */
export function lengthOf(part: Part): number {
  switch (part.kind) {
    case "plain":
      return JSON.stringify(part.json).length;
    case "text":
      return 2 + part.text.length * part.times + (part.before?.length ?? 0) + (part.after?.length ?? 0);
    case "items":
      return 2 + (lengthOf(part.item) + 1) * part.times;
    case "members":
      return 2 + (lengthOf(part.name) + lengthOf(part.value) + 2) * part.times;
    case "object":
      return Object.entries(part.members).reduce((sum, [name, value]) => sum + name.length + 4 + lengthOf(value), 2);
    case "doubles":
      return 22 * part.times;
  }
}

export function jsonOf(part: Part, index = 0): unknown {
  switch (part.kind) {
    case "plain":
      return part.json;
    case "text":
      return textOf(part, index);
    case "items":
      return Array.from({ length: part.times }, (_, item) => jsonOf(part.item, item));
    case "members":
      return Object.fromEntries(
        Array.from({ length: part.times }, (_, member) => [
          String(jsonOf(part.name, member)),
          jsonOf(part.value, member),
        ]),
      );
    case "object":
      return Object.fromEntries(Object.entries(part.members).map(([name, value]) => [name, jsonOf(value, index)]));
    case "doubles":
      return collidingDoubles(part.times);
  }
}

function textOf({ text: piece, times, before = "", after = "" }: Part & { kind: "text" }, index: number): string {
  return `${before}${piece.replaceAll("%", String(index)).repeat(times)}${after.replaceAll("%", String(index))}`;
}

/** Doubles, halves or swaps one thing in a part. */
export function mutatePart(part: Part, random: Random): Part {
  const isHere = random.oneIn(2);
  switch (part.kind) {
    case "plain":
      return part;
    case "text":
      return random.oneIn(4) ? { ...part, text: random.pick(TEXTS) } : { ...part, times: resized(part.times, random) };
    case "doubles":
      return { ...part, times: resized(part.times, random) };
    case "items":
      return isHere
        ? { ...part, times: resized(part.times, random) }
        : { ...part, item: mutatePart(part.item, random) };
    case "members":
      if (isHere) return { ...part, times: resized(part.times, random) };
      if (random.oneIn(2)) return { ...part, name: mutatePart(part.name, random) };
      return { ...part, value: mutatePart(part.value, random) };
    case "object": {
      const names = Object.keys(part.members);
      if (names.length === 0) return part;
      const name = random.pick(names);
      return { ...part, members: { ...part.members, [name]: mutatePart(part.members[name] as Part, random) } };
    }
  }
}

function resized(times: number, random: Random): number {
  if (random.oneIn(4)) return Math.max(1, times >>> 1);
  return Math.min(MAX_TIMES, times * random.pick([2, 2, 4, 16]) + random.below(2));
}
