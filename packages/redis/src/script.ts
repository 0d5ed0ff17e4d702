import { hash } from 'node:crypto'

/** A script that Redis runs atomically. */
export class Script {
  readonly hash: string

  constructor(readonly text: string) {
    this.hash = hash('sha1', text)
  }
}

/** Beginning of a script that needs the time. The script uses the clock of Redis, which is the same for all nodes. */
export const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/**
 * Extends the expiry of a key, never shortens it: nodes that share the key may have different limits during a rolling
 * update.
 */
export const keepFor = `
local function keepFor(key, ms)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end`

/** Milliseconds of ten years, used for unlimited values: every key has an expiry. */
export const longestMs = 10 * 365 * 24 * 60 * 60_000
