/** The store of a client's tokens, registrations and keys. `InMemoryCredentialStore` is the default; `oauth/node` has a `FileCredentialStore`. */
import { checkLimit } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { BoundedMap } from "../../runtime/bounded-map.js";
import { KeyedMutex } from "../../runtime/keyed-mutex.js";

/**
 * Keeps credentials by key. Keys are text, values are JSON text. Values contain secrets, so keep them where only the user can
 * read them.
 */
export interface CredentialStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Runs `run` under a lock: no other `run` with the same key runs meanwhile, in this process or in another one. */
  withLock<T>(key: string, run: () => Promise<T>): Promise<T>;
}

/** Limits of a `InMemoryCredentialStore`. */
export interface MemoryStoreOptions {
  /** Entries to keep. The entry written longest ago is evicted first. @defaultValue 10_000 */
  readonly maxEntries?: number | undefined;
  /** Characters of all keys and values. The entries written longest ago are evicted first. @defaultValue 16_777_216 */
  readonly maxCharacters?: number | undefined;
}

const OPTIONS: OptionTable<MemoryStoreOptions> = { maxEntries: true, maxCharacters: true };

/**
 * Keeps credentials in memory, until the process ends.
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1.
 *
 * @example
 * const authorization = oauth({ store: new InMemoryCredentialStore({ maxEntries: 100 }), account: "ann" });
 */
export class InMemoryCredentialStore implements CredentialStore {
  readonly #entries: BoundedMap<string, string>;
  readonly #locks = new KeyedMutex();

  /** @throws {SdkError} `invalid-argument` for a limit below 1. */
  constructor(options: MemoryStoreOptions = {}) {
    checkOptions("InMemoryCredentialStore", options, OPTIONS);
    const { maxEntries = 10_000, maxCharacters = 16_777_216 } = options;
    checkLimit("maxEntries", maxEntries);
    checkLimit("maxCharacters", maxCharacters);
    this.#entries = new BoundedMap({ maxEntries, maxWeight: maxCharacters });
  }

  async get(key: string): Promise<string | undefined> {
    return this.#entries.get(key);
  }

  async set(key: string, value: string): Promise<void> {
    if (this.#entries.set(key, value, key.length + value.length)) return;
    throw new SdkError("too-large", "The credentials are longer than maxCharacters of the InMemoryCredentialStore");
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  withLock<T>(key: string, run: () => Promise<T>): Promise<T> {
    return this.#locks.run(key, run);
  }
}
