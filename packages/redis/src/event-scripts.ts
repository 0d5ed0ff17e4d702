import { clock, keepFor, Script } from './script.js'

/**
 * Scripts of one session, whose keys a cluster stores on one node.
 *
 * | Key | Content |
 * | --- | --- |
 * | `bodies` | messages of the session, by stream and position; under the name '' the bytes of all |
 * | `order` | position, bytes, time and stream of each stored event, oldest first |
 * | `streams` | for each stream: the first stored position, the last one, and whether the stream has ended |
 *
 * Streams are stored as long as their session: events expire, but their positions do not change.
 */
const common = `${clock}${keepFor}
local bodies, order, streams = unpack(KEYS)
local storedMs, knownMs = unpack(ARGV)

local function bytesOfAll() return tonumber(redis.call('HGET', bodies, '') or 0) end

local function placesOf(name)
  local first, last, isEnded = string.match(redis.call('HGET', streams, name) or '', '^(%d+) (%d+) (%d)$')
  if first then return tonumber(first), tonumber(last), isEnded == '1' end
end

local function keepPlaces(name, first, last, isEnded)
  redis.call('HSET', streams, name, first .. ' ' .. last .. ' ' .. (isEnded and 1 or 0))
end

-- Without its oldest event, an open stream begins later, and an ended stream may be removed.
local function dropOldest()
  local place, bytes, _, name = string.match(redis.call('LPOP', order), '^(%d+) (%d+) (%d+) (.*)$')
  redis.call('HDEL', bodies, name .. ' ' .. place)
  redis.call('HINCRBY', bodies, '', 0 - bytes)
  local _, last, isEnded = placesOf(name)
  if isEnded and tonumber(place) == last then redis.call('HDEL', streams, name)
  elseif last then keepPlaces(name, place + 1, last, isEnded) end
  if redis.call('LLEN', order) == 0 then redis.call('DEL', bodies) end
end

local function dropAll() redis.call('DEL', bodies, order) end

-- If all events were dropped at once, the streams still have their old positions.
local function settle()
  if redis.call('LLEN', order) > 0 then return end
  for _, name in ipairs(redis.call('HKEYS', streams)) do
    local first, last, isEnded = placesOf(name)
    if isEnded then redis.call('HDEL', streams, name)
    elseif first <= last then keepPlaces(name, last + 1, last, false) end
  end
end

local function dropExpired()
  -- If Redis has evicted some of these keys, the events are dropped, and the client is informed of the gap.
  local isKept = redis.call('EXISTS', order)
  if redis.call('EXISTS', bodies) ~= isKept or isKept == 1 and redis.call('EXISTS', streams) == 0 then dropAll() end
  local entry = redis.call('LINDEX', order, 0)
  for _ = 1, 100 do
    if not entry or tonumber(string.match(entry, '^%d+ %d+ (%d+)')) > now - storedMs then break end
    dropOldest()
    entry = redis.call('LINDEX', order, 0)
  end
  settle()
end
`

/** Appends messages, each with its stream, its bytes, and whether it is the last. Returns the bytes of all events. */
export const append = new Script(`${common}
local maxEvents, maxBytes, channel, node = unpack(ARGV, 3, 6)

local function makeRoom(bytes)
  while redis.call('LLEN', order) > 0
    and (redis.call('LLEN', order) >= tonumber(maxEvents) or bytesOfAll() + bytes > tonumber(maxBytes)) do
    dropOldest()
  end
end

local function add(stream, message, bytes, isLast)
  local _, _, isEnded = placesOf(stream)
  if isEnded then return end
  makeRoom(bytes)
  settle()
  local first, last = placesOf(stream)
  if not first then first, last = 1, 0 end
  last = last + 1
  keepPlaces(stream, first, last, isLast)
  redis.call('HSET', bodies, stream .. ' ' .. last, message)
  redis.call('HINCRBY', bodies, '', bytes)
  redis.call('RPUSH', order, last .. ' ' .. bytes .. ' ' .. now .. ' ' .. stream)
end

dropExpired()
local changed = {}
for at = 7, #ARGV, 4 do
  local stream, message, bytes, isLast = unpack(ARGV, at, at + 3)
  add(stream, message, tonumber(bytes), isLast == '1')
  changed[stream] = true
end
for _, key in ipairs({ bodies, order }) do keepFor(key, storedMs) end
keepFor(streams, knownMs)
for stream in pairs(changed) do redis.call('PUBLISH', channel, node .. ' ' .. stream) end
return bytesOfAll()`)

/**
 * Drops the oldest events, but never the newest, until the given bytes are free. Returns the remaining bytes, and
 * whether more events can be dropped.
 */
export const shrink = new Script(`${common}
local goal = bytesOfAll() - ARGV[3]
for _ = 1, 100 do
  if redis.call('LLEN', order) < 2 or bytesOfAll() <= goal then break end
  dropOldest()
end
return { bytesOfAll(), redis.call('LLEN', order) > 1 and 1 or 0 }`)

/**
 * Reads events. Returns whether the events follow the last read position without a gap, whether the stream ends with
 * these events, the position of the first event, and the events.
 */
export const read = new Script(`${common}
local stream, after, max = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
dropExpired()
local first, last, isEnded = placesOf(stream)
if not first or after > last then return false end
keepFor(streams, knownMs)
local from = math.max(after + 1, first)
local to = math.min(last, from + max - 1)
local answer = { after + 1 >= first and 1 or 0, isEnded and to == last and 1 or 0, from }
for place = from, to do answer[#answer + 1] = redis.call('HGET', bodies, stream .. ' ' .. place) end
return answer`)

export const drop = new Script(`${common}
dropAll()`)

export const remove = new Script(`${common}
dropAll()
redis.call('DEL', streams)`)

/**
 * Counts the events of all sessions. A cluster stores these keys on one node.
 *
 * | Key | Content |
 * | --- | --- |
 * | `sessions` | sessions with events, by the time of the newest event |
 * | `sizes` | bytes of the events of each session, and under the name '' of all |
 * | `callers` | caller of each session |
 * | `callers` and `:bytes` | callers by the bytes of their events |
 * | `callers` and `:of:CALLER` | sessions of one caller, by the time of their newest event |
 */
const counting = `${clock}${keepFor}
local sessions, sizes, callers = unpack(KEYS)
local session, storedMs = unpack(ARGV)
local usage = callers .. ':bytes'

local function sizeOf(name) return tonumber(redis.call('HGET', sizes, name) or 0) end

local function sessionsOf(caller) return callers .. ':of:' .. caller end

local function leave(caller, name)
  redis.call('ZREM', sessionsOf(caller), name)
  if redis.call('EXISTS', sessionsOf(caller)) == 0 then redis.call('ZREM', usage, caller) end
end

local function resize(name, caller, bytes)
  local more = bytes - sizeOf(name)
  redis.call('HINCRBY', sizes, '', more)
  redis.call('ZINCRBY', usage, more, caller)
end

local function deleteOne(name)
  local caller = redis.call('HGET', callers, name)
  if caller and redis.call('HEXISTS', sizes, name) == 1 then resize(name, caller, 0) end
  redis.call('HDEL', sizes, name)
  redis.call('ZREM', sessions, name)
  redis.call('HDEL', callers, name)
  if caller then leave(caller, name) end
end

local function oldestExpired(count)
  return redis.call('ZRANGEBYSCORE', sessions, '-inf', now - storedMs, 'LIMIT', 0, count)
end

-- Redis may have evicted some of these keys.
local function dropDamaged()
  local there = redis.call('EXISTS', sessions, sizes, callers, usage)
  if there > 0 and there < 4 then redis.call('UNLINK', sessions, sizes, callers, usage) end
end
`

/** Maximum number of sessions that one script drops, because Redis runs nothing else meanwhile. */
const maxDropped = 100

/**
 * Counts the events of a session. Returns the bytes that this session has to free, whether to call again, and the
 * removed sessions. The events of removed sessions have to be dropped.
 */
export const count = new Script(`${counting}
local bytes, maxTotal, caller, mayShrink = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], ARGV[6] == '1'
dropDamaged()
for _, name in ipairs(oldestExpired(${maxDropped})) do deleteOne(name) end
if bytes == 0 then deleteOne(session)
else
  -- A session always counts for its first caller.
  caller = redis.call('HGET', callers, session) or caller
  resize(session, caller, bytes)
  redis.call('HSET', sizes, session, bytes)
  redis.call('HSET', callers, session, caller)
  for _, key in ipairs({ sessions, sessionsOf(caller) }) do redis.call('ZADD', key, now, session) end
  for _, key in ipairs({ sessions, sizes, callers, usage, sessionsOf(caller) }) do keepFor(key, storedMs + 60000) end
end

-- The caller with the most bytes. Ties are decided against the caller that appended.
local function findMost()
  local most, size = unpack(redis.call('ZRANGE', usage, 0, 0, 'REV', 'WITHSCORES'))
  return most and tonumber(redis.call('ZSCORE', usage, caller) or 0) == tonumber(size) and caller or most
end

local dropped = {}
local function dropOne(name)
  deleteOne(name)
  dropped[#dropped + 1] = name
end

for _ = 1, ${maxDropped} do
  local excess = sizeOf('') - maxTotal
  if excess <= 0 then return { 0, 0, unpack(dropped) } end
  local most = findMost()
  local oldest = oldestExpired(1)[1] or most and redis.call('ZRANGE', sessionsOf(most), 0, 0)[1]
  if oldest == session and mayShrink then return { excess, 1, unpack(dropped) } end
  if oldest == session then
    local others = redis.call('ZRANGE', sessions, 0, 1)
    oldest = others[1] == session and others[2] or others[1]
    if oldest == session then oldest = nil end
    if not oldest then return { 0, 0, unpack(dropped) } end
  end
  if oldest then dropOne(oldest)
  elseif most then redis.call('ZREM', usage, most)
  else return { 0, 0, unpack(dropped) } end
end
return { 0, 1, unpack(dropped) }`)

export const uncount = new Script(`${counting}
deleteOne(session)`)
