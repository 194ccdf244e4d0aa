/** One subscription of a client, as its author sees it: an iterator over changes. */
import type { ServerChange } from "./change-feed.js";
import type { ChangeQueue } from "./change-queue.js";
import type { ListenFilter } from "./listen-filter.js";

/**
 * Changes as they happen. What was not read yet is kept once per list and resource. Iteration ends when either side ends
 * the subscription, and throws when the connection is lost.
 */
export class Subscription implements AsyncIterable<ServerChange, undefined>, AsyncDisposable {
  /** What the server agreed to announce of what was asked for. */
  readonly honored: ListenFilter;
  readonly #queue: ChangeQueue;
  readonly #onClose: () => void | Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(honored: ListenFilter, queue: ChangeQueue, onClose: () => void | Promise<void>) {
    this.honored = honored;
    this.#queue = queue;
    this.#onClose = onClose;
  }

  /** Ends it from this side; what was not read is forgotten. Leaving a `for await` loop does the same. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // Not a generator: its return() would wait for a next() that waits for a change.
  [Symbol.asyncIterator](): AsyncIterator<ServerChange, undefined> {
    return {
      next: () => this.#queue.next(),
      return: async () => {
        await this.close();
        return { done: true, value: undefined };
      },
    };
  }

  async #close(): Promise<void> {
    this.#queue.clear();
    if (this.#queue.end()) await this.#onClose();
  }
}
