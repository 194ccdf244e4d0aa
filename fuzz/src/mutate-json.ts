/** Damage to a JSON value that leaves it JSON: other types, missing members, members that nobody expects. */
import type { Random } from "./random.js";

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -0, 1, -1, 7, 1.5, 2 ** 53, -(2 ** 53), 1e308, 5e-324],
  ...["", "7", "0", "-0", "1.0", "2.0", "2026-07-28", "2025-11-25", "1999-01-01", "ping", "a".repeat(300)],
  ...["__proto__", "constructor", "toString", "é", "\ud800", "\u0000", "\ufeff", "../..", "tools/call", "\r\nx: y"],
  ...[[], {}, [[]], [{}], [null], { a: 1 }, { method: "ping" }, { toString: "" }],
];

const KEYS: readonly string[] = [
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "then", "toJSON", "length", "0", "", "é", "a.b"],
  ...["id", "jsonrpc", "method", "params", "result", "error", "code", "message", "data", "_meta", "name", "arguments"],
  ...["uri", "cursor", "progressToken", "capabilities", "inputResponses", "requestState", "resultType", "type"],
];

/** A copy with one to three changes, each at a place of its own. */
export function mutateJson(random: Random, value: unknown): unknown {
  let mutated = value;
  for (let count = random.between(1, 3); count > 0; count--) mutated = mutateSomewhere(random, mutated);
  return mutated;
}

function mutateSomewhere(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.oneIn(4)) return alter(random, value);
  if (Array.isArray(value)) {
    if (value.length === 0) return alter(random, value);
    const place = random.below(value.length);
    return value.map((item: unknown, index) => (index === place ? mutateSomewhere(random, item) : item));
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return alter(random, value);
  const place = random.below(entries.length);
  // fromEntries defines members; assigning to "__proto__" would set something else.
  return Object.fromEntries(
    entries.map(([key, member], index) => [key, index === place ? mutateSomewhere(random, member) : member]),
  );
}

function alter(random: Random, value: unknown): unknown {
  switch (random.below(4)) {
    case 0:
      return nested(random, value);
    case 1:
      return Array.isArray(value) ? [...value, random.pick(VALUES)] : withMember(random, value);
    case 2:
      return withoutMember(random, value);
    default:
      return random.pick(VALUES);
  }
}

function withMember(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return random.pick(VALUES);
  const added = [random.pick(KEYS), random.oneIn(4) ? value : random.pick(VALUES)] as const;
  return Object.fromEntries([...Object.entries(value), added]);
}

function withoutMember(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return random.pick(VALUES);
  if (Array.isArray(value)) return value.slice(1);
  const entries = Object.entries(value);
  entries.splice(random.below(entries.length + 1), 1);
  return Object.fromEntries(entries);
}

function nested(random: Random, value: unknown): unknown {
  let wrapped = value;
  const key = random.pick(KEYS);
  for (let depth = random.oneIn(8) ? random.between(20, 600) : random.between(1, 3); depth > 0; depth--) {
    wrapped = random.oneIn(2) ? [wrapped] : Object.fromEntries([[key, wrapped]]);
  }
  return wrapped;
}
