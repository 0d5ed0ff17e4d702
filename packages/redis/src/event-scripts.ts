import { Script } from './connection.js'
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
 *
 * The streams of a session live as long as it does: events grow old, and their places stay what they are.
 */
const common = `${clock}${keepFor}
local streams, sessions, sizes = unpack(KEYS)
local session, stream, bodiesOf, orderOf, storedMs, knownMs = unpack(ARGV)
local bodies, order = bodiesOf .. session, orderOf .. session

local function sizeOf(name) return tonumber(redis.call('HGET', sizes, name) or 0) end

local function placesOf(name)
  local first, last, isEnded = string.match(redis.call('HGET', streams, name) or '', '^(%d+) (%d+) (%d)$')
  if first then return tonumber(first), tonumber(last), isEnded == '1' end
end

local function keepPlaces(name, first, last, isEnded)
  redis.call('HSET', streams, name, first .. ' ' .. last .. ' ' .. (isEnded and 1 or 0))
end

-- Without its oldest event a stream that goes on begins later, and one that has ended may be gone.
local function dropOldest()
  local place, bytes, _, name = string.match(redis.call('LPOP', order), '^(%d+) (%d+) (%d+) (.*)$')
  redis.call('HDEL', bodies, name .. ' ' .. place)
  redis.call('HINCRBY', sizes, session, -bytes)
  redis.call('HINCRBY', sizes, '', -bytes)
  local _, last, isEnded = placesOf(name)
  if isEnded and tonumber(place) == last then redis.call('HDEL', streams, name)
  elseif last then keepPlaces(name, place + 1, last, isEnded) end
end

local function dropAllOf(name)
  redis.call('DEL', bodiesOf .. name, orderOf .. name)
  redis.call('HINCRBY', sizes, '', 0 - sizeOf(name))
  redis.call('HDEL', sizes, name)
  redis.call('ZREM', sessions, name)
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
  if redis.call('EXISTS', sessions, sizes) == 1 then
    for _, name in ipairs(redis.call('ZRANGE', sessions, 0, -1)) do dropAllOf(name) end
    redis.call('DEL', sessions, sizes)
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
local message, bytes, isLast, maxEvents, maxBytes, maxTotal, channel, news = unpack(ARGV, 7)

local function makeRoom()
  while redis.call('LLEN', order) > 0
    and (redis.call('LLEN', order) >= tonumber(maxEvents) or sizeOf(session) + bytes > tonumber(maxBytes)) do
    dropOldest()
  end
  while sizeOf('') + bytes > tonumber(maxTotal) do
    local oldest = redis.call('ZRANGE', sessions, 0, 0)[1]
    if not oldest then return end
    if oldest == session and redis.call('LLEN', order) > 0 then dropOldest() else dropAllOf(oldest) end
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
redis.call('HINCRBY', sizes, session, bytes)
redis.call('HINCRBY', sizes, '', bytes)
redis.call('ZADD', sessions, now, session)
-- Somewhat longer, so that what is counted is dropped by this script and not by its expiry.
for _, key in ipairs({ bodies, order, sessions, sizes }) do keepFor(key, storedMs + 60000) end
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
