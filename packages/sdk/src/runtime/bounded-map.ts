/**
 * A map with a limit on its entries and on their total weight. It evicts the oldest entries first. A weight is the caller's
 * estimate of the bytes that an entry retains, its key included.
 */
export interface MapBounds {
  readonly maxEntries: number;
  /** The sum of the weights of all entries. */
  readonly maxWeight: number;
}

export class BoundedMap<Key, Value> {
  readonly #bounds: MapBounds;
  readonly #onEvicted: ((value: Value) => void) | undefined;
  /** Oldest first. */
  readonly #slots = new Map<Key, { readonly value: Value; readonly weight: number }>();
  #weight = 0;
  /** The key of the newest entry. Undefined if that entry was deleted. */
  #newest: Key | undefined;

  /** @param onEvicted called for each entry that is evicted, and for none that is deleted or replaced */
  constructor(bounds: MapBounds, onEvicted?: (value: Value) => void) {
    this.#bounds = bounds;
    this.#onEvicted = onEvicted;
  }

  get size(): number {
    return this.#slots.size;
  }

  has(key: Key): boolean {
    return this.#slots.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#slots.get(key)?.value;
  }

  /**
   * Adds or replaces an entry as the newest one, and evicts the oldest entries until the bounds hold. Returns false if the
   * entry alone exceeds the bounds. Then it is not added, and an entry under the same key is deleted.
   */
  set(key: Key, value: Value, weight: number): boolean {
    this.delete(key);
    const { maxEntries, maxWeight } = this.#bounds;
    if (weight > maxWeight || maxEntries < 1) return false;
    this.#slots.set(key, { value, weight });
    this.#newest = key;
    this.#weight += weight;
    for (const [oldest, slot] of this.#slots) {
      if (this.#slots.size <= maxEntries && this.#weight <= maxWeight) break;
      this.delete(oldest);
      this.#onEvicted?.(slot.value);
    }
    return true;
  }

  /** The entry that would be evicted next. */
  oldest(): readonly [Key, Value] | undefined {
    for (const [key, { value }] of this.#slots) return [key, value];
    return undefined;
  }

  /** Oldest first. */
  values(): Value[] {
    return Array.from(this.#slots.values(), ({ value }) => value);
  }

  clear(): void {
    this.#slots.clear();
    this.#weight = 0;
  }

  /** Makes an entry the newest one, so that it is evicted last. Moving an entry in a `Map` is slow, so the newest one stays. */
  touch(key: Key): void {
    if (key === this.#newest) return;
    const slot = this.#slots.get(key);
    if (!slot) return;
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    this.#newest = key;
  }

  /** Returns false if there was no such entry. */
  delete(key: Key): boolean {
    const slot = this.#slots.get(key);
    if (!slot) return false;
    this.#weight -= slot.weight;
    return this.#slots.delete(key);
  }
}
