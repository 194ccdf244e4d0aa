/** What nobody uses at the moment, longest idle first. One timer serves all of it. */
import { timerMs } from "../../../transport/timer-limit.js";

export class IdleQueue<Item> {
  readonly #idleMs: number;
  readonly #onExpired: (item: Item) => void;
  /** When each of them expires. All wait equally long, so the first in expires first. */
  readonly #deadlines = new Map<Item, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(idleMs: number, onExpired: (item: Item) => void) {
    this.#idleMs = idleMs;
    this.#onExpired = onExpired;
  }

  /** Starts the wait of an item, which is not here yet. */
  add(item: Item): void {
    this.#deadlines.set(item, Date.now() + this.#idleMs);
    this.#arm();
  }

  remove(item: Item): void {
    this.#deadlines.delete(item);
  }

  oldest(): Item | undefined {
    return this.#deadlines.keys().next().value;
  }

  clear(): void {
    this.#deadlines.clear();
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const next = this.#deadlines.values().next();
    if (this.#timer !== undefined || next.done) return;
    this.#timer = setTimeout(() => this.#expire(), timerMs(next.value - Date.now()));
    // Waiting for idle sessions is no reason for a process to stay; runtimes other than Node.js have no such thing.
    this.#timer.unref?.();
  }

  #expire(): void {
    this.#timer = undefined;
    const now = Date.now();
    for (const [item, deadline] of this.#deadlines) {
      if (deadline > now) break;
      this.#deadlines.delete(item);
      this.#onExpired(item);
    }
    this.#arm();
  }
}
