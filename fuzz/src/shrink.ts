/** Makes an input that breaks a property as small as can be found by leaving parts of it out. */
import { type FuzzInput, type Target, Violation } from "./target.js";

const MAX_ATTEMPTS = 2_000;
/** What hangs takes its time with each attempt. */
const MAX_MS = 20_000;

/** What went wrong with an input, if anything did. */
export async function violationOf(target: Target, input: FuzzInput): Promise<Violation | undefined> {
  try {
    await target.check(input);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Violation) return thrown;
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    return new Violation("throws nothing but what is documented", stack ?? String(thrown));
  }
}

export async function shrink(target: Target, input: FuzzInput, property: string): Promise<FuzzInput> {
  let smallest = input;
  let attempts = 0;
  const until = performance.now() + MAX_MS;
  for (let hasShrunk = true; hasShrunk; ) {
    hasShrunk = false;
    for (const candidate of smaller(smallest)) {
      attempts += 1;
      if (attempts > MAX_ATTEMPTS || performance.now() > until) return smallest;
      if ((await violationOf(target, candidate))?.property !== property) continue;
      smallest = candidate;
      hasShrunk = true;
      break;
    }
  }
  return smallest;
}

function* smaller(input: FuzzInput): Generator<FuzzInput> {
  for (const [name, text] of Object.entries(input)) {
    for (const shorter of [...smallerJson(text), ...withoutPart(text)]) yield { ...input, [name]: shorter };
  }
}

function* withoutPart(text: string): Generator<string> {
  for (let size = text.length; size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start + size <= text.length; start += size)
      yield text.slice(0, start) + text.slice(start + size);
  }
}

/** What is JSON loses whole members first. */
function smallerJson(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return [...smallerValues(value)]
    .map((smallerValue) => JSON.stringify(smallerValue))
    .filter((t) => t.length < text.length);
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  const entries = Object.entries(value);
  const rebuild = (kept: [string, unknown][]): unknown =>
    Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept);
  for (const [, member] of entries) yield member;
  for (const place of entries.keys()) yield rebuild(entries.filter((_, index) => index !== place));
  for (const [place, [key, member]] of entries.entries()) {
    for (const less of smallerValues(member)) {
      yield rebuild(entries.map((entry, index) => (index === place ? [key, less] : entry)));
    }
  }
}
