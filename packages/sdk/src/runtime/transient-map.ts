/**
 * A map for short-lived entries, in order of insertion. A long-lived `Map` that is filled and emptied all the time rehashes
 * every few entries. Rehashing promotes dead entries to the old generation. This map keeps up to 64 entries in two arrays and
 * searches them linearly. It switches to a `Map` beyond that.
 */

/** The shared array of all empty maps; never written to. Most maps are empty most of the time. */
const NONE: never[] = [];

/** Entries up to which a linear search is cheap. */
const FEW = 64;

export class TransientMap<Key, Value> {
  #keys: Key[] = NONE;
  #values: Value[] = NONE;
  #many: Map<Key, Value> | undefined;

  get size(): number {
    return this.#many?.size ?? this.#keys.length;
  }

  has(key: Key): boolean {
    return this.#many ? this.#many.has(key) : this.#keys.includes(key);
  }

  get(key: Key): Value | undefined {
    if (this.#many) return this.#many.get(key);
    const index = this.#keys.indexOf(key);
    // An array has no element -1, and looking for it takes longer than the search.
    return index < 0 ? undefined : this.#values[index];
  }

  set(key: Key, value: Value): void {
    if (this.#many) {
      this.#many.set(key, value);
      return;
    }
    if (this.#keys === NONE) {
      this.#keys = [key];
      this.#values = [value];
      return;
    }
    const index = this.#keys.indexOf(key);
    if (index >= 0) {
      this.#values[index] = value;
      return;
    }
    this.#keys.push(key);
    this.#values.push(value);
    if (this.#keys.length <= FEW) return;
    this.#many = new Map(this.entries());
    this.#forget();
  }

  /** Returns false if there was no such entry. */
  delete(key: Key): boolean {
    if (this.#many) return this.#deleteOfMany(this.#many, key);
    const index = this.#keys.indexOf(key);
    if (index < 0) return false;
    if (this.#keys.length === 1) {
      this.#forget();
      return true;
    }
    removeAt(this.#keys, index);
    removeAt(this.#values, index);
    return true;
  }

  clear(): void {
    this.#many = undefined;
    this.#forget();
  }

  /** A copy: later additions and deletions do not change it. */
  entries(): (readonly [Key, Value])[] {
    if (this.#many) return [...this.#many];
    // Both lists are equally long.
    return this.#keys.map((key, index) => [key, this.#values[index] as Value]);
  }

  /** A copy. */
  keys(): Key[] {
    return this.#many ? [...this.#many.keys()] : [...this.#keys];
  }

  /** A copy. */
  values(): Value[] {
    return this.#many ? [...this.#many.values()] : [...this.#values];
  }

  /** The oldest entry. */
  first(): readonly [Key, Value] | undefined {
    if (this.#many) return this.#many.entries().next().value;
    // Both lists are equally long.
    return this.#keys.length === 0 ? undefined : [this.#keys[0] as Key, this.#values[0] as Value];
  }

  #deleteOfMany(many: Map<Key, Value>, key: Key): boolean {
    const wasThere = many.delete(key);
    if (many.size === 0) this.#many = undefined;
    return wasThere;
  }

  #forget(): void {
    this.#keys = NONE;
    this.#values = NONE;
  }
}

/** Removes one item. `splice` would allocate an array for it. */
function removeAt<Item>(list: Item[], index: number): void {
  // `place` is below the length, so the item exists.
  for (let place = index + 1; place < list.length; place++) list[place - 1] = list[place] as Item;
  list.pop();
}
