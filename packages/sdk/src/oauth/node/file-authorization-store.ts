/**
 * Stores the state of an authorization server in one file: the store reads it at start, then appends changes. The table
 * `transactions` stays in memory: its records last for minutes, and each login changes them several times.
 */
import { mkdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { checkTimer } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { acquireFileLock, type HeldLock, holderOf } from "../../files/file-lock.js";
import { JournalFile } from "../../files/journal-file.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { KeyedMutex } from "../../runtime/keyed-mutex.js";
import {
  type AuthorizationStore,
  STORE_TABLES,
  type StoredRecord,
  type StoreTable,
  type StoreTables,
} from "../server/authorization-store.js";
import {
  InMemoryAuthorizationStore,
  MEMORY_AUTHORIZATION_STORE_OPTIONS,
  type MemoryAuthorizationStoreOptions,
  type StoreEntry,
} from "../server/in-memory-authorization-store.js";

/** Options of `FileAuthorizationStore.open`. */
export interface FileAuthorizationStoreOptions extends MemoryAuthorizationStoreOptions {
  /**
   * Time to wait for another process to close the file. A process that was killed is noticed at once on this host, after three
   * seconds if this process has the same id, as in a restarted container, and else after ten seconds.
   * @defaultValue 15_000
   */
  readonly lockTimeoutMs?: number | undefined;
}

const OPTIONS: OptionTable<FileAuthorizationStoreOptions> = {
  ...MEMORY_AUTHORIZATION_STORE_OPTIONS,
  lockTimeoutMs: true,
};

const FORMAT = '{"format":"parley-authorization-store/2"}';

/**
 * Keeps the state of an authorization server in a file, for one process: a lock file beside it keeps others out. Only its owner
 * can read the file. It holds the private signing keys, so a copy of it can issue tokens. A restart ends the logins that users
 * are in the middle of.
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
export class FileAuthorizationStore implements AuthorizationStore, AsyncDisposable {
  readonly #path: string;
  readonly #lock: HeldLock;
  readonly #journal: JournalFile;
  readonly #memory: InMemoryAuthorizationStore;
  /** The changes of the next write. Each `update` waits for the write of its change. */
  #changes: string[] = [];
  #writing: Promise<void> = Promise.resolve();
  /** The write that has not begun yet. All changes until it begins share it. */
  #next: Promise<void> | undefined;
  /** Why the store cannot be used any more. */
  #end: string | undefined;
  #closing: Promise<void> | undefined;

  private constructor(path: string, lock: HeldLock, journal: JournalFile, memory: InMemoryAuthorizationStore) {
    this.#path = path;
    this.#lock = lock;
    this.#journal = journal;
    this.#memory = memory;
  }

  /**
   * Opens a store, or begins an empty one. Creates a missing folder, with access for its owner only. Closes a store of this
   * process with the same file.
   * @throws {SdkError} `invalid-argument` for a file that is no such store or that another process uses, and for options that
   * cannot work
   */
  static async open(path: string, options: FileAuthorizationStoreOptions = {}): Promise<FileAuthorizationStore> {
    checkOptions("FileAuthorizationStore.open", options, OPTIONS);
    const { lockTimeoutMs = 15_000, ...limits } = options;
    checkTimer("lockTimeoutMs", lockTimeoutMs);
    const memory = new InMemoryAuthorizationStore(limits);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const target = await targetOf(path);
    return OPENING.run(target, async () => {
      await OPEN_STORES.get(target)?.close();
      const lock = await lockFile(target, lockTimeoutMs);
      try {
        const journal = new JournalFile(target, FORMAT);
        await load(path, journal, memory);
        const store = new FileAuthorizationStore(target, lock, journal, memory);
        OPEN_STORES.set(target, store);
        return store;
      } catch (error) {
        await lock.release();
        throw error;
      }
    });
  }

  async get<Table extends StoreTable>(
    table: Table,
    key: string,
  ): Promise<StoredRecord<StoreTables[Table]> | undefined> {
    this.#requireOpen();
    if (this.#lock.mayBeLost()) await this.#requireOwn();
    return this.#memory.get(table, key);
  }

  /** Resolves once the change is on the disk; for the table `transactions`, once it is in memory. */
  async update<Table extends StoreTable>(
    table: Table,
    key: string,
    change: (current: StoredRecord<StoreTables[Table]> | undefined) => StoredRecord<StoreTables[Table]> | undefined,
  ): Promise<void> {
    this.#requireOpen();
    if (this.#lock.mayBeLost()) await this.#requireOwn();
    let isChanged = false;
    let next: StoredRecord<StoreTables[Table]> | undefined;
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

  /** Writes the last changes and lets other processes open the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#end ??= "was closed, or opened again by this process";
    OPEN_STORES.delete(this.#path);
    // An update that has begun gets to its write within this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.allSettled([this.#next ?? this.#writing]);
    await this.#lock.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #requireOpen(): void {
    if (this.#end !== undefined) throw ended(this.#path, this.#end);
  }

  /** Another process takes the lock over if this one was suspended for seconds. Its changes must not be overwritten. */
  async #requireOwn(): Promise<void> {
    if (!(await this.#lock.isTaken()) && !(await this.#journal.isChanged())) return;
    this.#end ??= "was taken over by another process while this one was suspended";
    throw ended(this.#path, this.#end);
  }

  async #write(): Promise<void> {
    // Changes of this turn of the event loop share one write.
    await new Promise((resolve) => setImmediate(resolve));
    const changes = this.#changes;
    this.#changes = [];
    this.#next = undefined;
    const write = this.#journal.append(
      changes,
      () => this.#all(),
      () => this.#requireOwn(),
    );
    // The updates of this write reject if it fails. The next write then writes all records.
    this.#writing = write.catch(() => undefined);
    return write;
  }

  #all(): string[] {
    const kept = this.#memory.entries().filter(({ table }) => table !== "transactions");
    return kept.map((entry) => serialize(entry, entry));
  }
}

/** The stores that this process has open, by the path of their file. */
const OPEN_STORES = new Map<string, FileAuthorizationStore>();
/** Lets one `open` at a time work on a file, since each closes the store of the one before. */
const OPENING = new KeyedMutex();

/**
 * The file that a path names. A symbolic link is followed, so that writes do not replace it.
 * @throws {SdkError} `invalid-argument` for a link to another link whose file is missing
 */
async function targetOf(path: string): Promise<string> {
  const [existing, link] = await Promise.allSettled([realpath(path), readlink(path)]);
  if (existing.status === "fulfilled") return existing.value;
  if (link.status === "rejected") return join(await realpath(dirname(path)), basename(path));
  const named = resolve(dirname(path), link.value);
  const [folder, second] = await Promise.allSettled([realpath(dirname(named)), readlink(named)]);
  if (folder.status === "fulfilled" && second.status === "rejected") return join(folder.value, basename(named));
  const complaint = "a symbolic link to a missing folder, or to another symbolic link whose file is missing";
  throw new SdkError("invalid-argument", `${path}: ${complaint}; let it name the file itself, in a folder that exists`);
}

/** @throws {SdkError} `invalid-argument` naming the lock and its holder */
async function lockFile(path: string, timeoutMs: number): Promise<HeldLock> {
  const lock = `${path}.lock`;
  try {
    return await acquireFileLock(lock, { timeoutMs });
  } catch (cause) {
    if (!(cause instanceof SdkError)) throw cause;
    const complaint = `another process or thread uses this store: ${lock} is held by "${await holderOf(lock)}"`;
    const advice = "stop it, or give each process and thread a file of its own";
    throw new SdkError("invalid-argument", `${path}: ${complaint}; ${advice}`, { cause });
  }
}

async function load(path: string, journal: JournalFile, memory: InMemoryAuthorizationStore): Promise<void> {
  const lines = await journal.read();
  if (lines === undefined) throw notAStore(path);
  for (const line of lines) {
    const change = parseChange(line);
    if (change === undefined) throw notAStore(path);
    if ("text" in change) memory.restore(change);
    else await memory.update(change.table, change.key, () => undefined);
  }
}

function ended(path: string, reason: string): SdkError {
  return new SdkError("authorization-failed", `${path} ${reason}; use a store that is open`);
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
