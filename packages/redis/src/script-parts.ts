/** Begins a script that looks at the time: that of Redis, which is the same for all nodes. */
export const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** Has a key kept for so long at least: nodes whose limits differ share it, as they do while a new version is rolled out. */
export const keepFor = `
local function keepFor(key, ms)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end`

/** What is kept for ever is kept for ten years: nothing is without an end. */
export const longestMs = 10 * 365 * 24 * 60 * 60_000
