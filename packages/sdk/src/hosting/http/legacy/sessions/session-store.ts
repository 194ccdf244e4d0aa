/** Stores of legacy sessions, from which another process can resume them: the interface, and a store in memory. */
import { checkLimit } from "../../../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../../../errors/option-table.js";
import { textBytes } from "../../../../runtime/json-size.js";
import { Quota } from "../../../../runtime/quota.js";
import type { HandshakeState } from "../../../../server/handshake-state.js";

/** A stored session: plain JSON. */
export interface SessionRecord {
  /** The owner. Requests of other principals are refused. */
  readonly principal?: string | undefined;
  /** Client info, negotiated revision and capabilities, log level, and watched resources. */
  readonly handshake: HandshakeState;
  /** Counts the changes of a record that several processes share. @defaultValue none: one process at a time has the session */
  readonly version?: number | undefined;
  /** The time of the last `set` or `replace` of a shared record, in milliseconds since 1970. @defaultValue none */
  readonly savedAt?: number | undefined;
}

/**
 * An asynchronous key-value store, possibly over a network. Running requests and open connections are not stored: they end
 * with their process.
 */
export interface SessionStore {
  get(id: string): Promise<SessionRecord | undefined>;
  /** Keeps the record for `ttlMs`, unless it is set again. */
  set(id: string, record: SessionRecord, ttlMs: number): Promise<void>;
  delete(id: string): Promise<void>;
  /**
   * Sets a record whose `version` is one more than that of the stored one. False, and nothing changes, if it is not, or no record
   * is stored. Atomic among all processes. Needed with a `sessionChannel`.
   */
  replace?(id: string, record: SessionRecord, ttlMs: number): Promise<boolean>;
}

/** At a limit, the store drops the oldest record of the principal that holds the most. */
export interface InMemorySessionStoreOptions {
  /** Records in the store. @defaultValue 10_000 */
  readonly maxSessions?: number | undefined;
  /** Bytes of all records, counted as two per character. @defaultValue 67_108_864 */
  readonly maxBytes?: number | undefined;
}

const OPTIONS: OptionTable<InMemorySessionStoreOptions> = { maxSessions: true, maxBytes: true };

interface Row {
  readonly text: string;
  readonly principal: string | undefined;
  readonly bytes: number;
  readonly expiresAt: number;
}

const DEFAULT_MAX_SESSIONS = 10_000;
const DEFAULT_MAX_BYTES = 67_108_864;

/** Shares sessions between several endpoints of one process. Stores JSON text, so callers share no objects. */
export class InMemorySessionStore implements SessionStore {
  /** In the order of `set`, so with one `ttlMs` the records that expire first come first. */
  readonly #rows = new Map<string, Row>();
  readonly #maxSessions: number;
  readonly #maxBytes: number;
  readonly #sessions: Quota;
  readonly #bytes: Quota;

  /** @throws {SdkError} `invalid-argument` for an unknown option, or a limit below 1. */
  constructor(options: InMemorySessionStoreOptions = {}) {
    checkOptions("InMemorySessionStore", options, OPTIONS);
    const { maxSessions = DEFAULT_MAX_SESSIONS, maxBytes = DEFAULT_MAX_BYTES } = options;
    checkLimit("maxSessions", maxSessions);
    checkLimit("maxBytes", maxBytes);
    this.#maxSessions = maxSessions;
    this.#maxBytes = maxBytes;
    this.#sessions = new Quota(this.#maxSessions, this.#maxSessions);
    this.#bytes = new Quota(this.#maxBytes, this.#maxBytes);
  }

  /** Number of records. */
  get size(): number {
    return this.#rows.size;
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    return this.#read(id);
  }

  async set(id: string, record: SessionRecord, ttlMs: number): Promise<void> {
    const now = Date.now();
    const text = JSON.stringify(record);
    const { principal } = record;
    const bytes = textBytes(text);
    this.#drop(id);
    this.#dropExpired(now);
    while (this.#rows.size >= this.#maxSessions) this.#dropOldestOf(this.#sessions.victims(principal, 1));
    while (this.#bytes.used + bytes > this.#maxBytes) {
      // A record that does not fit without dropping smaller holders' records is not stored. Its session continues in its process.
      if (!this.#dropOldestOf(this.#bytes.victims(principal, bytes))) return;
    }
    this.#rows.set(id, { text, principal, bytes, expiresAt: now + ttlMs });
    this.#sessions.take(principal, 1);
    this.#bytes.take(principal, bytes);
  }

  async delete(id: string): Promise<void> {
    this.#drop(id);
  }

  async replace(id: string, record: SessionRecord, ttlMs: number): Promise<boolean> {
    // Nothing may come between reading and writing.
    const stored = this.#read(id);
    if (stored === undefined || stored.version !== (record.version ?? 0) - 1) return false;
    await this.set(id, record, ttlMs);
    return true;
  }

  #read(id: string): SessionRecord | undefined {
    const found = this.#rows.get(id);
    return found && found.expiresAt > Date.now() ? JSON.parse(found.text) : undefined;
  }

  #dropExpired(now: number): void {
    for (const [id, { expiresAt }] of this.#rows) {
      if (expiresAt > now) return;
      this.#drop(id);
    }
  }

  /** Drops the oldest record of a matching principal. False if there is none. */
  #dropOldestOf(isVictim: (principal: string | undefined) => boolean): boolean {
    for (const [id, { principal }] of this.#rows) {
      if (!isVictim(principal)) continue;
      this.#drop(id);
      return true;
    }
    return false;
  }

  #drop(id: string): void {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#rows.delete(id);
    this.#sessions.take(row.principal, -1);
    this.#bytes.take(row.principal, -row.bytes);
  }
}
