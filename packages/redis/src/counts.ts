import { hashOf, type Keys } from './keys.js'
import { clock, keepFor, Script } from './script.js'
import type { StoreConnection } from './store-connection.js'

/**
 * Counts items. A cluster stores these keys on one node. Expired items are not counted, and are removed a few at a
 * time, because Redis runs nothing else meanwhile. The field with an empty name is the sum of all.
 */
const common = `${clock}${keepFor}
local items, sizes, owned = unpack(KEYS)
local id = ARGV[1]

-- Redis may have evicted the items, but not their sum.
if redis.call('EXISTS', items) == 0 then redis.call('UNLINK', sizes) end

local function deleteOne(id)
  local bytes = redis.call('HGET', sizes, id)
  -- Otherwise, HINCRBY could create the sum anew, without an expiry.
  if bytes then redis.call('HINCRBY', sizes, '', 0 - bytes) end
  redis.call('HDEL', sizes, id)
  redis.call('ZREM', items, id)
end

for _, expired in ipairs(redis.call('ZRANGEBYSCORE', items, '-inf', now, 'LIMIT', 0, 100)) do deleteOne(expired) end
if owned then redis.call('ZREMRANGEBYSCORE', owned, '-inf', now) end
local function countLive(key) return redis.call('ZCOUNT', key, now, '+inf') end
`

const count = new Script(`${common}
local keptMs, max, maxOwned = unpack(ARGV, 2)
if countLive(items) >= tonumber(max) then return 0 end
if owned and countLive(owned) >= tonumber(maxOwned) then return 0 end
for _, key in ipairs({ items, owned }) do redis.call('ZADD', key, now + keptMs, id) end
for _, key in ipairs({ items, sizes, owned }) do keepFor(key, keptMs) end
return 1`)

const uncount = new Script(`${common}
deleteOne(id)
if owned then redis.call('ZREM', owned, id) end`)

/** Counts the bytes of an item: all its bytes, or more bytes. Growth above the limit is rejected. */
const resize = new Script(`${common}
local bytes, isMore, max, maxOwned = unpack(ARGV, 2)
local before = redis.call('HGET', sizes, id) or 0
local more = isMore == '1' and tonumber(bytes) or bytes - before
if more == 0 then return 'counted' end
if more > 0 and (redis.call('HGET', sizes, '') or 0) + more > tonumber(max) then return 'full' end
-- If one caller may use the whole limit, checking the sum of all is enough.
if owned and more > 0 and tonumber(maxOwned) < tonumber(max) then
  local own = more
  for _, each in ipairs(redis.call('ZRANGE', owned, 0, -1)) do own = own + (redis.call('HGET', sizes, each) or 0) end
  if own > tonumber(maxOwned) then return 'full of one' end
end
redis.call('HSET', sizes, id, before + more)
redis.call('HINCRBY', sizes, '', more)
redis.call('PEXPIRE', sizes, math.max(redis.call('PTTL', items), 1))
return 'counted'`)

export type Resized = 'counted' | 'full' | 'full of one'

interface Bounds {
  readonly max: number
  readonly maxPerCaller?: number | undefined
}

/** Counts the items of one kind, and their bytes, in total and per caller. */
export class Counts {
  readonly #items: string
  readonly #sizes: string

  constructor(
    private readonly connection: StoreConnection,
    private readonly keys: Keys,
    private readonly tag: string,
  ) {
    this.#items = keys.in(tag, 'all')
    this.#sizes = keys.in(tag, 'bytes')
  }

  async add(id: string, caller: string | null, keptMs: number, { max, maxPerCaller = Infinity }: Bounds) {
    const args = [id, keptMs, max, maxPerCaller]
    return (await this.connection.script(count, this.#keysOf(caller), args)) === 1
  }

  async remove(id: string, caller: string | null): Promise<void> {
    await this.connection.script(uncount, this.#keysOf(caller), [id])
  }

  resize(id: string, caller: string | null, bytes: number, bounds: Bounds): Promise<Resized> {
    return this.#resize(id, caller, bytes, false, bounds)
  }

  grow(id: string, caller: string | null, bytes: number, bounds: Bounds): Promise<Resized> {
    return this.#resize(id, caller, bytes, true, bounds)
  }

  async #resize(
    id: string,
    caller: string | null,
    bytes: number,
    isMore: boolean,
    { max, maxPerCaller = Infinity }: Bounds,
  ): Promise<Resized> {
    const args = [id, bytes, isMore ? 1 : 0, max, maxPerCaller]
    return (await this.connection.script(resize, this.#keysOf(caller), args)) as Resized
  }

  /** Callers without a key have no separate limit. */
  #keysOf(caller: string | null): readonly string[] {
    const owned = caller === null ? [] : [this.keys.in(this.tag, `owner:${hashOf(caller)}`)]
    return [this.#items, this.#sizes, ...owned]
  }
}
