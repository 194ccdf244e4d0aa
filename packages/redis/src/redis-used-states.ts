/** Remembers used states in Redis, so that no process accepts a state that another one has accepted. */
import { createHash } from "node:crypto";
import type { InMemoryUsedStatesOptions, UsedStates } from "parley-mcp/server";
import { checkFrom } from "./limit-checks.js";
import { type RedisConnection, redisScript } from "./redis-connection.js";

/** The options of the store in memory. `maxStates` counts the states of all processes. */
export interface RedisUsedStatesOptions extends InMemoryUsedStatesOptions {}

/**
 * Ids that expire up to the time of `forgotten` are not remembered, so all of them count as used. A principal with states has such a
 * time of its own, and a sorted set of its states. The owner '' stands for states without a principal.
 */
const CLAIM = redisScript(`
local ids, owners, now, owner = KEYS[1], KEYS[1] .. ':owners', tonumber(ARGV[1]), ARGV[6]
local function statesOf(of) return ids .. ':of:' .. of end
local function forgottenOf(of) return ids .. ':forgotten' .. (of == '' and '' or ':' .. of) end
local function keep(key)
  if redis.call('PTTL', key) < tonumber(ARGV[5]) then redis.call('PEXPIRE', key, ARGV[5]) end
end
local function isForgotten(of, expiresAt)
  local latest = redis.call('GET', forgottenOf(of))
  return latest and tonumber(expiresAt) <= tonumber(latest)
end
local function forget(id, expiresAt, isExpired)
  local of = redis.call('HGET', owners, id) or ''
  redis.call('ZREM', ids, id)
  redis.call('HDEL', owners, id)
  redis.call('ZREM', statesOf(of), id)
  local isLast = redis.call('EXISTS', statesOf(of)) == 0
  if isLast and of ~= '' then redis.call('DEL', forgottenOf(of)) end
  local from = (isExpired or isLast) and '' or of
  if not isForgotten(from, expiresAt) then redis.call('SET', forgottenOf(from), expiresAt) end
  keep(forgottenOf(from))
end
local expired = redis.call('ZRANGEBYSCORE', ids, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1000)
for index = 1, #expired, 2 do forget(expired[index], expired[index + 1], true) end
local hasSeveral = owner ~= '' and redis.call('ZCARD', statesOf(owner)) > 1
local claimed = 0
if not isForgotten('', ARGV[3]) and not isForgotten(owner, ARGV[3]) then
  claimed = redis.call('ZADD', ids, 'NX', ARGV[3], ARGV[2])
end
if claimed == 1 and owner ~= '' then
  redis.call('HSET', owners, ARGV[2], owner)
  redis.call('ZADD', statesOf(owner), ARGV[3], ARGV[2])
end
if redis.call('ZCARD', ids) > tonumber(ARGV[4]) then
  local soonest = redis.call('ZRANGE', hasSeveral and statesOf(owner) or ids, 0, 0, 'WITHSCORES')
  forget(soonest[1], soonest[2], false)
end
for _, key in ipairs({ ids, owners, statesOf(owner), forgottenOf('') }) do keep(key) end
return claimed`);

const SPARE_MS = 60_000;

/**
 * Lets each state be used once, whichever process is asked. A full store forgets states as `InMemoryUsedStates` does: a principal
 * with several loses its own. A Redis that loses its data forgets used states; let it persist them.
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

  async claim(id: string, expiresAt: number, principal?: string): Promise<boolean> {
    const now = this.#now();
    const ttlMs = Math.ceil(Math.max(0, expiresAt - now)) + SPARE_MS;
    const owner = principal === undefined ? "" : createHash("sha256").update(principal).digest("base64url");
    const args = [now, id, expiresAt, this.#maxStates, ttlMs, owner];
    return (await this.#connection.run(CLAIM, this.#connection.key("used-states"), ...args)) === 1;
  }
}
