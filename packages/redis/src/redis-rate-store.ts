/** Counts the rates of all processes in Redis. */
import { createHash } from "node:crypto";
import type { InMemoryRateStoreOptions, RateGrant, RateStore } from "parley-mcp/server";
import type { RateLimit } from "parley-mcp/types";
import { brokenValue } from "./bounded-table.js";
import { checkFrom } from "./limit-checks.js";
import { type RedisConnection, redisScript } from "./redis-connection.js";

/** The limits of a `RedisRateStore`. */
export interface RedisRateStoreOptions extends Pick<InMemoryRateStoreOptions, "maxBuckets"> {
  /** Clock, in milliseconds. @defaultValue the clock of Redis, so that the clocks of processes do not matter */
  readonly now?: (() => number) | undefined;
}

/** Redis keeps a full bucket this much longer. */
const SPARE_MS = 60_000;
/** A hundred years. Redis refuses much longer times. */
const MAX_REFILL_MS = 3_155_760_000_000;
/** Full buckets that one call of the script drops at most. Redis serves nobody else meanwhile. */
const MAX_DROPPED = 250;

/** The hash has the tokens of each bucket and the time of that number. `:full` ranks buckets by the time when they are full again. */
const TAKE = redisScript(`
local buckets, full, id, count = KEYS[1], KEYS[1] .. ':full', ARGV[1], tonumber(ARGV[2])
local perMs, burst, now = tonumber(ARGV[3]) / 1000, tonumber(ARGV[4]), tonumber(ARGV[6])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local function drop(bucket)
  redis.call('HDEL', buckets, bucket)
  redis.call('ZREM', full, bucket)
end
for _, bucket in ipairs(redis.call('ZRANGEBYSCORE', full, '-inf', now, 'LIMIT', 0, ${MAX_DROPPED})) do drop(bucket) end
local tokens, stored = burst, redis.call('HGET', buckets, id)
if stored then
  local left, since = string.match(stored, '^(%S+) (%S+)$')
  left, since = tonumber(left), tonumber(since)
  if not left or not since then return { -1, 0 } end
  -- A clock that was set back must not take tokens away.
  tokens = math.min(burst, left + math.max(0, now - since) * perMs)
end
-- Redis returns integers.
local calls = math.max(0, math.min(count, math.floor(tokens + 1e-9), 2 ^ 53))
tokens = tokens - calls
local refill = math.min(math.ceil((burst - tokens) / perMs), ${MAX_REFILL_MS})
redis.call('HSET', buckets, id, string.format('%.17g %.17g', tokens, now))
redis.call('ZADD', full, string.format('%.17g', now + refill), id)
if redis.call('ZCARD', full) > tonumber(ARGV[5]) then drop(redis.call('ZRANGE', full, 0, 0)[1]) end
local ttl = refill + ${SPARE_MS}
for _, key in ipairs({ buckets, full }) do
  if redis.call('PTTL', key) < ttl then redis.call('PEXPIRE', key, string.format('%.0f', ttl)) end
end
local wait = math.min(math.max(1, math.ceil((1 - 1e-9 - tokens) / perMs)), ${MAX_REFILL_MS})
return { calls, calls < count and wait or 0 }`);

/**
 * Counts the rates of clients for all processes together. Over `maxBuckets`, the store drops the bucket that is full again soonest.
 *
 * @throws {SdkError} `invalid-argument` for a `maxBuckets` that is no number from 1
 * @example
 * const rateStore = new RedisRateStore(await RedisConnection.open("redis://localhost:6379"));
 * const server = new McpServer({ name: "studio", version: "1.0.0", rateStore });
 */
export class RedisRateStore implements RateStore {
  readonly #connection: RedisConnection;
  readonly #maxBuckets: number;
  readonly #now: (() => number) | undefined;

  constructor(connection: RedisConnection, { maxBuckets = 100_000, now }: RedisRateStoreOptions = {}) {
    checkFrom("maxBuckets", maxBuckets, 1);
    this.#connection = connection;
    this.#maxBuckets = maxBuckets;
    this.#now = now;
  }

  /** @throws {ProtocolError} 429 if Redis does not answer. */
  async take(key: string, { perSecond, burst }: RateLimit, count: number): Promise<RateGrant> {
    const name = this.#connection.key("rates");
    const id = createHash("sha256").update(key).digest("base64url");
    const args = [id, count, perSecond, burst, this.#maxBuckets, this.#now?.() ?? ""];
    const answer = (await this.#connection.run(TAKE, name, ...args)) as readonly [number, number];
    const [calls, retryAfterMs] = answer;
    if (calls < 0) throw brokenValue(name);
    return { calls, retryAfterMs };
  }
}
