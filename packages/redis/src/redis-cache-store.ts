/** Stores the cache of clients in Redis, so that the clients of several processes fetch a result once. */
import { type CacheEntry, type CacheStore, type InMemoryCacheStoreOptions, SdkError } from "parley-mcp/client";
import { BoundedTable } from "./bounded-table.js";
import { KeyQueue } from "./key-queue.js";
import { checkFrom } from "./limit-checks.js";
import type { RedisConnection } from "./redis-connection.js";

/** Over a limit, the store drops the oldest entry of the group that holds the most. */
export interface RedisCacheStoreOptions extends InMemoryCacheStoreOptions {
  /** Keep a result this long after it is stale, for `staleOnError`. @defaultValue 3_600_000 */
  readonly keepStaleMs?: number | undefined;
}

/**
 * Keeps results of servers in Redis. A value of another program counts as absent.
 *
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 0
 * @example
 * const store = new RedisCacheStore(await RedisConnection.open("redis://localhost:6379"));
 * const client = new Client({ name: "studio", version: "1.0.0", cache: { store } });
 */
export class RedisCacheStore implements CacheStore {
  readonly #table: BoundedTable;
  readonly #keepStaleMs: number;
  /** Calls take effect in the order they are made. A script that Redis does not know yet takes a call longer. */
  readonly #calls = new KeyQueue();

  constructor(connection: RedisConnection, options: RedisCacheStoreOptions = {}) {
    const { maxEntries = 1_000, maxCharacters = 16_777_216, keepStaleMs = 3_600_000 } = options;
    for (const [name, value] of Object.entries({ maxEntries, maxCharacters, keepStaleMs })) checkFrom(name, value, 0);
    this.#table = new BoundedTable(connection, "cache", { maxRecords: maxEntries, maxCharacters }, Date.now);
    this.#keepStaleMs = keepStaleMs;
  }

  get(group: string, key: string): Promise<CacheEntry | undefined> {
    return this.#calls.run(group, async () => {
      const id = idOf(group, key);
      return entryIn((await this.#table.get(id, "absent"))?.value);
    });
  }

  set(group: string, key: string, entry: CacheEntry): Promise<void> {
    return this.#calls.run(group, async () => {
      const { text, receivedAt, ttlMs } = entry;
      const expiresAt = Date.now() + ttlMs + this.#keepStaleMs;
      const record = { value: { text, receivedAt, ttlMs }, expiresAt, owner: group };
      await this.#table.set(idOf(group, key), record).catch(ignoreTooLarge);
    });
  }

  delete(group: string, key: string): Promise<void> {
    return this.#calls.run(group, () => this.#table.delete(idOf(group, key)));
  }

  deleteGroup(group: string): Promise<void> {
    return this.#calls.run(group, () => this.#table.deleteOwned(group));
  }
}

function entryIn(value: unknown): CacheEntry | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { text, receivedAt, ttlMs } = value as Partial<CacheEntry>;
  if (typeof text !== "string" || typeof receivedAt !== "number" || typeof ttlMs !== "number") return undefined;
  return { text, receivedAt, ttlMs };
}

/** An entry that is too large is not kept. */
function ignoreTooLarge(error: unknown): void {
  if (!(error instanceof SdkError && error.code === "too-large")) throw error;
}

function idOf(group: string, key: string): string {
  return JSON.stringify([group, key]);
}
