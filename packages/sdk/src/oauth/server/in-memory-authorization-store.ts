/** Stores the state of an authorization server in memory: bounded tables of JSON text. */
import { checkLimit } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { OwnedMap } from "../../runtime/owned-map.js";
import {
  type AuthorizationStore,
  STORE_TABLES,
  type StoredRecord,
  type StoreTable,
  type StoreTables,
} from "./authorization-store.js";

/** Limits of a store in memory. Over a limit, it drops the oldest record of the owner that has the most. */
export interface MemoryAuthorizationStoreOptions {
  /** Records per table. @defaultValue 10_000 */
  readonly maxRecords?: number;
  /** Characters of keys and records per table. @defaultValue 16_777_216 */
  readonly maxCharacters?: number;
  /** The clock, in milliseconds since 1970. @defaultValue Date.now */
  readonly now?: () => number;
}

export const MEMORY_AUTHORIZATION_STORE_OPTIONS: OptionTable<MemoryAuthorizationStoreOptions> = {
  maxRecords: true,
  maxCharacters: true,
  now: "function",
};

/** One record with its table and key, as JSON text. */
export interface StoreEntry {
  readonly table: StoreTable;
  readonly key: string;
  readonly text: string;
  readonly expiresAt: number;
  readonly owner?: string;
}

const MAX_RECORDS = 10_000;
const MAX_CHARACTERS = 16_777_216;

/**
 * Keeps the state of an authorization server in this process. A restart forgets all of it.
 *
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1
 * @example
 * const store = new InMemoryAuthorizationStore({ maxRecords: 1_000 });
 */
export class InMemoryAuthorizationStore implements AuthorizationStore {
  readonly #now: () => number;
  readonly #tables: Readonly<Record<StoreTable, OwnedMap<string, StoreEntry>>>;

  constructor(options: MemoryAuthorizationStoreOptions = {}) {
    checkOptions("InMemoryAuthorizationStore", options, MEMORY_AUTHORIZATION_STORE_OPTIONS);
    const { maxRecords = MAX_RECORDS, maxCharacters = MAX_CHARACTERS, now = Date.now } = options;
    checkLimit("maxRecords", maxRecords);
    checkLimit("maxCharacters", maxCharacters);
    this.#now = now;
    const bounds = { maxEntries: maxRecords, maxWeight: maxCharacters };
    const tables = STORE_TABLES.map((table) => [table, new OwnedMap<string, StoreEntry>(bounds)]);
    this.#tables = Object.fromEntries(tables) as Record<StoreTable, OwnedMap<string, StoreEntry>>;
  }

  async get<Table extends StoreTable>(
    table: Table,
    key: string,
  ): Promise<StoredRecord<StoreTables[Table]> | undefined> {
    return this.#read(table, key);
  }

  async update<Table extends StoreTable>(
    table: Table,
    key: string,
    change: (current: StoredRecord<StoreTables[Table]> | undefined) => StoredRecord<StoreTables[Table]> | undefined,
  ): Promise<void> {
    // No await between reading and writing, so that updates of one key cannot interleave.
    const next = change(this.#read(table, key));
    if (next && !Number.isFinite(next.expiresAt)) throw endless(table, next.expiresAt);
    const records = this.#tables[table];
    records.delete(key);
    if (next) {
      const { value, ...rest } = next;
      this.restore({ table, key, text: JSON.stringify(value), ...rest });
    }
    for (let oldest = records.oldest(); oldest && this.#isExpired(oldest[1]); oldest = records.oldest()) {
      records.delete(oldest[0]);
    }
  }

  /** All records that have not expired, oldest first within their table. */
  entries(): StoreEntry[] {
    return Object.values(this.#tables).flatMap((records) =>
      records.values().filter((entry) => !this.#isExpired(entry)),
    );
  }

  /** Adds a record that `entries` listed, as the newest of its table. */
  restore(entry: StoreEntry): void {
    const { table, key, text, owner = "" } = entry;
    this.#tables[table].set(key, entry, key.length + text.length + owner.length, owner);
  }

  #read<Table extends StoreTable>(table: Table, key: string): StoredRecord<StoreTables[Table]> | undefined {
    const entry = this.#tables[table].get(key);
    if (!entry || this.#isExpired(entry)) return undefined;
    const { text, expiresAt, owner } = entry;
    return { value: JSON.parse(text) as StoreTables[Table], expiresAt, ...(owner !== undefined && { owner }) };
  }

  #isExpired({ expiresAt }: StoreEntry): boolean {
    return expiresAt <= this.#now();
  }
}

/** A record without an end would stay forever, and a file cannot hold it: JSON has no `Infinity`. */
function endless(table: StoreTable, expiresAt: number): SdkError {
  const complaint = `expiresAt must be a finite number of milliseconds since 1970, got ${expiresAt}`;
  return new SdkError("invalid-argument", `${table}: ${complaint}`);
}
