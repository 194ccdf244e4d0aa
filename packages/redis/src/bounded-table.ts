/**
 * A bounded table of JSON records in Redis. Records have an owner and expire. Over a limit, the table drops the oldest record of the
 * owner that holds the most. The clock is that of the process: Redis deletes a record a minute later.
 */
import { SdkError } from "parley-mcp/server";
import type { RedisConnection } from "./redis-connection.js";
import { redisScript } from "./redis-connection.js";

export interface TableLimits {
  readonly maxRecords: number;
  /** Characters of all ids, owners and records. */
  readonly maxCharacters: number;
}

export interface TableRecord {
  readonly value: unknown;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly owner?: string | undefined;
}

/** A record as it is stored. */
export interface StoredText {
  readonly text: string;
  readonly record: TableRecord;
}

/** Redis keeps a record this much longer, so that clocks may differ. */
const SPARE_MS = 60_000;
/** Records that one call of a script drops at most. Redis serves nobody else meanwhile. */
const MAX_DROPPED = 250;
/** A hundred years. Redis refuses much longer times. */
const MAX_TTL_MS = 3_155_760_000_000;

/**
 * `r:<id>` is a record, `m` the size and owner of each, `x` their expiries, `o:<owner>` the ids of an owner by age, `c` and `w` the
 * number and size of the records of each owner, `n` the totals.
 */
const LIBRARY = `
local base, now = KEYS[1], tonumber(ARGV[1])
local function take(owner, count, size)
  if tonumber(redis.call('ZINCRBY', base .. ':c', count, owner)) <= 0 then redis.call('ZREM', base .. ':c', owner) end
  if tonumber(redis.call('ZINCRBY', base .. ':w', size, owner)) <= 0 then redis.call('ZREM', base .. ':w', owner) end
  redis.call('HINCRBY', base .. ':n', 'size', size)
end
local function drop(id)
  local meta = redis.call('HGET', base .. ':m', id)
  if not meta then return end
  local size, owner = string.match(meta, '^(%d+) (.*)$')
  redis.call('DEL', base .. ':r:' .. id)
  redis.call('HDEL', base .. ':m', id)
  redis.call('ZREM', base .. ':x', id)
  redis.call('ZREM', base .. ':o:' .. owner, id)
  take(owner, -1, -tonumber(size))
end
-- Without the ids of an owner, which expire with its last record, the record that expires first goes.
local function evict(ranking)
  for _, owner in ipairs(redis.call('ZREVRANGE', base .. ranking, 0, 1)) do
    local oldest = redis.call('ZRANGE', base .. ':o:' .. owner, 0, 0)[1]
    if oldest then
      drop(oldest)
      return true
    end
  end
  local first = redis.call('ZRANGE', base .. ':x', 0, 0)[1]
  if first then drop(first) end
  return first
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. ':x', '-inf', now, 'LIMIT', 0, ${MAX_DROPPED})) do drop(id) end
`;

const WRITE = redisScript(
  LIBRARY,
  `
local id, mode, expected, text, owner = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local size, expiresAt, ttl = tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])
local maxRecords, maxSize = tonumber(ARGV[10]), tonumber(ARGV[11])
if mode == 'compare' and (redis.call('GET', base .. ':r:' .. id) or '') ~= expected then return 0 end
if text == '' or size > maxSize then
  drop(id)
  return text == '' and 1 or -1
end
local left = ${MAX_DROPPED}
-- The record that this one replaces leaves its room.
local function old()
  local meta = redis.call('HGET', base .. ':m', id)
  return meta and 1 or 0, meta and tonumber(string.match(meta, '^%d+')) or 0
end
local function isFullOfRecords()
  local count = old()
  return redis.call('HLEN', base .. ':m') - count >= maxRecords
end
local function isFullOfText()
  local _, before = old()
  return tonumber(redis.call('HGET', base .. ':n', 'size')) - before > maxSize
end
take(owner, 1, size)
for _, limit in ipairs({ { isFullOfRecords, ':c' }, { isFullOfText, ':w' } }) do
  while limit[1]() and left > 0 and evict(limit[2]) do left = left - 1 end
end
if left == 0 and (isFullOfRecords() or isFullOfText()) then
  take(owner, -1, -size)
  return -2
end
drop(id)
redis.call('SET', base .. ':r:' .. id, text, 'PX', ttl)
redis.call('HSET', base .. ':m', id, ARGV[7] .. ' ' .. owner)
redis.call('ZADD', base .. ':x', expiresAt, id)
redis.call('ZADD', base .. ':o:' .. owner, redis.call('HINCRBY', base .. ':n', 'written', 1), id)
for _, part in ipairs({ ':m', ':x', ':c', ':w', ':n', ':o:' .. owner }) do
  if redis.call('PTTL', base .. part) < ttl then redis.call('PEXPIRE', base .. part, ttl) end
end
return 1`,
);

const DELETE = redisScript(LIBRARY, "drop(ARGV[2])");

/** Returns the number of records that the owner has left. */
const DELETE_OWNED = redisScript(
  LIBRARY,
  `
local ids = base .. ':o:' .. ARGV[2]
for _, id in ipairs(redis.call('ZRANGE', ids, 0, ${MAX_DROPPED - 1})) do
  drop(id)
  redis.call('ZREM', ids, id)
end
return redis.call('ZCARD', ids)`,
);

export class BoundedTable {
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #limits: TableLimits;
  readonly #now: () => number;

  constructor(connection: RedisConnection, name: string, limits: TableLimits, now: () => number) {
    this.#connection = connection;
    this.#key = connection.key(name);
    this.#limits = limits;
    this.#now = now;
  }

  /** The record, even if it has expired. @throws {SdkError} `invalid-message` for a value that is no record. */
  async read(id: string): Promise<StoredText | undefined> {
    const key = this.keyOf(id);
    const text = await this.#connection.send(key, ["GET", key]);
    return text === null ? undefined : { text: String(text), record: recordIn(String(text), key) };
  }

  /** The record, unless it has expired. @param foreign what to do with a value that is no record */
  async get(id: string, foreign: "throw" | "absent" = "throw"): Promise<TableRecord | undefined> {
    try {
      const record = (await this.read(id))?.record;
      return record !== undefined && record.expiresAt > this.#now() ? record : undefined;
    } catch (error) {
      if (foreign === "absent" && error instanceof SdkError) return undefined;
      throw error;
    }
  }

  /** @throws {SdkError} `too-large` for a record that exceeds `maxCharacters` alone. */
  async set(id: string, record: TableRecord): Promise<void> {
    await this.#write(id, "always", "", record);
  }

  /** Replaces a record that has not changed since it was read; undefined deletes it. False if it has changed. */
  replace(id: string, before: StoredText | undefined, record: TableRecord | undefined): Promise<boolean> {
    return this.#write(id, "compare", before?.text ?? "", record);
  }

  async delete(id: string): Promise<void> {
    await this.#connection.run(DELETE, this.#key, this.#now(), id);
  }

  async deleteOwned(owner: string): Promise<void> {
    while (Number(await this.#connection.run(DELETE_OWNED, this.#key, this.#now(), owner)) > 0);
  }

  keyOf(id: string): string {
    return `${this.#key}:r:${id}`;
  }

  async #write(id: string, mode: string, expected: string, record: TableRecord | undefined): Promise<boolean> {
    const { maxRecords, maxCharacters } = this.#limits;
    const now = this.#now();
    const { expiresAt = now, owner = "" } = record ?? {};
    const text = record === undefined ? "" : JSON.stringify(record);
    const size = id.length + text.length + owner.length;
    const ttlMs = Math.ceil(Math.min(Math.max(0, expiresAt - now), MAX_TTL_MS)) + SPARE_MS;
    const args = [now, id, mode, expected, text, owner, size, expiresAt, ttlMs, maxRecords, maxCharacters];
    let outcome = await this.#connection.run(WRITE, this.#key, ...args);
    // One call evicts a bounded number of records.
    while (outcome === -2) outcome = await this.#connection.run(WRITE, this.#key, ...args);
    if (outcome === -1) throw tooLarge(this.#key, maxCharacters);
    return outcome === 1;
  }
}

function recordIn(text: string, key: string): TableRecord {
  try {
    const record = JSON.parse(text) as Partial<TableRecord>;
    const { expiresAt, owner = "" } = record;
    if (typeof expiresAt === "number" && typeof owner === "string" && "value" in record) return record as TableRecord;
  } catch {
    // Reported below, like other values.
  }
  throw brokenValue(key);
}

/** The error for a value that this package has not written. */
export function brokenValue(key: string): SdkError {
  return new SdkError("invalid-message", `The Redis key ${key} holds a value of another program; delete it`);
}

function tooLarge(key: string, maxCharacters: number): SdkError {
  return new SdkError(
    "too-large",
    `A record of ${key} takes more than all the ${maxCharacters} characters of its table`,
  );
}
