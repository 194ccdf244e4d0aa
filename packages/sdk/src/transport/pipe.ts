/**
 * A pair of connected ends in one process. Each value reaches the other end by reference, in order, in a later microtask.
 * memory-transport.ts sends text through it, the direct dispatcher sends messages.
 */
export interface PipeReceiver<T> {
  receive(value: T): void;
  /** Called once, after everything that was sent before the other end closed. */
  closed(): void;
}

// Cheaper than queueMicrotask, which makes an async resource per call on Node.
const resolved = Promise.resolve();

export class PipeEnd<T> {
  #peer: PipeEnd<T> = this;
  #receiver: PipeReceiver<T> | undefined;
  #drain: (() => void) | undefined;
  #inbox: T[] = [];
  #next = 0;
  #isScheduled = false;
  #isClosed = false;
  #isAnnounced = false;

  static join<T>(): [PipeEnd<T>, PipeEnd<T>] {
    const left = new PipeEnd<T>();
    const right = new PipeEnd<T>();
    left.#peer = right;
    right.#peer = left;
    return [left, right];
  }

  /** True once either end is closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Begins delivery, starting with values that were sent before. */
  start(receiver: PipeReceiver<T>): void {
    this.#receiver = receiver;
    this.#drain = () => this.#deliver(receiver);
    if (this.#inbox.length > 0 || this.#isClosed) this.#schedule();
  }

  /** Sends a value to the other end. False if the pipe is closed. */
  send(value: T): boolean {
    if (this.#isClosed) return false;
    this.#peer.#enqueue(value);
    return true;
  }

  /** Closes both ends. This end is closed synchronously and drops undelivered values. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#inbox.length = this.#next;
    this.#announce();
    this.#peer.#closeFromPeer();
  }

  #closeFromPeer(): void {
    this.#isClosed = true;
    this.#schedule();
  }

  #enqueue(value: T): void {
    this.#inbox.push(value);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#drain === undefined) return;
    this.#isScheduled = true;
    void resolved.then(this.#drain);
  }

  #deliver(receiver: PipeReceiver<T>): void {
    this.#isScheduled = false;
    while (this.#next < this.#inbox.length) {
      const value = this.#inbox[this.#next++] as T; // The loop's condition keeps the index inside.
      receiver.receive(value);
    }
    this.#inbox.length = 0;
    this.#next = 0;
    if (this.#isClosed) this.#announce();
  }

  #announce(): void {
    if (this.#isAnnounced || this.#receiver === undefined) return;
    this.#isAnnounced = true;
    this.#receiver.closed();
  }
}
