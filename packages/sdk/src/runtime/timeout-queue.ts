/** FIFO queue of items that share one timeout, driven by a single timer. Used for idle sessions and slow request bodies. */

import { timerMs } from "./timers.js";
import { TransientMap } from "./transient-map.js";

/** Sessions that opened together expire together. The limit lets other work run in between. */
const MAX_EXPIRED_PER_TURN = 100;

export class TimeoutQueue<Item> {
  readonly #waitMs: number;
  readonly #onExpired: (item: Item) => void;
  /** The time at which each item expires. All items wait equally long, so the first one in expires first. */
  readonly #deadlines = new TransientMap<Item, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(waitMs: number, onExpired: (item: Item) => void) {
    this.#waitMs = waitMs;
    this.#onExpired = onExpired;
  }

  /** Starts the timeout of an item that is not in the queue. */
  add(item: Item): void {
    this.#deadlines.set(item, Date.now() + this.#waitMs);
    this.#arm();
  }

  remove(item: Item): void {
    this.#deadlines.delete(item);
  }

  /** The item that has waited longest of those that match. */
  find(matches: (item: Item) => boolean): Item | undefined {
    return this.#deadlines.keys().find(matches);
  }

  clear(): void {
    this.#deadlines.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    const next = this.#timer === undefined ? this.#deadlines.first() : undefined;
    if (next === undefined) return;
    this.#timer = setTimeout(() => this.#expire(), timerMs(next[1] - Date.now()));
    // The timer does not keep the process alive. Browsers and workerd have no `unref`.
    this.#timer.unref?.();
  }

  #expire(): void {
    this.#timer = undefined;
    const now = Date.now();
    let left = MAX_EXPIRED_PER_TURN;
    for (let next = this.#deadlines.first(); next && next[1] <= now && left > 0; next = this.#deadlines.first()) {
      left -= 1;
      this.#deadlines.delete(next[0]);
      this.#onExpired(next[0]);
    }
    this.#arm();
  }
}
