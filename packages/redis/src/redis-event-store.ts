/** Stores the events of resumable streams in Redis: one Redis stream per session, trimmed by number, bytes and age. */
import type { EventStore, InMemoryEventStoreOptions, StoredEvent } from "parley-mcp/node";
import { brokenValue } from "./bounded-table.js";
import { checkFrom } from "./limit-checks.js";
import { type RedisConnection, redisScript } from "./redis-connection.js";

/** The limits of the store in memory, for all processes together. Over a limit, the store drops the oldest events. */
export interface RedisEventStoreOptions extends InMemoryEventStoreOptions {}

/** Memory of an event besides its text. */
const EVENT_BYTES = 200;
const SPARE_MS = 60_000;

/** `s:<session>` is the stream of a session, `b` the bytes of each, `t` the time of their oldest events, `n` the total bytes. */
const LIBRARY = `
local base, now = KEYS[1], tonumber(ARGV[1])
local function first(session) return redis.call('XRANGE', base .. ':s:' .. session, '-', '+', 'COUNT', 1)[1] end
local function timeOf(event) return tonumber(string.match(event[1], '^%d+')) end
local function take(session, bytes)
  redis.call('INCRBY', base .. ':n', bytes)
  if redis.call('HINCRBY', base .. ':b', session, bytes) <= 0 then redis.call('HDEL', base .. ':b', session) end
end
local function forget(session)
  local bytes = redis.call('HGET', base .. ':b', session)
  if bytes then take(session, -bytes) end
  redis.call('DEL', base .. ':s:' .. session)
  redis.call('ZREM', base .. ':t', session)
end
local function drop(session, event)
  redis.call('XDEL', base .. ':s:' .. session, event[1])
  take(session, -tonumber(event[2][8]))
end
local function rank(session)
  local oldest = first(session)
  if oldest then redis.call('ZADD', base .. ':t', timeOf(oldest), session) else forget(session) end
end
`;

const APPEND = redisScript(
  LIBRARY,
  `
local session, bytes, maxAge = ARGV[2], tonumber(ARGV[6]), tonumber(ARGV[10])
local key = base .. ':s:' .. session
local fields = { 's', ARGV[3], 'n', ARGV[4], 'd', ARGV[5], 'b', ARGV[6] }
-- The stream of an idle session expires before its counts.
if redis.call('EXISTS', key) == 0 then forget(session) end
local added = redis.pcall('XADD', key, ARGV[1] .. '-*', unpack(fields))
-- The clock of another process was ahead.
if type(added) == 'table' then redis.call('XADD', key, '*', unpack(fields)) end
take(session, bytes)
while redis.call('XLEN', key) > tonumber(ARGV[7]) or tonumber(redis.call('HGET', base .. ':b', session) or '0') > tonumber(ARGV[8]) do
  drop(session, first(session))
end
rank(session)
for _, old in ipairs(redis.call('ZRANGEBYSCORE', base .. ':t', '-inf', now - maxAge, 'LIMIT', 0, 100)) do
  local oldest = first(old)
  while oldest and timeOf(oldest) <= now - maxAge do
    drop(old, oldest)
    oldest = first(old)
  end
  rank(old)
end
while tonumber(redis.call('GET', base .. ':n')) > tonumber(ARGV[9]) do
  local oldest = redis.call('ZRANGE', base .. ':t', 0, 0)[1]
  local event = first(oldest)
  if event then drop(oldest, event) end
  rank(oldest)
end
for _, name in ipairs({ key, base .. ':b', base .. ':t', base .. ':n' }) do redis.call('PEXPIRE', name, ARGV[11]) end`,
);

const DELETE_STREAM = redisScript(
  LIBRARY,
  `
for _, event in ipairs(redis.call('XRANGE', base .. ':s:' .. ARGV[2], '-', '+')) do
  if event[2][2] == ARGV[3] then drop(ARGV[2], event) end
end
rank(ARGV[2])`,
);

const DELETE_SESSION = redisScript(LIBRARY, "forget(ARGV[2])");

/**
 * Keeps the events of sessions in Redis, so that a client can resume a stream at another process.
 *
 * @throws {SdkError} `invalid-argument` for a limit that is no number from 1
 * @example
 * const eventStore = new RedisEventStore(await RedisConnection.open("redis://localhost:6379"));
 * await serveHttp(server, { legacy: { eventStore } });
 */
export class RedisEventStore implements EventStore {
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #limits: readonly number[];
  readonly #maxAgeMs: number;

  constructor(connection: RedisConnection, options: RedisEventStoreOptions = {}) {
    const { maxEvents = 1_000, maxBytes = 1_048_576, maxTotalBytes = 67_108_864, maxAgeMs = 300_000 } = options;
    const limits = { maxEvents, maxBytes, maxTotalBytes, maxAgeMs };
    for (const [name, value] of Object.entries(limits)) checkFrom(name, value, 1);
    this.#connection = connection;
    this.#key = connection.key("events");
    this.#limits = [...Object.values(limits), Math.ceil(maxAgeMs) + SPARE_MS];
    this.#maxAgeMs = maxAgeMs;
  }

  async append(sessionId: string, streamId: string, { number, data }: StoredEvent): Promise<void> {
    const args = [sessionId, streamId, number, data, data.length * 2 + EVENT_BYTES, ...this.#limits];
    await this.#connection.run(APPEND, this.#key, Date.now(), ...args);
  }

  async read(sessionId: string, streamId: string, after: number): Promise<readonly StoredEvent[]> {
    const key = `${this.#key}:s:${sessionId}`;
    const since = Math.max(0, Date.now() - this.#maxAgeMs + 1);
    const rows = (await this.#connection.send(key, ["XRANGE", key, String(since), "+"])) as [string, string[]][];
    return rows
      .filter(([, fields]) => fields[1] === streamId)
      .map(([, fields]) => eventIn(fields, key))
      .filter((event) => event.number > after);
  }

  async deleteStream(sessionId: string, streamId: string): Promise<void> {
    await this.#connection.run(DELETE_STREAM, this.#key, Date.now(), sessionId, streamId);
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.#connection.run(DELETE_SESSION, this.#key, Date.now(), sessionId);
  }
}

function eventIn([, , , number, , data]: readonly string[], key: string): StoredEvent {
  if (data === undefined || !Number.isInteger(Number(number))) throw brokenValue(key);
  return { number: Number(number), data };
}
