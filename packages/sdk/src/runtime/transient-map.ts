/**
 * A map for what comes and goes, in order of arrival. A `Map` that lives long and is filled and emptied all the time is
 * given a new table every few entries, and what stood in the old ones is kept from the quick half of garbage collection.
 * Few entries lie in two lists here, which are searched from end to end; only if there are many, in a `Map`.
 */

/** What every map begins and ends with, and none changes: most hold nothing most of the time. */
const NONE: never[] = [];

/** Up to here a search costs less than a look-up saves. */
const FEW = 64;

export class TransientMap<Key, Value> {
  #keys: Key[] = NONE;
  #values: Value[] = NONE;
  #many: Map<Key, Value> | undefined;

  constructor(entries: readonly (readonly [Key, Value])[] = NONE) {
    for (const [key, value] of entries) this.set(key, value);
  }

  get size(): number {
    return this.#many?.size ?? this.#keys.length;
  }

  has(key: Key): boolean {
    return this.#many ? this.#many.has(key) : this.#keys.includes(key);
  }

  get(key: Key): Value | undefined {
    return this.#many ? this.#many.get(key) : this.#values[this.#keys.indexOf(key)];
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

  /** False if it was not there. */
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

  /** As they are now: what is added or deleted meanwhile changes nothing about it. */
  entries(): (readonly [Key, Value])[] {
    if (this.#many) return [...this.#many];
    // Both lists are equally long.
    return this.#keys.map((key, index) => [key, this.#values[index] as Value]);
  }

  /** As they are now. */
  keys(): Key[] {
    return this.#many ? [...this.#many.keys()] : [...this.#keys];
  }

  /** As they are now. */
  values(): Value[] {
    return this.#many ? [...this.#many.values()] : [...this.#values];
  }

  /** The entry that has been here longest. */
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

/** As `splice` does, which makes a list of what it takes out. */
function removeAt<Item>(list: Item[], index: number): void {
  // Up to the last but one, each has a successor.
  for (let place = index + 1; place < list.length; place++) list[place - 1] = list[place] as Item;
  list.pop();
}
