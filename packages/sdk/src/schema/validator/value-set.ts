/**
 * A set of JSON values that tells them apart by JSON's equality. V8 hashes numbers without a secret, so a peer can choose
 * numbers that collide; strings have a secret in their hash. Every key is therefore a string.
 */
import { PER_STEP, STEPS, type WorkBudget } from "../../runtime/work-budget.js";
import { canonicalText } from "./canonical-text.js";

/** V8 takes the length of a longer string for its hash. */
const maxHashedLength = 16_383;

export class ValueSet {
  readonly #strings = new Set<string>();
  /** Canonical texts of all other values. */
  readonly #texts = new Set<string>();
  /** How many strings that are too long for a hash there are of each length. */
  readonly #unhashed = new Map<number, number>();

  get size(): number {
    return this.#strings.size + this.#texts.size;
  }

  add(value: unknown, budget: WorkBudget): void {
    budget.spend(STEPS.writtenValue);
    const isString = typeof value === "string";
    const key = isString ? value : textOf(value, budget);
    this.#spendOnLookUp(key, budget);
    (isString ? this.#strings : this.#texts).add(key);
    if (key.length > maxHashedLength) this.#unhashed.set(key.length, (this.#unhashed.get(key.length) ?? 0) + 1);
  }

  has(value: unknown, budget: WorkBudget): boolean {
    if (typeof value === "string") {
      if (this.#strings.size === 0) return false;
      this.#spendOnLookUp(value, budget);
      return this.#strings.has(value);
    }
    if (this.#texts.size === 0) return false;
    const text = textOf(value, budget);
    this.#spendOnLookUp(text, budget);
    return this.#texts.has(text);
  }

  /** Once for the hash and for the key that is equal, and once for every key that shares the hash. */
  #spendOnLookUp({ length }: string, budget: WorkBudget): void {
    budget.spendOn(length, PER_STEP.hashedCharacters);
    if (length <= maxHashedLength) return;
    budget.spendOn(length * (this.#unhashed.get(length) ?? 0), PER_STEP.comparedCharacters);
  }
}

/** Digits alone are a number to the engine, which may hash it as one. */
function textOf(value: unknown, budget: WorkBudget): string {
  return typeof value === "number" ? `#${value}` : canonicalText(value, budget);
}
