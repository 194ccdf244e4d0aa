/**
 * Stores the state of an authorization server in one file: the store reads it at start, then appends changes. The table
 * `transactions` stays in memory: its records last for minutes, and each login changes them several times.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { SdkError } from "../../errors/sdk-error.js";
import { JournalFile } from "../../files/journal-file.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import {
  type AuthorizationStore,
  STORE_TABLES,
  type Stored,
  type StoreTable,
  type StoreTables,
} from "../server/authorization-store.js";
import {
  MemoryAuthorizationStore,
  type MemoryAuthorizationStoreOptions,
  type StoreEntry,
} from "../server/memory-authorization-store.js";

const FORMAT = '{"format":"parley-authorization-store/2"}';

/**
 * Keeps the state of an authorization server in a file, for one process. Only its owner can read the file. It holds the
 * private signing keys, so a copy of it can issue tokens. A restart ends the logins that users are in the middle of.
 *
 * @example
 * const store = await FileAuthorizationStore.open("./authorization.jsonl");
 * const login = authorizationServer({
 *   issuer: "https://auth.example.com",
 *   resources: ["https://mcp.example.com/mcp"],
 *   users: [{ subject: "alice", passwordHash: `${process.env.ALICE_HASH}` }],
 *   store,
 * });
 */
export class FileAuthorizationStore implements AuthorizationStore {
  readonly #journal: JournalFile;
  readonly #memory: MemoryAuthorizationStore;
  /** The changes of the next write. Each `update` waits for the write of its change. */
  #changes: string[] = [];
  #writing: Promise<void> = Promise.resolve();
  /** The write that has not begun yet. All changes until it begins share it. */
  #next: Promise<void> | undefined;

  private constructor(journal: JournalFile, memory: MemoryAuthorizationStore) {
    this.#journal = journal;
    this.#memory = memory;
  }

  /**
   * Opens a store, or begins an empty one. Creates a missing folder, with access for its owner only.
   * @throws {SdkError} `invalid-argument` for a file that is no such store, and for limits that are no numbers from 1
   */
  static async open(path: string, options: MemoryAuthorizationStoreOptions = {}): Promise<FileAuthorizationStore> {
    const memory = new MemoryAuthorizationStore(options);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const journal = new JournalFile(path, FORMAT);
    const lines = await journal.read();
    if (lines === undefined) throw notAStore(path);
    for (const line of lines) {
      const change = parseChange(line);
      if (change === undefined) throw notAStore(path);
      if ("text" in change) memory.restore(change);
      else await memory.update(change.table, change.key, () => undefined);
    }
    return new FileAuthorizationStore(journal, memory);
  }

  async get<Table extends StoreTable>(table: Table, key: string): Promise<Stored<StoreTables[Table]> | undefined> {
    return this.#memory.get(table, key);
  }

  /** Resolves once the change is on the disk; for the table `transactions`, once it is in memory. */
  async update<Table extends StoreTable>(
    table: Table,
    key: string,
    change: (current: Stored<StoreTables[Table]> | undefined) => Stored<StoreTables[Table]> | undefined,
  ): Promise<void> {
    let isChanged = false;
    let next: Stored<StoreTables[Table]> | undefined;
    await this.#memory.update(table, key, (current) => {
      next = change(current);
      isChanged = next !== current;
      return next;
    });
    if (!isChanged || table === "transactions") return;
    this.#changes.push(serialize({ table, key }, next && { ...next, text: JSON.stringify(next.value) }));
    this.#next ??= this.#writing.then(() => this.#write());
    return this.#next;
  }

  async #write(): Promise<void> {
    // Changes of this turn of the event loop share one write.
    await new Promise((resolve) => setImmediate(resolve));
    const changes = this.#changes;
    this.#changes = [];
    this.#next = undefined;
    const write = this.#journal.append(changes, () => this.#all());
    // The updates of this write reject if it fails. The next write then writes all records.
    this.#writing = write.catch(() => undefined);
    return write;
  }

  #all(): string[] {
    const kept = this.#memory.entries().filter(({ table }) => table !== "transactions");
    return kept.map((entry) => serialize(entry, entry));
  }
}

interface Deletion {
  readonly table: StoreTable;
  readonly key: string;
}

/** Serializes a line of the journal: a record, or the deletion of a key. */
function serialize({ table, key }: Deletion, record?: Pick<StoreEntry, "text" | "expiresAt" | "owner">): string {
  const place = `{"table":"${table}","key":${JSON.stringify(key)}`;
  if (!record) return `${place}}`;
  const owner = record.owner === undefined ? "" : `,"owner":${JSON.stringify(record.owner)}`;
  return `${place},"expiresAt":${record.expiresAt}${owner},"value":${record.text}}`;
}

/** Parses a line of the journal. Undefined for a line that `serialize` did not write. */
function parseChange(line: string): StoreEntry | Deletion | undefined {
  const { table: name, key, expiresAt, owner, value } = parseObject(line);
  const table = STORE_TABLES.find((known) => known === name);
  if (table === undefined || typeof key !== "string") return undefined;
  if (value === undefined && expiresAt === undefined) return { table, key };
  if (!isJsonObject(value) || typeof expiresAt !== "number") return undefined;
  return { table, key, text: JSON.stringify(value), expiresAt, ...(typeof owner === "string" && { owner }) };
}

function parseObject(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function notAStore(path: string): SdkError {
  const advice = "move it away to begin with an empty store, which forgets all logins";
  return new SdkError("invalid-argument", `${path} is not a store of this authorization server; ${advice}`);
}
