/** Where a client keeps tokens, registrations and keys. `MemoryStore` is the default; `parley-mcp/oauth/node` has one for files. */
import { checkLimit, SdkError } from "../../errors/sdk-error.js";
import { BoundedMap } from "../../runtime/bounded-map.js";

/**
 * Keeps credentials by key. Keys and values are text; a value is JSON and holds secrets, so keep it where only the user can
 * read it.
 */
export interface CredentialStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Runs `run` while nobody else who shares the store, in this process or another, runs under the same key. */
  withLock<T>(key: string, run: () => Promise<T>): Promise<T>;
}

/** Limits of a `MemoryStore`. */
export interface MemoryStoreOptions {
  /** Entries to keep. The one written longest ago goes first. @defaultValue 10_000 */
  readonly maxEntries?: number | undefined;
  /** Characters of all keys and values. The entries written longest ago go first. @defaultValue 16_777_216 */
  readonly maxCharacters?: number | undefined;
}

/**
 * Credentials that end with the process.
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1.
 *
 * @example
 * const authorization = oauth({ store: new MemoryStore({ maxEntries: 100 }), account: "ann" });
 */
export class MemoryStore implements CredentialStore {
  readonly #entries: BoundedMap<string, string>;
  /** The end of the queue of each lock that is held or waited for. */
  readonly #locks = new Map<string, Promise<unknown>>();

  /** @throws {SdkError} `invalid-argument` for a limit below 1. */
  constructor({ maxEntries = 10_000, maxCharacters = 16_777_216 }: MemoryStoreOptions = {}) {
    checkLimit("maxEntries", maxEntries);
    checkLimit("maxCharacters", maxCharacters);
    this.#entries = new BoundedMap({ maxEntries, maxWeight: maxCharacters });
  }

  async get(key: string): Promise<string | undefined> {
    return this.#entries.get(key);
  }

  async set(key: string, value: string): Promise<void> {
    if (this.#entries.set(key, value, key.length + value.length)) return;
    throw new SdkError("too-large", "The credentials are longer than maxCharacters of the MemoryStore");
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  async withLock<T>(key: string, run: () => Promise<T>): Promise<T> {
    const running = (this.#locks.get(key) ?? Promise.resolve()).then(run);
    // Whoever comes next waits for the end, however it ends.
    const end = running.catch(() => undefined);
    this.#locks.set(key, end);
    try {
      return await running;
    } finally {
      if (this.#locks.get(key) === end) this.#locks.delete(key);
    }
  }
}
