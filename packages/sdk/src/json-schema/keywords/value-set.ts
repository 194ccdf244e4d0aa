/**
 * A set of JSON values, compared by JSON's equality. V8 hashes numbers without a secret, so a peer can choose
 * numbers that collide. Numbers are therefore sorted; all other values are strings, whose hashes have a secret.
 */

import { canonicalJson } from "../../runtime/canonical-json.js";
import { type Budget, PER_STEP, STEPS } from "../../runtime/work-budget.js";

/** V8 hashes longer strings by their length alone. */
const MAX_HASHED_LENGTH = 16_383;

export class ValueSet {
  readonly #numbers: number[] = [];
  /** The sorted numbers; `undefined` after a number was added. */
  #sorted: Float64Array | undefined;
  readonly #strings = new Set<string>();
  /** Canonical texts of all other values. */
  readonly #texts = new Set<string>();
  /** Keys that are too long to be hashed, counted by length. */
  #unhashed: Map<number, number> | undefined;

  /** The number of different values. */
  get size(): number {
    let numbers = 0;
    let last: number | undefined;
    for (const number of this.#sortedNumbers()) {
      if (number !== last) numbers += 1;
      last = number;
    }
    return numbers + this.#strings.size + this.#texts.size;
  }

  add(value: unknown, budget: Budget): void {
    budget.spend(STEPS.addedValue);
    if (typeof value === "number") {
      this.#numbers.push(value);
      this.#sorted = undefined;
      return;
    }
    const isString = typeof value === "string";
    const key = isString ? value : canonicalJson(value, budget);
    this.#spendOnLookUp(key, budget);
    (isString ? this.#strings : this.#texts).add(key);
    if (key.length <= MAX_HASHED_LENGTH) return;
    this.#unhashed ??= new Map();
    this.#unhashed.set(key.length, (this.#unhashed.get(key.length) ?? 0) + 1);
  }

  has(value: unknown, budget: Budget): boolean {
    if (typeof value === "number") return isAmong(value, this.#sortedNumbers());
    if (typeof value === "string") {
      if (this.#strings.size === 0) return false;
      this.#spendOnLookUp(value, budget);
      return this.#strings.has(value);
    }
    if (this.#texts.size === 0) return false;
    const text = canonicalJson(value, budget);
    this.#spendOnLookUp(text, budget);
    return this.#texts.has(text);
  }

  #sortedNumbers(): Float64Array {
    this.#sorted ??= Float64Array.from(this.#numbers).sort();
    return this.#sorted;
  }

  /** Pays for the hash, for the comparison with the equal key, and for one comparison with every key of the same hash. */
  #spendOnLookUp({ length }: string, budget: Budget): void {
    budget.spendOn(length, PER_STEP.hashedCharacters);
    if (length <= MAX_HASHED_LENGTH) return;
    budget.spendOn(length * (this.#unhashed?.get(length) ?? 0), PER_STEP.comparedCharacters);
  }
}

/** Binary search. */
function isAmong(value: number, sorted: Float64Array): boolean {
  let start = 0;
  let end = sorted.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (Number(sorted[middle]) < value) start = middle + 1;
    else end = middle;
  }
  return sorted[start] === value;
}
