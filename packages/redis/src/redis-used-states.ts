/** Remembers used states in Redis, so that no process accepts a state that another one has accepted. */
import type { InMemoryUsedStatesOptions, UsedStates } from "parley-mcp/server";
import { checkFrom } from "./limit-checks.js";
import { type RedisConnection, redisScript } from "./redis-connection.js";

/** The options of the store in memory. `maxStates` counts the states of all processes. */
export interface RedisUsedStatesOptions extends InMemoryUsedStatesOptions {}

/** Ids that expire up to the time of `forgotten` are not remembered, so all of them count as used. */
const CLAIM = redisScript(`
local ids, forgotten, now = KEYS[1], KEYS[1] .. ':forgotten', tonumber(ARGV[1])
local function isForgotten(expiresAt)
  local latest = redis.call('GET', forgotten)
  return latest and tonumber(expiresAt) <= tonumber(latest)
end
local function forget(id, expiresAt)
  redis.call('ZREM', ids, id)
  if not isForgotten(expiresAt) then redis.call('SET', forgotten, expiresAt) end
end
local expired = redis.call('ZRANGEBYSCORE', ids, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1000)
for index = 1, #expired, 2 do forget(expired[index], expired[index + 1]) end
local claimed = isForgotten(ARGV[3]) and 0 or redis.call('ZADD', ids, 'NX', ARGV[3], ARGV[2])
if redis.call('ZCARD', ids) > tonumber(ARGV[4]) then
  local soonest = redis.call('ZRANGE', ids, 0, 0, 'WITHSCORES')
  forget(soonest[1], soonest[2])
end
for _, key in ipairs({ ids, forgotten }) do
  if redis.call('PTTL', key) < tonumber(ARGV[5]) then redis.call('PEXPIRE', key, ARGV[5]) end
end
return claimed`);

const SPARE_MS = 60_000;

/**
 * Lets each state be used once, whichever process is asked. A full store forgets the state that expires soonest, and refuses every
 * state that expires no later. A Redis that loses its data forgets used states; let it persist them.
 *
 * @throws {SdkError} `invalid-argument` for a `maxStates` that is no number from 1
 * @example
 * const singleUse = new RedisUsedStates(await RedisConnection.open("redis://localhost:6379"));
 * const server = new McpServer({ name: "studio", version: "1.0.0", requestState: { keys, singleUse } });
 */
export class RedisUsedStates implements UsedStates {
  readonly #connection: RedisConnection;
  readonly #maxStates: number;
  readonly #now: () => number;

  constructor(connection: RedisConnection, { maxStates = 100_000, now = Date.now }: RedisUsedStatesOptions = {}) {
    checkFrom("maxStates", maxStates, 1);
    this.#connection = connection;
    this.#maxStates = maxStates;
    this.#now = now;
  }

  async claim(id: string, expiresAt: number): Promise<boolean> {
    const now = this.#now();
    const ttlMs = Math.ceil(Math.max(0, expiresAt - now)) + SPARE_MS;
    const args = [now, id, expiresAt, this.#maxStates, ttlMs];
    return (await this.#connection.run(CLAIM, this.#connection.key("used-states"), ...args)) === 1;
  }
}
