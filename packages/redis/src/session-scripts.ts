import { Script } from './script.js'
import { clock, keepFor } from './script-parts.js'
import { everybody } from './subscriptions.js'

/**
 * Begins the scripts that count sessions. Each session is one text that expires; a cluster may keep it on another node than
 * what counts it.
 *
 * | Key | Holds |
 * | --- | --- |
 * | `unused`, `used` | ids of sessions that were never used, and of the others, by the time of their expiry: two shelves |
 * | `callers` | the caller of each id |
 * | a shelf and `:of:CALLER` | those ids of the shelf that count for one caller |
 * | a shelf and `:callers` | the callers by how many that are; of those with equally many, who was unused for longest has most |
 */
const common = `${clock}
local unused, used, callers = unpack(KEYS)
local id = ARGV[1]
local shelves = { unused, used }

local function idsOf(shelf, caller) return shelf .. ':of:' .. caller end

local function callerOf(id) return redis.call('HGET', callers, id) or '' end

local function rank(shelf, caller)
  local ids = idsOf(shelf, caller)
  local newest = redis.call('ZRANGE', ids, -1, -1, 'WITHSCORES')[2]
  -- The time is less than one.
  if newest then redis.call('ZADD', shelf .. ':callers', redis.call('ZCARD', ids) - newest / 1e13, caller)
  else redis.call('ZREM', shelf .. ':callers', caller) end
end

local function take(shelf, caller, id)
  redis.call('ZREM', shelf, id)
  redis.call('ZREM', idsOf(shelf, caller), id)
  rank(shelf, caller)
end
`

const put = `${keepFor}
local function put(shelf, caller, id, idleMs)
  for _, key in ipairs({ shelf, idsOf(shelf, caller) }) do redis.call('ZADD', key, now + idleMs, id) end
  rank(shelf, caller)
  redis.call('HSET', callers, id, caller)
  -- What counts is kept as long as any of it: whose time is over is dropped by these scripts, and not by an expiry.
  local counts = { unused, unused .. ':callers', used, used .. ':callers', callers, idsOf(shelf, caller) }
  for _, key in ipairs(counts) do keepFor(key, idleMs) end
end
`

/** Some of those whose time is over: as there are more of them, there is room. */
const forgetExpired = `
for _, shelf in ipairs(shelves) do
  for _, expired in ipairs(redis.call('ZRANGEBYSCORE', shelf, '-inf', now, 'LIMIT', 0, 100)) do
    take(shelf, callerOf(expired), expired)
    redis.call('HDEL', callers, expired)
  end
end
`

/** Counts a new session. Answers with whether there is room, and with those that make it: they are to be ended. */
export const count = new Script(`${common}${put}
local caller, idleMs, max, inUseMs = unpack(ARGV, 2)
local displaced = {}

local function countOf(caller)
  return redis.call('ZCARD', idsOf(unused, caller)) + redis.call('ZCARD', idsOf(used, caller))
end

local function oldestIdle(shelf, ids)
  local oldest, expiry = unpack(redis.call('ZRANGE', ids, 0, 0, 'WITHSCORES'))
  -- What was used so lately may be in use: nodes do not say so more often.
  if oldest and (shelf == unused or expiry - idleMs < now - inUseMs) then return oldest end
end

local function displace(shelf, caller, id)
  if not id then return false end
  local isThere = redis.call('ZSCORE', shelf, id)
  take(shelf, caller, id)
  -- A node of an older version took it off the shelf: it may be in use on the other one.
  if not isThere then return true end
  redis.call('HDEL', callers, id)
  displaced[#displaced + 1] = id
  return true
end

local function displaceOneOf(shelf, caller) return displace(shelf, caller, oldestIdle(shelf, idsOf(shelf, caller))) end

local function displaceOne(shelf)
  local oldest = oldestIdle(shelf, shelf)
  if not oldest then return false end
  local owner = callerOf(oldest)
  -- It counts for nobody: a Redis threw away for whom, or an older version kept it.
  if not redis.call('ZSCORE', idsOf(shelf, owner), oldest) then return displace(shelf, owner, oldest) end
  local count = countOf(caller) + 1
  -- Whoever comes after a hundred others who have more is not looked at: there is an end to what one call may take.
  for _, most in ipairs(redis.call('ZRANGE', shelf .. ':callers', 0, 99, 'REV')) do
    if most ~= caller and countOf(most) < count then return false end
    if displaceOneOf(shelf, most) then return true end
  end
  return false
end

local function makeRoom()
  return displaceOne(unused) or displaceOne(used) or displaceOneOf(unused, caller) or displaceOneOf(used, caller)
end

${forgetExpired}
-- Of a limit that is smaller now, a few at a time: Redis does nothing else meanwhile.
for tries = 1, 100 do
  if redis.call('ZCARD', unused) + redis.call('ZCARD', used) < tonumber(max) then break end
  if tries == 100 or not makeRoom() then return { 0, unpack(displaced) } end
end
put(unused, caller, id, idleMs)
return { 1, unpack(displaced) }`)

/** Counts a session as used. */
export const countAsUsed = new Script(`${common}${put}
local idleMs = ARGV[2]
local caller = callerOf(id)
take(unused, caller, id)
put(used, caller, id, idleMs)`)

export const uncount = new Script(`${common}
local caller = callerOf(id)
for _, shelf in ipairs(shelves) do take(shelf, caller, id) end
redis.call('HDEL', callers, id)`)

/** The places of streams live as long as the session: a client that comes back needs them. */
export const touch = new Script(`${keepFor}
local session, streams = unpack(KEYS)
local idleMs = ARGV[1]
if redis.call('PEXPIRE', session, idleMs) == 0 then return 0 end
keepFor(streams, idleMs)
return 1`)

export const remove = new Script(`
local id, channel = unpack(ARGV)
if redis.call('DEL', KEYS[1]) == 1 then redis.call('PUBLISH', channel, '${everybody} ' .. id) end`)
