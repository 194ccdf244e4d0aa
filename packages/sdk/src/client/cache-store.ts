/** Where a client's cache keeps results, and the default for it: this process's memory, within bounds. */
import { BoundedMap } from "../runtime/bounded-map.js";

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
  /** Characters of all entries together, keys included. A character takes one or two bytes. @defaultValue 16_777_216 */
  readonly maxCharacters?: number | undefined;
}

const DEFAULT_MAX_ENTRIES = 1_000;
const DEFAULT_MAX_CHARACTERS = 16_777_216;

interface Slot {
  readonly id: string;
  readonly group: string;
  readonly entry: CacheEntry;
}

/** Entries in this process. Several clients may share one. */
export class InMemoryCacheStore implements CacheStore {
  readonly #slots: BoundedMap<string, Slot>;
  readonly #groups = new Map<string, Set<string>>();

  constructor({
    maxEntries = DEFAULT_MAX_ENTRIES,
    maxCharacters = DEFAULT_MAX_CHARACTERS,
  }: InMemoryCacheStoreOptions = {}) {
    this.#slots = new BoundedMap({ maxEntries, maxWeight: maxCharacters }, (slot) => this.#leaveGroup(slot));
  }

  get(group: string, key: string): CacheEntry | undefined {
    const id = idOf(group, key);
    this.#slots.touch(id);
    return this.#slots.get(id)?.entry;
  }

  set(group: string, key: string, entry: CacheEntry): void {
    const id = idOf(group, key);
    this.#remove(id);
    if (!this.#slots.set(id, { id, group, entry }, id.length + entry.text.length)) return;
    const members = this.#groups.get(group);
    if (members) members.add(id);
    else this.#groups.set(group, new Set([id]));
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
    this.#leaveGroup(slot);
  }

  #leaveGroup({ id, group }: Slot): void {
    const members = this.#groups.get(group);
    members?.delete(id);
    if (members?.size === 0) this.#groups.delete(group);
  }
}

function idOf(group: string, key: string): string {
  return JSON.stringify([group, key]);
}
