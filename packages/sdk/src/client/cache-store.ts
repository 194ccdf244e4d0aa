/** The store of a client's cache, and its default implementation: bounded, in the memory of this process. */
import { checkNumber } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { BoundedMap } from "../runtime/bounded-map.js";

/** One cached result. Plain data: a store may write it as JSON. */
export interface CacheEntry {
  /** The result as JSON text. Each caller gets a copy of its own. */
  readonly text: string;
  /** The time of receipt, in milliseconds by the clock of the cache. */
  readonly receivedAt: number;
  /** How long the result is fresh. A store may delete it earlier. It need not delete a stale one: `staleOnError` uses it. */
  readonly ttlMs: number;
}

/**
 * Stores entries by group and key, which may be any text. One group holds all entries that one change makes stale, so that a
 * store in another process can delete them in one step (a hash in Redis). Calls must take effect in the order they are made. If
 * a store throws or rejects, the client reports the error and asks the server.
 */
export interface CacheStore {
  get(group: string, key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  set(group: string, key: string, entry: CacheEntry): void | Promise<void>;
  delete(group: string, key: string): void | Promise<void>;
  deleteGroup(group: string): void | Promise<void>;
}

/** The limits of an `InMemoryCacheStore`. */
export interface InMemoryCacheStoreOptions {
  /** Entries in the store. The least recently used one is removed first. @defaultValue 1_000 */
  readonly maxEntries?: number | undefined;
  /** Characters of all entries together, keys included. A character takes one or two bytes. @defaultValue 16_777_216 */
  readonly maxCharacters?: number | undefined;
}

const OPTIONS: OptionTable<InMemoryCacheStoreOptions> = { maxEntries: true, maxCharacters: true };
const DEFAULT_MAX_ENTRIES = 1_000;
const DEFAULT_MAX_CHARACTERS = 16_777_216;

interface Slot {
  readonly id: string;
  readonly group: string;
  readonly entry: CacheEntry;
}

/**
 * Cached results in this process. Several clients may share one.
 *
 * @example
 * const cache = { store: new InMemoryCacheStore({ maxEntries: 500 }), serverKey: "https://mcp.example.com/mcp" };
 * await using client = await Client.connect("https://mcp.example.com/mcp", { name: "cli", version: "1.0.0", cache });
 */
export class InMemoryCacheStore implements CacheStore {
  readonly #slots: BoundedMap<string, Slot>;
  readonly #groups = new Map<string, Set<string>>();

  /** @throws {SdkError} `invalid-argument` for an unknown option, or a limit that is no number from 0. */
  constructor(options: InMemoryCacheStoreOptions = {}) {
    checkOptions("InMemoryCacheStore", options, OPTIONS);
    const { maxEntries = DEFAULT_MAX_ENTRIES, maxCharacters = DEFAULT_MAX_CHARACTERS } = options;
    checkNumber("maxEntries", maxEntries, 0);
    checkNumber("maxCharacters", maxCharacters, 0);
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
