/** What is in use right now, and word of when nothing is any more. */
import { TransientMap } from "../../../runtime/transient-map.js";

export class Occupancy<Item> {
  readonly #items = new TransientMap<Item, true>();
  readonly #onEmpty: (() => void)[] = [];

  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.keys()[Symbol.iterator]();
  }

  enter(item: Item): void {
    this.#items.set(item, true);
  }

  /** False if it was not there. */
  leave(item: Item): boolean {
    const wasThere = this.#items.delete(item);
    if (this.#items.size === 0 && this.#onEmpty.length > 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
    return wasThere;
  }

  whenEmpty(): Promise<void> {
    if (this.#items.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }
}
