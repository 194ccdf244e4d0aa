/**
 * A map whose entries have owners, with a limit on its entries and on their total weight. Over a limit, it evicts the oldest
 * entry of the owner that holds the most. So an owner who adds many entries loses its own, and not those of others.
 */
import type { MapBounds } from "./bounded-map.js";
import { RankedHeap } from "./ranked-heap.js";

interface Slot<Value> {
  readonly value: Value;
  readonly weight: number;
  readonly owner: string;
}

interface Holdings<Key> {
  readonly owner: string;
  /** Ranks owners that hold the same amount. */
  readonly since: number;
  /** Oldest first. */
  readonly keys: Set<Key>;
  /** Counts the entry that `set` is adding, unlike `keys`. */
  count: number;
  weight: number;
}

export class OwnedMap<Key, Value> {
  readonly #bounds: MapBounds;
  /** Oldest first. */
  readonly #slots = new Map<Key, Slot<Value>>();
  readonly #owners = new Map<string, Holdings<Key>>();
  /** The owners with entries to evict. Of equal owners, the one whose first entry came first is before the other. */
  readonly #byCount = new RankedHeap<Holdings<Key>>(
    (one, other) => one.count > other.count || (one.count === other.count && one.since < other.since),
  );
  readonly #byWeight = new RankedHeap<Holdings<Key>>(
    (one, other) => one.weight > other.weight || (one.weight === other.weight && one.since < other.since),
  );
  #weight = 0;
  #ownersSeen = 0;

  constructor(bounds: MapBounds) {
    this.#bounds = bounds;
  }

  has(key: Key): boolean {
    return this.#slots.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#slots.get(key)?.value;
  }

  /** Adds or replaces an entry as the newest one, and evicts others. An entry that alone exceeds the bounds is not kept. */
  set(key: Key, value: Value, weight: number, owner: string): void {
    this.delete(key);
    const { maxEntries, maxWeight } = this.#bounds;
    if (weight > maxWeight) return;
    const holdings = this.#holdingsOf(owner);
    this.#count(holdings, 1, weight);
    while (this.#slots.size + 1 > maxEntries) this.#evict(this.#byCount);
    while (this.#weight > maxWeight) this.#evict(this.#byWeight);
    this.#slots.set(key, { value, weight, owner });
    holdings.keys.add(key);
    this.#rank(holdings);
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
    // Each owner in a slot has holdings.
    const holdings = this.#owners.get(slot.owner) as Holdings<Key>;
    holdings.keys.delete(key);
    this.#count(holdings, -1, -slot.weight);
  }

  #holdingsOf(owner: string): Holdings<Key> {
    const known = this.#owners.get(owner);
    if (known) return known;
    const holdings = { owner, since: this.#ownersSeen++, keys: new Set<Key>(), count: 0, weight: 0 };
    this.#owners.set(owner, holdings);
    return holdings;
  }

  #count(holdings: Holdings<Key>, count: number, weight: number): void {
    holdings.count += count;
    holdings.weight += weight;
    this.#weight += weight;
    if (holdings.count === 0) this.#owners.delete(holdings.owner);
    this.#rank(holdings);
  }

  #rank(holdings: Holdings<Key>): void {
    for (const heap of [this.#byCount, this.#byWeight]) {
      if (holdings.keys.size === 0) heap.delete(holdings);
      else heap.update(holdings);
    }
  }

  /** Evicts the oldest entry of the first owner. Called only while there are entries. */
  #evict(owners: RankedHeap<Holdings<Key>>): void {
    const [oldest] = (owners.first() as Holdings<Key>).keys;
    this.delete(oldest as Key);
  }
}
