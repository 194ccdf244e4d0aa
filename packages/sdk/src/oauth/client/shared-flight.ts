/** Runs one task at a time, which any number of callers wait for. The task is aborted when the last caller stops waiting. */

interface Running<T> {
  readonly work: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export class SharedFlight<T> {
  #running: Running<T> | undefined;

  /**
   * Waits for the running task, or begins one with `start`.
   * @throws the rejection of the work; `signal.reason` as soon as `signal` aborts.
   */
  async join(start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    this.#running ??= this.#begin(start);
    const running = this.#running;
    running.waiting += 1;
    let leave!: () => void;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
      signal?.addEventListener("abort", leave);
    });
    try {
      return await Promise.race([running.work, left]);
    } finally {
      signal?.removeEventListener("abort", leave);
      running.waiting -= 1;
      if (running.waiting === 0) this.#abandon(running);
    }
  }

  #begin(start: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController();
    const running: Running<T> = { work: start(controller.signal), controller, waiting: 0 };
    const end = () => {
      if (this.#running === running) this.#running = undefined;
    };
    running.work.then(end, end);
    return running;
  }

  /** Aborts a task. The next caller starts a new one instead of waiting for the aborted one. */
  #abandon(running: Running<T>): void {
    if (this.#running === running) this.#running = undefined;
    running.controller.abort(new DOMException("Nobody waits for the login any more", "AbortError"));
  }
}
