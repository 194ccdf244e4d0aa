/** Stores the events of resumable streams in Redis: one Redis stream per session, trimmed by number, bytes and age. */
import type { EventStore, InMemoryEventStoreOptions, StoredEvent } from "parley-mcp/node";
import { brokenValue } from "./bounded-table.js";
import { checkFrom } from "./limit-checks.js";
import { type RedisConnection, redisScript } from "./redis-connection.js";

/** The limits of the store in memory, for all processes together. Over a limit, the store drops the same events. */
export interface RedisEventStoreOptions extends InMemoryEventStoreOptions {}

/** Memory of an event besides its text. */
const EVENT_BYTES = 200;
const SPARE_MS = 60_000;
/** A process that hangs for longer, while nobody appends to its session or claims a stream of it, may append to a claimed stream. */
const CLAIM_MS = 86_400_000;
/** Events that one call of a script drops at most. Redis serves nobody else meanwhile. */
const MAX_DROPPED = 250;

/** `s:<session>` is the stream of a session, `f:<session>` has the claims of its streams, `w` ranks sessions by their bytes, `t` by the time of their oldest events, `n` has the total bytes. */
const LIBRARY = `
local base, now = KEYS[1], tonumber(ARGV[1])
local function first(session) return redis.call('XRANGE', base .. ':s:' .. session, '-', '+', 'COUNT', 1)[1] end
local function timeOf(event) return tonumber(string.match(event[1], '^%d+')) end
local function take(session, bytes)
  redis.call('INCRBY', base .. ':n', bytes)
  if tonumber(redis.call('ZINCRBY', base .. ':w', bytes, session)) <= 0 then redis.call('ZREM', base .. ':w', session) end
end
local function forget(session)
  local bytes = redis.call('ZSCORE', base .. ':w', session)
  if bytes then take(session, -bytes) end
  redis.call('UNLINK', base .. ':s:' .. session)
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

/** Drops expired events and those over a limit, `MAX_DROPPED` in all. Returns 1 if a limit is still exceeded. */
const TRIM = `
local session, maxAge, left = ARGV[2], tonumber(ARGV[6]), ${MAX_DROPPED}
local key = base .. ':s:' .. session
local function dropFirst(of)
  local event = first(of)
  if event then drop(of, event) end
  left = left - 1
end
local function isSessionFull()
  return redis.call('XLEN', key) > tonumber(ARGV[3]) or tonumber(redis.call('ZSCORE', base .. ':w', session) or '0') > tonumber(ARGV[4])
end
local function isFull() return tonumber(redis.call('GET', base .. ':n') or '0') > tonumber(ARGV[5]) end
while left > 0 and isSessionFull() do dropFirst(session) end
rank(session)
while left > 0 do
  local old = redis.call('ZRANGEBYSCORE', base .. ':t', '-inf', now - maxAge, 'LIMIT', 0, 1)[1]
  if not old then break end
  dropFirst(old)
  rank(old)
end
while left > 0 and isFull() do
  -- A session that fills the store loses its own events, and those of others stay.
  local heaviest = redis.call('ZREVRANGE', base .. ':w', 0, 0)[1]
  if not heaviest then break end
  dropFirst(heaviest)
  rank(heaviest)
end
for _, name in ipairs({ key, base .. ':w', base .. ':t', base .. ':n' }) do redis.call('PEXPIRE', name, ARGV[7]) end
redis.call('PEXPIRE', base .. ':f:' .. session, ${CLAIM_MS})
return left == 0 and (isSessionFull() or isFull()) and 1 or 0`;

const APPEND = redisScript(
  LIBRARY,
  `
do
  local session, key = ARGV[2], base .. ':s:' .. ARGV[2]
  if tonumber(ARGV[12]) < tonumber(redis.call('HGET', base .. ':f:' .. session, ARGV[8]) or '0') then return -1 end
  local fields = { 's', ARGV[8], 'n', ARGV[9], 'd', ARGV[10], 'b', ARGV[11] }
  -- The stream of an idle session expires before its counts.
  if redis.call('EXISTS', key) == 0 then forget(session) end
  local added = redis.pcall('XADD', key, ARGV[1] .. '-*', unpack(fields))
  -- The clock of another process was ahead.
  if type(added) == 'table' then redis.call('XADD', key, '*', unpack(fields)) end
  take(session, tonumber(ARGV[11]))
end`,
  TRIM,
);

const CONTINUE_TRIM = redisScript(LIBRARY, TRIM);

/** Looks at `MAX_DROPPED` events. Returns the id of the last one if there are more. */
const DELETE_STREAM = redisScript(
  LIBRARY,
  `
local events = redis.call('XRANGE', base .. ':s:' .. ARGV[2], ARGV[4], '+', 'COUNT', ${MAX_DROPPED})
for _, event in ipairs(events) do
  if event[2][2] == ARGV[3] then drop(ARGV[2], event) end
end
rank(ARGV[2])
return #events == ${MAX_DROPPED} and '(' .. events[#events][1]`,
);

const DELETE_SESSION = redisScript(LIBRARY, "forget(ARGV[2]) redis.call('UNLINK', base .. ':f:' .. ARGV[2])");

/** The time is beyond the claims that have expired. */
const CLAIM = redisScript(
  LIBRARY,
  `
local claims = base .. ':f:' .. ARGV[2]
local claimed = math.max(now, tonumber(redis.call('HGET', claims, ARGV[3]) or '0') + 1)
redis.call('HSET', claims, ARGV[3], string.format('%.0f', claimed))
redis.call('PEXPIRE', claims, ${CLAIM_MS})
return claimed`,
);

/**
 * Keeps the events of sessions in Redis, so that a client can resume a stream at another process. It keeps the claims of a session
 * for a day after its last event or claim, or until the session is deleted.
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

  async append(sessionId: string, streamId: string, { number, data }: StoredEvent, claimed = 0): Promise<boolean> {
    const limits = [Date.now(), sessionId, ...this.#limits];
    const event = [streamId, number, data, data.length * 2 + EVENT_BYTES, claimed];
    let isOver = await this.#connection.run(APPEND, this.#key, ...limits, ...event);
    while (isOver === 1) isOver = await this.#connection.run(CONTINUE_TRIM, this.#key, ...limits);
    return isOver !== -1;
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
    let from: unknown = "-";
    while (typeof from === "string") {
      from = await this.#connection.run(DELETE_STREAM, this.#key, Date.now(), sessionId, streamId, from);
    }
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.#connection.run(DELETE_SESSION, this.#key, Date.now(), sessionId);
  }

  async claim(sessionId: string, streamId: string): Promise<number> {
    return Number(await this.#connection.run(CLAIM, this.#key, Date.now(), sessionId, streamId));
  }
}

function eventIn([, , , number, , data]: readonly string[], key: string): StoredEvent {
  if (data === undefined || !Number.isInteger(Number(number))) throw brokenValue(key);
  return { number: Number(number), data };
}
