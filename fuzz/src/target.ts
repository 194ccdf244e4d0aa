/** What can be fuzzed: where its inputs come from, and what must hold of each. */
import type { Random } from "./random.js";

/** Named texts, so that every input can be printed, kept in a file and made smaller. Bytes are one character each. */
export type FuzzInput = Readonly<Record<string, string>>;

export interface Target {
  readonly name: string;
  /** How many executions it gets, in proportion to the others. */
  readonly share: number;
  /** How long one execution may take on a quiet machine. */
  readonly maxMs: number;
  /** What must have come out at least once in a long run: else the inputs never reach the code in question. */
  readonly outcomes: readonly string[];
  generate(random: Random): FuzzInput;
  /** Names what came out. @throws {Violation} where a property does not hold; anything else it throws is one, too. */
  check(input: FuzzInput): string | Promise<string>;
  /** Lets go of what it holds open. */
  close?(): Promise<void>;
}

/** Something that must hold does not. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly property: string;

  constructor(property: string, detail: string) {
    super(`${property}: ${detail}`);
    this.property = property;
  }
}

export function demand(holds: boolean, property: string, detail: () => string): void {
  if (!holds) throw new Violation(property, detail());
}

/** Two values that must be written alike in JSON. */
export function demandEqual(actual: unknown, expected: unknown, property: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Violation(property, `got ${one}, expected ${other}`);
}

/** A field of an input; absent in what was written by hand or made smaller. */
export function field(input: FuzzInput, name: string): string {
  return input[name] ?? "";
}

export function toBytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

/** A text as the bytes that UTF-8 makes of it, one character each. */
export function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Bytes in the pieces that `cuts` names, as places separated by commas; out of order or too large is no harm. */
export function pieces(bytes: Uint8Array, cuts: string): Uint8Array[] {
  const places = cuts.split(",").map((text) => Math.min(Math.max(Math.trunc(Number(text)) || 0, 0), bytes.length));
  const sorted = [...places, bytes.length].sort((one, other) => one - other);
  return sorted.map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

/** Bytes one by one, as far as that is affordable, then the rest. */
export function singly(bytes: Uint8Array): Uint8Array[] {
  const count = Math.min(bytes.length, 300);
  const ones = Array.from({ length: count }, (_, index) => bytes.subarray(index, index + 1));
  return [...ones, bytes.subarray(count)];
}

export function randomCuts(random: Random, length: number): string {
  return random.list(0, 6, () => random.below(length + 1)).join();
}
