/** Where a client's cache keeps results, and the default for it: this process's memory, within bounds. */

/** One kept result. Plain data: a store may write it as JSON. */
export interface CacheEntry {
  /** The result as JSON text, so that no caller's change to what it was handed shows here. */
  readonly text: string;
  /** When it was received, in milliseconds by the clock of the cache that kept it. */
  readonly receivedAt: number;
  /** For how many milliseconds it is fresh. A store may forget it earlier, and later if stale entries are not wanted. */
  readonly ttlMs: number;
}

/**
 * Keeps entries by group and key, both of them any text. Whatever one change at the server makes stale is one group, so
 * that a store in another process can forget it in one step (a hash in Redis). Calls take effect in the order they are
 * made. A store that throws or rejects costs a request to the server, never the caller's call.
 */
export interface CacheStore {
  get(group: string, key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  set(group: string, key: string, entry: CacheEntry): void | Promise<void>;
  delete(group: string, key: string): void | Promise<void>;
  deleteGroup(group: string): void | Promise<void>;
}

export interface InMemoryCacheStoreOptions {
  /** Entries in the store. The least recently used one is removed first. @defaultValue 1_000 */
  readonly maxEntries?: number | undefined;
  /** Characters of text in all entries together. @defaultValue 16_777_216 */
  readonly maxCharacters?: number | undefined;
}

const DEFAULT_MAX_ENTRIES = 1_000;
const DEFAULT_MAX_CHARACTERS = 16_777_216;

/** Entries in this process. Several clients may share one. */
export class InMemoryCacheStore implements CacheStore {
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  /** In the order of their last use, oldest first. */
  readonly #slots = new Map<string, { readonly group: string; readonly entry: CacheEntry }>();
  readonly #groups = new Map<string, Set<string>>();
  #characters = 0;

  constructor({
    maxEntries = DEFAULT_MAX_ENTRIES,
    maxCharacters = DEFAULT_MAX_CHARACTERS,
  }: InMemoryCacheStoreOptions = {}) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  get(group: string, key: string): CacheEntry | undefined {
    const id = idOf(group, key);
    const slot = this.#slots.get(id);
    if (!slot) return undefined;
    this.#slots.delete(id);
    this.#slots.set(id, slot);
    return slot.entry;
  }

  set(group: string, key: string, entry: CacheEntry): void {
    const id = idOf(group, key);
    this.#remove(id);
    this.#slots.set(id, { group, entry });
    this.#characters += entry.text.length;
    const members = this.#groups.get(group);
    if (members) members.add(id);
    else this.#groups.set(group, new Set([id]));
    for (const oldest of this.#slots.keys()) {
      if (this.#slots.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) return;
      this.#remove(oldest);
    }
  }

  delete(group: string, key: string): void {
    this.#remove(idOf(group, key));
  }

  deleteGroup(group: string): void {
    for (const id of this.#groups.get(group) ?? []) this.#remove(id);
  }

  #remove(id: string): void {
    const slot = this.#slots.get(id);
    if (!slot) return;
    this.#slots.delete(id);
    this.#characters -= slot.entry.text.length;
    const members = this.#groups.get(slot.group);
    members?.delete(id);
    if (members?.size === 0) this.#groups.delete(slot.group);
  }
}

function idOf(group: string, key: string): string {
  return JSON.stringify([group, key]);
}
