/** Random numbers that a seed fixes. Each execution has a generator of its own, so that it can be run again by itself. */

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, stream: number, index: number) {
    this.#a = seed | 0;
    this.#b = stream | 0;
    this.#c = index | 0;
    // Seeds that differ in one bit must not begin alike.
    for (let round = 0; round < 12; round++) this.#next();
  }

  /** From 0 to below `limit`. */
  below(limit: number): number {
    return this.#next() % limit;
  }

  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** True once in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(items: readonly T[]): T {
    // Callers have at least one item to choose from.
    return items[this.below(items.length)] as T;
  }

  list<T>(min: number, max: number, item: () => T): T[] {
    return Array.from({ length: this.between(min, max) }, item);
  }

  text(alphabet: readonly string[], min: number, max: number): string {
    return this.list(min, max, () => this.pick(alphabet)).join("");
  }

  /** The small fast counter generator with 32 bits (sfc32). */
  #next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}

/** A number for a name, to keep the streams of two targets apart. */
export function streamOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return hash;
}
