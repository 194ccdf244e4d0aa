/** Stores the tokens, registrations and keys of a client in Redis, for the processes of one program. */
import { randomUUID } from "node:crypto";
import type { CredentialStore } from "parley-mcp/oauth";
import { SdkError } from "parley-mcp/server";
import { BoundedTable, brokenValue } from "./bounded-table.js";
import { KeyQueue } from "./key-queue.js";
import { checkFrom } from "./limit-checks.js";
import { type RedisConnection, redisScript } from "./redis-connection.js";

/** The limits of a `RedisCredentialStore`. */
export interface RedisCredentialStoreOptions {
  /** Entries to keep. The entry written longest ago is dropped first. @defaultValue 10_000 */
  readonly maxEntries?: number | undefined;
  /** Characters of all keys and values. @defaultValue 16_777_216 */
  readonly maxCharacters?: number | undefined;
  /** Keep an entry this long after it was written. @defaultValue 15_552_000_000 (180 days) */
  readonly ttlMs?: number | undefined;
  /** Time that `withLock` waits for other processes. @defaultValue 60_000 */
  readonly lockTimeoutMs?: number | undefined;
  /** A lock whose process has ended is free after this time. @defaultValue 10_000 */
  readonly lockMs?: number | undefined;
}

const RENEWALS_PER_LOCK = 3;
const MAX_WAIT_MS = 100;

const RENEW = redisScript("return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2])");
const RELEASE = redisScript("return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])");

/**
 * Keeps credentials in Redis. Values contain secrets: whoever reads this Redis has them.
 *
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1
 * @example
 * const store = new RedisCredentialStore(await RedisConnection.open("rediss://redis.internal:6380"));
 * const authorization = oauth({ store, account: "ann" });
 */
export class RedisCredentialStore implements CredentialStore {
  readonly #connection: RedisConnection;
  readonly #table: BoundedTable;
  readonly #ttlMs: number;
  readonly #lockTimeoutMs: number;
  readonly #lockMs: number;
  readonly #locks = new KeyQueue();

  constructor(connection: RedisConnection, options: RedisCredentialStoreOptions = {}) {
    const { maxEntries = 10_000, maxCharacters = 16_777_216, ttlMs = 15_552_000_000 } = options;
    const { lockTimeoutMs = 60_000, lockMs = 10_000 } = options;
    const limits = { maxEntries, maxCharacters, ttlMs, lockTimeoutMs, lockMs };
    for (const [name, value] of Object.entries(limits)) checkFrom(name, value, 1);
    this.#connection = connection;
    this.#table = new BoundedTable(connection, "credentials", { maxRecords: maxEntries, maxCharacters }, Date.now);
    this.#ttlMs = ttlMs;
    this.#lockTimeoutMs = lockTimeoutMs;
    this.#lockMs = Math.ceil(lockMs);
  }

  async get(key: string): Promise<string | undefined> {
    const value = (await this.#table.get(key))?.value;
    if (value !== undefined && typeof value !== "string") throw brokenValue(this.#table.keyOf(key));
    return value;
  }

  async set(key: string, value: string): Promise<void> {
    await this.#table.set(key, { value, expiresAt: Date.now() + this.#ttlMs });
  }

  async delete(key: string): Promise<void> {
    await this.#table.delete(key);
  }

  /** @throws {SdkError} `authorization-failed` if another process holds the lock for `lockTimeoutMs`. */
  withLock<T>(key: string, run: () => Promise<T>): Promise<T> {
    return this.#locks.run(key, async () => {
      const lock = this.#connection.key("credentials", "lock", key);
      const holder = randomUUID();
      await this.#acquire(lock, holder);
      const renewal = setInterval(
        () => void this.#connection.run(RENEW, lock, holder, this.#lockMs).catch(ignore),
        this.#lockMs / RENEWALS_PER_LOCK,
      );
      try {
        return await run();
      } finally {
        clearInterval(renewal);
        // A lock that cannot be released is free after its time.
        await this.#connection.run(RELEASE, lock, holder).catch(ignore);
      }
    });
  }

  async #acquire(lock: string, holder: string): Promise<void> {
    const deadline = performance.now() + this.#lockTimeoutMs;
    const command = ["SET", lock, holder, "NX", "PX", String(this.#lockMs)];
    while ((await this.#connection.send(lock, command)) === null) {
      if (performance.now() > deadline) throw lockHeld(this.#lockTimeoutMs);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_WAIT_MS));
    }
  }
}

function lockHeld(ms: number): SdkError {
  return new SdkError("authorization-failed", `Another process has held a lock on credentials for ${ms} ms`);
}

function ignore(): void {
  // The connection has reported it.
}
