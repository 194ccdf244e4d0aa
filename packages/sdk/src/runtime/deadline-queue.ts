/** Priority queue of items with different deadlines, driven by a single timer. `TimeoutQueue` serves items that share one timeout. */

import { timerMs } from "./timers.js";

/** Items that were added together expire together. The limit lets other work run in between. */
const MAX_EXPIRED_PER_TURN = 100;

interface Entry<Item> {
  readonly item: Item;
  readonly deadline: number;
  /** Its place in the heap. */
  index: number;
}

export class DeadlineQueue<Item> {
  readonly #now: () => number;
  readonly #onExpired: (item: Item) => void;
  /** A binary heap: the entry at `index` is due no later than those at `2 * index + 1` and `2 * index + 2`. */
  readonly #heap: Entry<Item>[] = [];
  readonly #entries = new Map<Item, Entry<Item>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerDeadline = Number.POSITIVE_INFINITY;

  constructor(now: () => number, onExpired: (item: Item) => void) {
    this.#now = now;
    this.#onExpired = onExpired;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Adds an item that is not in the queue. An infinite deadline never comes. */
  add(item: Item, deadline: number): void {
    const entry: Entry<Item> = { item, deadline, index: this.#heap.length };
    this.#heap.push(entry);
    this.#entries.set(item, entry);
    this.#rise(entry);
    this.#arm();
  }

  has(item: Item): boolean {
    return this.#entries.has(item);
  }

  remove(item: Item): void {
    const entry = this.#entries.get(item);
    if (entry === undefined) return;
    this.#entries.delete(item);
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#place(last, entry.index);
    this.#rise(last);
    this.#sink(last);
  }

  /** Expires at most `max` items whose deadlines have come, the earliest first. */
  expire(max: number = MAX_EXPIRED_PER_TURN): void {
    const now = this.#now();
    let left = max;
    for (let next = this.#heap[0]; next && next.deadline <= now && left > 0; next = this.#heap[0]) {
      left -= 1;
      this.remove(next.item);
      this.#onExpired(next.item);
    }
  }

  clear(): void {
    this.#heap.length = 0;
    this.#entries.clear();
    this.#disarm();
  }

  #arm(): void {
    const next = this.#heap[0];
    if (next === undefined || next.deadline >= this.#timerDeadline) return;
    this.#disarm();
    this.#timerDeadline = next.deadline;
    this.#timer = setTimeout(() => this.#turn(), timerMs(Math.max(0, next.deadline - this.#now())));
    // The timer does not keep the process alive. Browsers and workerd have no `unref`.
    this.#timer.unref?.();
  }

  #turn(): void {
    this.#disarm();
    this.expire();
    this.#arm();
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerDeadline = Number.POSITIVE_INFINITY;
  }

  #rise(entry: Entry<Item>): void {
    while (entry.index > 0) {
      // The parent of a place above 0 exists.
      const parent = this.#heap[(entry.index - 1) >> 1] as Entry<Item>;
      if (parent.deadline <= entry.deadline) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: Entry<Item>): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child = left && right && right.deadline < left.deadline ? right : left;
      if (child === undefined || child.deadline >= entry.deadline) return;
      this.#swap(entry, child);
    }
  }

  #swap(one: Entry<Item>, other: Entry<Item>): void {
    const { index } = one;
    this.#place(one, other.index);
    this.#place(other, index);
  }

  #place(entry: Entry<Item>, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }
}
