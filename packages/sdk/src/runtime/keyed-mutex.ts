/** Runs functions with the same key one after the other, and functions with different keys independently. */
export class KeyedMutex {
  /** For each key in use, a promise that resolves when its last function is done. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, run: () => Promise<T>): Promise<T> {
    const running = (this.#last.get(key) ?? Promise.resolve()).then(run);
    // The next function runs whether this one succeeds or fails.
    const end = running.catch(() => undefined);
    this.#last.set(key, end);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === end) this.#last.delete(key);
    }
  }
}
