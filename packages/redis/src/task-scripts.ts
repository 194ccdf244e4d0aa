/**
 * The Lua scripts of the task store. `r:<id>` is a record, `i:<id>` the input of an unfinished task, `m` the size and principal of each, `v` their versions, `x` their expiries,
 * `u` the unfinished ones, `w` the process that works on each of these, `p:<principal>` the ids of a principal by creation, `n` the
 * totals, and `a:<process>` exists while a process is alive.
 */
import { type RedisScript, redisScript } from "./redis-connection.js";

/** Expired tasks that one call of a script drops at most. Redis serves nobody else meanwhile. */
const MAX_DROPPED = 250;

const LIBRARY = `
local base, now = KEYS[1], tonumber(ARGV[1])
local function drop(id)
  local meta = redis.call('HGET', base .. ':m', id)
  if not meta then return end
  local size, owner = string.match(meta, '^(%d+) (.*)$')
  redis.call('UNLINK', base .. ':r:' .. id, base .. ':i:' .. id)
  for _, part in ipairs({ ':m', ':v', ':w' }) do redis.call('HDEL', base .. part, id) end
  for _, part in ipairs({ ':x', ':u', ':p:' .. owner }) do redis.call('ZREM', base .. part, id) end
  redis.call('HINCRBY', base .. ':n', 'size', -size)
  if redis.call('HINCRBY', base .. ':n', 'of' .. owner, -size) <= 0 then redis.call('HDEL', base .. ':n', 'of' .. owner) end
end
local function keep(ttl, owner)
  for _, part in ipairs({ ':m', ':v', ':w', ':x', ':u', ':n', ':p:' .. owner }) do
    if redis.call('PTTL', base .. part) < ttl then redis.call('PEXPIRE', base .. part, ttl) end
  end
end
local function sizeOf(name) return tonumber(redis.call('HGET', base .. ':n', name) or '0') end
local function fullOfBytes(owner, growth, max, maxOfOne)
  if owner ~= '-' and sizeOf('of' .. owner) + growth > maxOfOne then return 'principal bytes' end
  if sizeOf('size') + growth > max then return 'server bytes' end
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. ':x', '-inf', now, 'LIMIT', 0, ${MAX_DROPPED})) do drop(id) end
`;

export const CREATE_TASK: RedisScript = redisScript(
  LIBRARY,
  `
local id, text, size, expiresAt, ttl = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
local owner, version, worker, isFinished, channel = ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11]
if owner ~= '-' and redis.call('ZCARD', base .. ':p:' .. owner) >= tonumber(ARGV[13]) then return 'principal tasks' end
if redis.call('HLEN', base .. ':m') >= tonumber(ARGV[12]) then return 'server tasks' end
local full = fullOfBytes(owner, size, tonumber(ARGV[14]), tonumber(ARGV[15]))
if full then return full end
local number = redis.call('HINCRBY', base .. ':n', 'created', 1)
redis.call('SET', base .. ':r:' .. id, text, 'PX', ttl)
if isFinished == '0' then redis.call('SET', base .. ':i:' .. id, ARGV[16], 'PX', ttl) end
redis.call('HSET', base .. ':m', id, ARGV[4] .. ' ' .. owner)
redis.call('HSET', base .. ':v', id, version)
redis.call('ZADD', base .. ':x', expiresAt, id)
redis.call('ZADD', base .. ':p:' .. owner, number, id)
if isFinished == '0' then
  redis.call('ZADD', base .. ':u', number, id)
  redis.call('HSET', base .. ':w', id, worker)
end
redis.call('HINCRBY', base .. ':n', 'size', size)
redis.call('HINCRBY', base .. ':n', 'of' .. owner, size)
keep(ttl, owner)
redis.call('PUBLISH', channel, worker .. ' ' .. text)
return 1`,
);

export const REPLACE_TASK: RedisScript = redisScript(
  LIBRARY,
  `
local id, text, size, ttl, version = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[6]), ARGV[8]
local worker, isFinished, channel = ARGV[9], ARGV[10], ARGV[11]
if redis.call('HGET', base .. ':v', id) ~= string.format('%.0f', tonumber(version) - 1) then return 0 end
local before, owner = string.match(redis.call('HGET', base .. ':m', id), '^(%d+) (.*)$')
local growth = size - tonumber(before)
local full = growth > 0 and fullOfBytes(owner, growth, tonumber(ARGV[14]), tonumber(ARGV[15]))
if full then return full end
redis.call('SET', base .. ':r:' .. id, text, 'PX', ttl)
redis.call('HSET', base .. ':m', id, ARGV[4] .. ' ' .. owner)
redis.call('HSET', base .. ':v', id, version)
if isFinished == '1' then
  redis.call('UNLINK', base .. ':i:' .. id)
  redis.call('ZREM', base .. ':u', id)
  redis.call('HDEL', base .. ':w', id)
else
  redis.call('PEXPIRE', base .. ':i:' .. id, ttl)
end
redis.call('HINCRBY', base .. ':n', 'size', growth)
redis.call('HINCRBY', base .. ':n', 'of' .. owner, growth)
keep(ttl, owner)
redis.call('PUBLISH', channel, worker .. ' ' .. text)
return 1`,
);

export const DELETE_TASK: RedisScript = redisScript(LIBRARY, "drop(ARGV[2])");

/** Returns whether there is another page, then the records of this one. Returns nothing for an unknown cursor. */
export const LIST_TASKS: RedisScript = redisScript(
  LIBRARY,
  `
local ids, cursor, limit, maxSize = base .. ':p:' .. ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local start = '-inf'
if cursor ~= '-' then
  local found = redis.call('ZSCORE', ids, string.sub(cursor, 2))
  if not found then return false end
  start = '(' .. found
end
local page, size = { '0' }, 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', ids, start, '+inf', 'LIMIT', 0, limit + 1)) do
  if #page - 1 == limit or size >= maxSize then
    page[1] = '1'
    return page
  end
  local text = redis.call('GET', base .. ':r:' .. id)
  if text then
    table.insert(page, text)
    size = size + 2 * #text
  end
end
return page`,
);

/** Gives an unfinished task to a process, if the process that has it is not alive. */
export const CLAIM_TASK: RedisScript = redisScript(
  LIBRARY,
  `
local id, worker = ARGV[2], ARGV[3]
local holder = redis.call('HGET', base .. ':w', id)
if not holder or (holder ~= worker and redis.call('EXISTS', base .. ':a:' .. holder) == 1) then return 0 end
redis.call('HSET', base .. ':w', id, worker)
return 1`,
);
