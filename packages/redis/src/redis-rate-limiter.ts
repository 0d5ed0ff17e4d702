import type { RateLimit, RateLimiter } from '@toolwright/core'
import type { Keys } from './keys.js'
import { Script } from './script.js'
import type { StoreConnection } from './store-connection.js'

/** Counts a call. Returns 0 within the limit; otherwise, the milliseconds until the window ends. */
const take = new Script(`
local calls = redis.call('INCR', KEYS[1])
if calls == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if calls <= tonumber(ARGV[1]) then return 0 end
return math.max(redis.call('PTTL', KEYS[1]), 1)`)

/**
 * Counts the calls of all nodes together. A window begins with its first call. The key of the window expires at the end
 * of the window.
 */
export class RedisRateLimiter implements RateLimiter {
  constructor(
    private readonly connection: StoreConnection,
    private readonly keys: Keys,
  ) {}

  async take(key: string, { calls, windowMs }: RateLimit): Promise<number> {
    const name = this.keys.of('calls', `${calls}/${windowMs}`, key)
    return Number(await this.connection.script(take, [name], [calls, windowMs]))
  }
}
