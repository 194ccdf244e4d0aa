/** Stores the state of an authorization server in Redis, for several processes that serve one issuer. */
import type { AuthorizationStore, StoredRecord, StoreTable, StoreTables } from "parley-mcp/oauth/server";
import { ProtocolError, SdkError } from "parley-mcp/server";
import { BoundedTable, brokenValue, type StoredText } from "./bounded-table.js";
import { KeyQueue } from "./key-queue.js";
import { checkFrom } from "./limit-checks.js";
import type { RedisConnection } from "./redis-connection.js";

/** Limits of each table. Over a limit, the store drops the oldest record of the owner that has the most. */
export interface RedisAuthorizationStoreOptions {
  /** Records per table. @defaultValue 100_000 */
  readonly maxRecords?: number | undefined;
  /** Characters of keys and records per table. @defaultValue 67_108_864 */
  readonly maxCharacters?: number | undefined;
  /** The clock, in milliseconds since 1970. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

/** Attempts of one update. Updates of this process wait for each other, so only other processes cause conflicts. */
const MAX_ATTEMPTS = 32;

/**
 * Keeps the state of an authorization server in Redis. It holds the private signing keys: whoever reads this Redis can issue tokens.
 *
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1
 * @example
 * const store = new RedisAuthorizationStore(await RedisConnection.open("redis://localhost:6379"));
 */
export class RedisAuthorizationStore implements AuthorizationStore {
  readonly #tableOf: (table: StoreTable) => BoundedTable;
  readonly #now: () => number;
  readonly #updates = new KeyQueue();

  constructor(connection: RedisConnection, options: RedisAuthorizationStoreOptions = {}) {
    const { maxRecords = 100_000, maxCharacters = 67_108_864, now = Date.now } = options;
    checkFrom("maxRecords", maxRecords, 1);
    checkFrom("maxCharacters", maxCharacters, 1);
    this.#now = now;
    this.#tableOf = (table) => new BoundedTable(connection, `oauth:${table}`, { maxRecords, maxCharacters }, now);
  }

  async get<Table extends StoreTable>(
    table: Table,
    key: string,
  ): Promise<StoredRecord<StoreTables[Table]> | undefined> {
    const records = this.#tableOf(table);
    return this.#living<Table>(await records.read(key), records.keyOf(key));
  }

  async update<Table extends StoreTable>(
    table: Table,
    key: string,
    change: (current: StoredRecord<StoreTables[Table]> | undefined) => StoredRecord<StoreTables[Table]> | undefined,
  ): Promise<void> {
    await this.#updates.run(`${table} ${key}`, async () => {
      const records = this.#tableOf(table);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const before = await records.read(key);
        const next = change(this.#living<Table>(before, records.keyOf(key)));
        if (next && !Number.isFinite(next.expiresAt)) throw endless(table, next.expiresAt);
        if (await records.replace(key, before, next)) return;
      }
      throw busy();
    });
  }

  #living<Table extends StoreTable>(
    stored: StoredText | undefined,
    key: string,
  ): StoredRecord<StoreTables[Table]> | undefined {
    if (stored === undefined) return undefined;
    const { value, expiresAt, owner } = stored.record;
    if (typeof value !== "object" || value === null) throw brokenValue(key);
    if (expiresAt <= this.#now()) return undefined;
    // The key names the table, and only this class writes it.
    return { value: value as StoreTables[Table], expiresAt, ...(owner !== undefined && { owner }) };
  }
}

function busy(): ProtocolError {
  const data = { limit: "server", retryAfterMs: 1_000 };
  return new ProtocolError(429, "Other processes keep changing this record; try again later", { data });
}

function endless(table: StoreTable, expiresAt: number): SdkError {
  const complaint = `expiresAt must be a finite number of milliseconds since 1970, got ${expiresAt}`;
  return new SdkError("invalid-argument", `${table}: ${complaint}`);
}
