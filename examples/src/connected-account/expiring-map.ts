/** A map that holds a bounded number of entries, each for a bounded time. The oldest makes room for a new one. */
export interface ExpiringMapOptions {
  readonly maxEntries: number;
  readonly maxAgeMs: number;
}

export class ExpiringMap<Value> {
  readonly #options: ExpiringMapOptions;
  /** Oldest first. */
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(options: ExpiringMapOptions) {
    this.#options = options;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && Date.now() < entry.until ? entry.value : undefined;
  }

  set(key: string, value: Value): void {
    const { maxEntries, maxAgeMs } = this.#options;
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: Date.now() + maxAgeMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries) return;
      this.#entries.delete(oldest);
    }
  }

  /** Removes an entry and returns it, so that it counts once. */
  take(key: string): Value | undefined {
    const value = this.get(key);
    this.#entries.delete(key);
    return value;
  }
}
