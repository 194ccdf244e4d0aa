/** Runs the work of one key after the other, in the order of asking. Work of other keys does not wait. */
export class KeyQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const own = before.then(work);
    const settled = own.then(ignore, ignore).then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    this.#last.set(key, settled);
    return own;
  }
}

function ignore(): void {
  // The caller of the work gets its failure.
}
