import { Script } from './script.js'
import { clock, keepFor } from './script-parts.js'

/**
 * What all scripts of the event store begin with.
 *
 * | Key | Holds |
 * | --- | --- |
 * | `bodies` | the messages of a session, by stream and place |
 * | `order` | of a session, oldest first: place, bytes, time and stream of each event that is kept |
 * | `streams` | of each stream of a session: the first place that is kept, the last one, and whether that is its end |
 * | `sessions` | the sessions that have events, by the time of the newest |
 * | `sizes` | bytes of the events of each session, and under the name '' of all |
 * | `callers` | whom each session that has events counts for |
 * | `callers` and `:bytes` | the callers by the bytes of their events |
 * | `callers` and `:of:CALLER` | the sessions of one caller, by the time of their newest event |
 *
 * The streams of a session live as long as it does: events grow old, and their places stay what they are.
 */
const common = `${clock}${keepFor}
local streams, sessions, sizes, callers = unpack(KEYS)
local session, stream, bodiesOf, orderOf, storedMs, knownMs = unpack(ARGV)
local bodies, order = bodiesOf .. session, orderOf .. session
local ranking = callers .. ':bytes'

local function sizeOf(name) return tonumber(redis.call('HGET', sizes, name) or 0) end

local function placesOf(name)
  local first, last, isEnded = string.match(redis.call('HGET', streams, name) or '', '^(%d+) (%d+) (%d)$')
  if first then return tonumber(first), tonumber(last), isEnded == '1' end
end

local function keepPlaces(name, first, last, isEnded)
  redis.call('HSET', streams, name, first .. ' ' .. last .. ' ' .. (isEnded and 1 or 0))
end

local function sessionsOf(caller) return callers .. ':of:' .. caller end

local function addBytes(name, bytes)
  -- It would make what is not there, without an expiry.
  if bytes == 0 then return end
  for _, field in ipairs({ name, '' }) do redis.call('HINCRBY', sizes, field, bytes) end
  local caller = redis.call('HGET', callers, name)
  if caller then redis.call('ZINCRBY', ranking, bytes, caller) end
end

local function leave(caller, name)
  redis.call('ZREM', sessionsOf(caller), name)
  if redis.call('EXISTS', sessionsOf(caller)) == 0 then redis.call('ZREM', ranking, caller) end
end

-- Without its oldest event a stream that goes on begins later, and one that has ended may be gone.
local function dropOldest()
  local place, bytes, _, name = string.match(redis.call('LPOP', order), '^(%d+) (%d+) (%d+) (.*)$')
  redis.call('HDEL', bodies, name .. ' ' .. place)
  addBytes(session, -bytes)
  local _, last, isEnded = placesOf(name)
  if isEnded and tonumber(place) == last then redis.call('HDEL', streams, name)
  elseif last then keepPlaces(name, place + 1, last, isEnded) end
end

local function dropAllOf(name)
  redis.call('DEL', bodiesOf .. name, orderOf .. name)
  addBytes(name, 0 - sizeOf(name))
  redis.call('HDEL', sizes, name)
  redis.call('ZREM', sessions, name)
  local caller = redis.call('HGET', callers, name)
  if not caller then return end
  redis.call('HDEL', callers, name)
  leave(caller, name)
end

-- Where all events of a session were dropped at once, its streams do not know of it yet.
local function settle()
  if redis.call('LLEN', order) > 0 then return end
  for _, name in ipairs(redis.call('HKEYS', streams)) do
    local first, last, isEnded = placesOf(name)
    if isEnded then redis.call('HDEL', streams, name)
    elseif first <= last then keepPlaces(name, last + 1, last, false) end
  end
end

-- What is counted is there, and what is there is counted. It may not be so where a Redis throws away what is in use: such
-- events are gone, and clients hear that they missed some.
local function dropDamaged()
  local kept, counted = redis.call('EXISTS', sessions, sizes), redis.call('EXISTS', callers, ranking)
  -- Those that an older version kept count for nobody.
  if kept == 1 or counted == 1 or kept < counted then
    for _, name in ipairs(redis.call('ZRANGE', sessions, 0, -1)) do dropAllOf(name) end
    redis.call('DEL', sessions, sizes, callers, ranking)
  end
  local isKept = redis.call('LLEN', order) > 0
  local isCounted = sizeOf(session) > 0
  if isKept ~= isCounted or isKept and redis.call('EXISTS', bodies, streams) < 2 then dropAllOf(session) end
end

local function dropExpired()
  dropDamaged()
  local oldest = now - storedMs
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', sessions, '-inf', oldest)) do dropAllOf(name) end
  local entry = redis.call('LINDEX', order, 0)
  while entry and tonumber(string.match(entry, '^%d+ %d+ (%d+)')) <= oldest do
    dropOldest()
    entry = redis.call('LINDEX', order, 0)
  end
  settle()
end
`

export const append = new Script(`${common}
local message, bytes, isLast, caller, maxEvents, maxBytes, maxTotal, channel, news = unpack(ARGV, 7)

-- A session counts for whom it counted first.
caller = redis.call('HGET', callers, session) or caller

-- The caller that has most with what is to come.
local function findMost()
  local own = tonumber(redis.call('ZSCORE', ranking, caller) or 0)
  local most, size = unpack(redis.call('ZRANGE', ranking, 0, 0, 'REV', 'WITHSCORES'))
  return own > 0 and own + bytes >= tonumber(size) and caller or most
end

local function makeRoom()
  while redis.call('LLEN', order) > 0
    and (redis.call('LLEN', order) >= tonumber(maxEvents) or sizeOf(session) + bytes > tonumber(maxBytes)) do
    dropOldest()
  end
  while sizeOf('') + bytes > tonumber(maxTotal) do
    local most = findMost()
    -- Last of all go those that count for nobody.
    local oldest = redis.call('ZRANGE', most and sessionsOf(most) or sessions, 0, 0)[1]
    if not most and not oldest then return end
    if oldest == session and redis.call('LLEN', order) > 0 then
      dropOldest()
    else
      if oldest then dropAllOf(oldest) end
      -- Once more, because a Redis may have thrown away whom it counts for.
      if most then leave(most, oldest or '') end
    end
  end
end

dropExpired()
local _, _, isEnded = placesOf(stream)
if isEnded then return end
makeRoom()
settle()
local first, last = placesOf(stream)
if not first then first, last = 1, 0 end
last = last + 1
keepPlaces(stream, first, last, isLast == '1')
redis.call('HSET', bodies, stream .. ' ' .. last, message)
redis.call('RPUSH', order, last .. ' ' .. bytes .. ' ' .. now .. ' ' .. stream)
redis.call('HSET', callers, session, caller)
addBytes(session, bytes)
for _, key in ipairs({ sessions, sessionsOf(caller) }) do redis.call('ZADD', key, now, session) end
-- Somewhat longer, so that what is counted is dropped by this script and not by its expiry.
for _, key in ipairs({ bodies, order, sessions, sizes, callers, ranking, sessionsOf(caller) }) do
  keepFor(key, storedMs + 60000)
end
keepFor(streams, knownMs)
redis.call('PUBLISH', channel, news)`)

/** Answers with whether nothing is missing before the events, whether nothing follows them, their first place, and them. */
export const read = new Script(`${common}
local after, max = tonumber(ARGV[7]), tonumber(ARGV[8])
dropExpired()
local first, last, isEnded = placesOf(stream)
if not first or after > last then return false end
keepFor(streams, knownMs)
local from = math.max(after + 1, first)
local to = math.min(last, from + max - 1)
local answer = { after + 1 >= first and 1 or 0, isEnded and to == last and 1 or 0, from }
for place = from, to do answer[#answer + 1] = redis.call('HGET', bodies, stream .. ' ' .. place) end
return answer`)

export const forget = new Script(`${common}
dropAllOf(session)
redis.call('DEL', streams)`)
