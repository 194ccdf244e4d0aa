/** A binary heap whose items may change their rank. Adding, changing and deleting an item takes logarithmic time. */
export class RankedHeap<Item> {
  readonly #isBefore: (one: Item, other: Item) => boolean;
  /** The parent of the item at `index` is at `(index - 1) >> 1`, and no item is before its parent. */
  readonly #items: Item[] = [];
  readonly #indexes = new Map<Item, number>();

  constructor(isBefore: (one: Item, other: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  first(): Item | undefined {
    return this.#items[0];
  }

  /** Adds an item, or moves it to the place of its new rank. */
  update(item: Item): void {
    this.#settle(item, this.#indexes.get(item) ?? this.#items.length);
  }

  delete(item: Item): void {
    const index = this.#indexes.get(item);
    if (index === undefined) return;
    this.#indexes.delete(item);
    // The heap holds at least `item`.
    const last = this.#items.pop() as Item;
    if (last !== item) this.#settle(last, index);
  }

  /** Places an item at a free index, or above or below it. */
  #settle(item: Item, free: number): void {
    let index = free;
    while (index > 0 && this.#isBefore(item, this.#at((index - 1) >> 1))) index = this.#move((index - 1) >> 1, index);
    for (let child = this.#childBefore(item, index); child !== undefined; child = this.#childBefore(item, index)) {
      index = this.#move(child, index);
    }
    this.#put(item, index);
  }

  /** The first child of an index, if it is before the item. */
  #childBefore(item: Item, index: number): number | undefined {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    if (left >= this.#items.length) return undefined;
    const child = right < this.#items.length && this.#isBefore(this.#at(right), this.#at(left)) ? right : left;
    return this.#isBefore(this.#at(child), item) ? child : undefined;
  }

  #move(from: number, to: number): number {
    this.#put(this.#at(from), to);
    return from;
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    this.#indexes.set(item, index);
  }

  #at(index: number): Item {
    return this.#items[index] as Item;
  }
}
