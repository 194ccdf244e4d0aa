/**
 * A map whose entries have owners, with a limit on its entries and on their total weight. Over a limit, it evicts the oldest
 * entry of the owner that holds the most. So an owner who adds many entries loses its own, and not those of others.
 */
import type { MapBounds } from "./bounded-map.js";

interface Slot<Value> {
  readonly value: Value;
  readonly weight: number;
  readonly owner: string;
}

interface Holdings<Key> {
  /** Oldest first. */
  readonly keys: Set<Key>;
  weight: number;
}

export class OwnedMap<Key, Value> {
  readonly #bounds: MapBounds;
  /** Oldest first. */
  readonly #slots = new Map<Key, Slot<Value>>();
  readonly #owners = new Map<string, Holdings<Key>>();
  #weight = 0;

  constructor(bounds: MapBounds) {
    this.#bounds = bounds;
  }

  has(key: Key): boolean {
    return this.#slots.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#slots.get(key)?.value;
  }

  /** Adds or replaces an entry as the newest one. An entry that alone exceeds the bounds is not kept. */
  set(key: Key, value: Value, weight: number, owner: string): void {
    this.delete(key);
    const { maxEntries, maxWeight } = this.#bounds;
    if (weight > maxWeight) return;
    const holdings = this.#owners.get(owner) ?? { keys: new Set(), weight: 0 };
    this.#owners.set(owner, holdings);
    this.#slots.set(key, { value, weight, owner });
    holdings.keys.add(key);
    holdings.weight += weight;
    this.#weight += weight;
    while (this.#slots.size > maxEntries) this.#evict(({ keys }) => keys.size);
    while (this.#weight > maxWeight) this.#evict((held) => held.weight);
  }

  /** The entry that was added first. */
  oldest(): readonly [Key, Value] | undefined {
    for (const [key, { value }] of this.#slots) return [key, value];
    return undefined;
  }

  /** Oldest first. */
  values(): Value[] {
    return Array.from(this.#slots.values(), ({ value }) => value);
  }

  delete(key: Key): void {
    const slot = this.#slots.get(key);
    if (!slot) return;
    this.#slots.delete(key);
    this.#weight -= slot.weight;
    // Each owner in a slot has holdings.
    const holdings = this.#owners.get(slot.owner) as Holdings<Key>;
    holdings.keys.delete(key);
    holdings.weight -= slot.weight;
    if (holdings.keys.size === 0) this.#owners.delete(slot.owner);
  }

  /** Evicts the oldest entry of the owner with the largest amount. Of equal owners, the one whose first entry came first. */
  #evict(amountOf: (holdings: Holdings<Key>) => number): void {
    const [first, ...others] = this.#owners.values();
    // Called only while there are entries, and each entry has an owner with holdings.
    const largest = others.reduce(
      (one, other) => (amountOf(other) > amountOf(one) ? other : one),
      first as Holdings<Key>,
    );
    const [oldest] = largest.keys;
    this.delete(oldest as Key);
  }
}
