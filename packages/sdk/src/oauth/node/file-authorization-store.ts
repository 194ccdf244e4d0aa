/** The state of an authorization server in one file: read at start, replaced as a whole at each change. */
import { readFile } from "node:fs/promises";
import { SdkError } from "../../errors/sdk-error.js";
import { isJsonObject } from "../../protocol/json.js";
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
import { writeAtomically } from "./atomic-file.js";

const FORMAT = "parley-authorization-store/1";

/**
 * Keeps the state of an authorization server in a file, for one process. Only its owner can read the file. It holds the
 * private signing keys, so a copy of it can issue tokens.
 *
 * @example
 * const store = await FileAuthorizationStore.open("./authorization.json");
 * const login = authorizationServer({
 *   issuer: "https://auth.example.com",
 *   resources: ["https://mcp.example.com/mcp"],
 *   users: [{ subject: "alice", passwordHash: await hashPassword("correct horse battery staple") }],
 *   store,
 * });
 */
export class FileAuthorizationStore implements AuthorizationStore {
  readonly #path: string;
  readonly #memory: MemoryAuthorizationStore;
  #writing: Promise<void> = Promise.resolve();
  /** The write that has not begun yet: all changes until then share it. */
  #next: Promise<void> | undefined;

  private constructor(path: string, memory: MemoryAuthorizationStore) {
    this.#path = path;
    this.#memory = memory;
  }

  /** @throws {SdkError} `invalid-argument` for a file that is no such store, and for limits that are no numbers from 1 */
  static async open(path: string, options: MemoryAuthorizationStoreOptions = {}): Promise<FileAuthorizationStore> {
    const memory = new MemoryAuthorizationStore(options);
    for (const entry of entriesOf(path, await textOf(path))) memory.restore(entry);
    return new FileAuthorizationStore(path, memory);
  }

  async get<Table extends StoreTable>(table: Table, key: string): Promise<Stored<StoreTables[Table]> | undefined> {
    return this.#memory.get(table, key);
  }

  /** Resolves once the change is on the disk. */
  async update<Table extends StoreTable>(
    table: Table,
    key: string,
    change: (current: Stored<StoreTables[Table]> | undefined) => Stored<StoreTables[Table]> | undefined,
  ): Promise<void> {
    await this.#memory.update(table, key, change);
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      const write = writeAtomically(this.#path, JSON.stringify({ format: FORMAT, entries: this.#memory.entries() }));
      // Those who wait for this write hear of its failure; the next one is tried all the same.
      this.#writing = write.catch(() => undefined);
      return write;
    });
    return this.#next;
  }
}

/** Undefined for a file that does not exist yet. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function entriesOf(path: string, text: string | undefined): readonly StoreEntry[] {
  if (text === undefined) return [];
  const parsed = parse(text);
  if (!isJsonObject(parsed) || parsed.format !== FORMAT || !Array.isArray(parsed.entries)) throw notAStore(path);
  if (!parsed.entries.every(isEntry)) throw notAStore(path);
  return parsed.entries;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is StoreEntry {
  if (!isJsonObject(value)) return false;
  const { table, key, text, expiresAt } = value;
  const isText = typeof key === "string" && typeof text === "string" && parse(text) !== undefined;
  return isText && typeof expiresAt === "number" && STORE_TABLES.some((known) => known === table);
}

function notAStore(path: string): SdkError {
  const advice = "move it away to begin with an empty store, which forgets all logins";
  return new SdkError("invalid-argument", `${path} is not a store of this authorization server; ${advice}`);
}
