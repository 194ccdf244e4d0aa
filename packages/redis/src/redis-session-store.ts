/** Stores legacy sessions in Redis, from which another process can resume them. */
import type { InMemorySessionStoreOptions, SessionRecord, SessionStore } from "parley-mcp/node";
import { BoundedTable, brokenValue, type TableRecord } from "./bounded-table.js";
import { checkFrom } from "./limit-checks.js";
import type { RedisConnection } from "./redis-connection.js";

/** The limits of the store in memory, for all processes together. Over one, the oldest record of the principal with the most goes. */
export interface RedisSessionStoreOptions extends InMemorySessionStoreOptions {}

/**
 * Keeps legacy sessions in Redis.
 *
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1
 * @example
 * const sessionStore = new RedisSessionStore(await RedisConnection.open("redis://localhost:6379"));
 * await serveHttp(server, { legacy: { sessionStore } });
 */
export class RedisSessionStore implements SessionStore {
  readonly #table: BoundedTable;

  constructor(connection: RedisConnection, options: RedisSessionStoreOptions = {}) {
    const { maxSessions = 10_000, maxBytes = 67_108_864 } = options;
    checkFrom("maxSessions", maxSessions, 1);
    checkFrom("maxBytes", maxBytes, 1);
    const limits = { maxRecords: maxSessions, maxCharacters: Math.floor(maxBytes / 2) };
    this.#table = new BoundedTable(connection, "sessions", limits, Date.now);
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const value = (await this.#table.get(id))?.value;
    if (value === undefined) return undefined;
    const { handshake, principal } = (value ?? {}) as Partial<SessionRecord>;
    const isOwned = principal === undefined || typeof principal === "string";
    if (typeof handshake !== "object" || handshake === null || !isOwned) throw brokenValue(this.#table.keyOf(id));
    return value as SessionRecord;
  }

  async set(id: string, record: SessionRecord, ttlMs: number): Promise<void> {
    await this.#table.set(id, this.#row(record, ttlMs));
  }

  async replace(id: string, record: SessionRecord, ttlMs: number): Promise<boolean> {
    const before = await this.#table.read(id);
    const { version } = (before?.record.value ?? {}) as Partial<SessionRecord>;
    if (before === undefined || version !== (record.version ?? 0) - 1) return false;
    return this.#table.replace(id, before, this.#row(record, ttlMs));
  }

  async delete(id: string): Promise<void> {
    await this.#table.delete(id);
  }

  #row(record: SessionRecord, ttlMs: number): TableRecord {
    const owner = record.principal === undefined ? "" : `=${record.principal}`;
    return { value: record, expiresAt: Date.now() + ttlMs, owner };
  }
}
