import { clock, keepFor, Script } from './script.js'
import { noSender } from './subscriptions.js'

/**
 * Beginning of the scripts that count sessions. Each session is a string that expires. A cluster may store the session
 * and the counts on different nodes.
 *
 * | Key | Content |
 * | --- | --- |
 * | `unused`, `used` | two lists: ids of sessions that were never used, and of the others, by their expiry |
 * | `callers` | caller of each id |
 * | a list and `:of:CALLER` | ids of one caller on the list |
 * | a list and `:callers` | callers by number of ids; for equal numbers, the longest unused one is highest |
 */
const common = `${clock}
local unused, used, callers = unpack(KEYS)
local id = ARGV[1]
local lists = { unused, used }

local function idsOf(list, caller) return list .. ':of:' .. caller end

local function callerOf(id) return redis.call('HGET', callers, id) or '' end

local function rank(list, caller)
  local ids = idsOf(list, caller)
  local newest = redis.call('ZRANGE', ids, -1, -1, 'WITHSCORES')[2]
  -- The time adds less than 1 to the rank.
  if newest then redis.call('ZADD', list .. ':callers', redis.call('ZCARD', ids) - newest / 1e13, caller)
  else redis.call('ZREM', list .. ':callers', caller) end
end

local function take(list, caller, id)
  redis.call('ZREM', list, id)
  redis.call('ZREM', idsOf(list, caller), id)
  rank(list, caller)
end
`

const put = `${keepFor}
local function put(list, caller, id, idleMs)
  for _, key in ipairs({ list, idsOf(list, caller) }) do redis.call('ZADD', key, now + idleMs, id) end
  rank(list, caller)
  redis.call('HSET', callers, id, caller)
  -- The counts expire with the last session. Single expired sessions are dropped by these scripts.
  local counts = { unused, unused .. ':callers', used, used .. ':callers', callers, idsOf(list, caller) }
  for _, key in ipairs(counts) do keepFor(key, idleMs) end
end
`

/** Drops up to 100 expired sessions of each list. */
const deleteExpired = `
for _, list in ipairs(lists) do
  for _, expired in ipairs(redis.call('ZRANGEBYSCORE', list, '-inf', now, 'LIMIT', 0, 100)) do
    take(list, callerOf(expired), expired)
    redis.call('HDEL', callers, expired)
  end
end
`

/**
 * Counts a new session. Returns whether the session is within the limit, and the displaced sessions, which have to be
 * ended.
 */
export const count = new Script(`${common}${put}
local caller, idleMs, max, inUseMs = unpack(ARGV, 2)
local displaced = {}

local function countOf(caller)
  return redis.call('ZCARD', idsOf(unused, caller)) + redis.call('ZCARD', idsOf(used, caller))
end

local function oldestIdle(list, ids)
  local oldest, expiry = unpack(redis.call('ZRANGE', ids, 0, 0, 'WITHSCORES'))
  -- A session used so recently may be in use: nodes do not mark sessions more often.
  if oldest and (list == unused or expiry - idleMs < now - inUseMs) then return oldest end
end

local function displace(list, caller, id)
  if not id then return false end
  local isThere = redis.call('ZSCORE', list, id)
  take(list, caller, id)
  -- A node of an older version has moved the session: it may be in use on the other list.
  if not isThere then return true end
  redis.call('HDEL', callers, id)
  displaced[#displaced + 1] = id
  return true
end

local function displaceOneOf(list, caller) return displace(list, caller, oldestIdle(list, idsOf(list, caller))) end

local function displaceOne(list)
  local oldest = oldestIdle(list, list)
  if not oldest then return false end
  local owner = callerOf(oldest)
  -- Its caller is unknown: Redis has evicted it, or an older version has stored the session.
  if not redis.call('ZSCORE', idsOf(list, owner), oldest) then return displace(list, owner, oldest) end
  local count = countOf(caller) + 1
  -- Only the first hundred callers are considered, which limits the duration of one call.
  for _, most in ipairs(redis.call('ZRANGE', list .. ':callers', 0, 99, 'REV')) do
    if most ~= caller and countOf(most) < count then return false end
    if displaceOneOf(list, most) then return true end
  end
  return false
end

local function makeRoom()
  return displaceOne(unused) or displaceOne(used) or displaceOneOf(unused, caller) or displaceOneOf(used, caller)
end

${deleteExpired}
-- After the limit was reduced, a few at a time: Redis runs nothing else meanwhile.
for tries = 1, 100 do
  if redis.call('ZCARD', unused) + redis.call('ZCARD', used) < tonumber(max) then break end
  if tries == 100 or not makeRoom() then return { 0, unpack(displaced) } end
end
put(unused, caller, id, idleMs)
return { 1, unpack(displaced) }`)

export const countAsUsed = new Script(`${common}${put}
local idleMs = ARGV[2]
local caller = callerOf(id)
take(unused, caller, id)
put(used, caller, id, idleMs)`)

export const uncount = new Script(`${common}
local caller = callerOf(id)
for _, list in ipairs(lists) do take(list, caller, id) end
redis.call('HDEL', callers, id)`)

/** Extends a session. The positions of its streams are extended, too, because a client that reconnects needs them. */
export const touch = new Script(`${keepFor}
local session, streams = unpack(KEYS)
local idleMs = ARGV[1]
if redis.call('PEXPIRE', session, idleMs) == 0 then return 0 end
keepFor(streams, idleMs)
return 1`)

export const remove = new Script(`
local id, channel = unpack(ARGV)
if redis.call('DEL', KEYS[1]) == 1 then redis.call('PUBLISH', channel, '${noSender} ' .. id) end`)
