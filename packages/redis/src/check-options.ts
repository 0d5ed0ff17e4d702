import type { Limits } from '@toolwright/core'
import {
  checkNames,
  longestTimer,
  type NamesOf,
  Problems,
  requireMethods,
  requireNumber,
  resolveLimits,
} from '@toolwright/core/internal'
import type { RedisOptions } from './connect-redis.js'

const names: NamesOf<RedisOptions> = { url: true, prefix: true, limits: true, timeoutMs: true, logger: true }

/** @returns The limits, those that are left out as in `defaultLimits`. @throws BootError that lists every mistake. */
export function checkRedisOptions(options: RedisOptions): Limits {
  const problems = new Problems()
  const { url, prefix, timeoutMs = 1, logger } = options
  checkNames(options, Object.keys(names), problems, { prefix: 'connectRedis: ' })
  // What it is may hold a password: it is not repeated.
  if (url !== undefined && !isUrl(url)) {
    problems.add(
      'bad-option',
      "connectRedis: url is not a redis: or rediss: URL. Give one such as 'redis://127.0.0.1:6379'.",
    )
  } else if (url !== undefined && !isDecodable(new URL(url))) {
    problems.add('bad-option', 'connectRedis: url has a user or a password with a % in it. Write it as %25.')
  }
  if (url !== undefined && isUrl(url) && !/^\/?\d*$/.test(new URL(url).pathname)) {
    problems.add('bad-option', 'connectRedis: url has a path that is not the number of a database. Give one, or none.')
  }
  if (prefix !== undefined && (typeof prefix !== 'string' || prefix === '')) {
    problems.addBadOption('connectRedis: prefix', prefix, "Give a string, such as 'weather:'.")
  }
  requireNumber('connectRedis: timeoutMs', timeoutMs, 1, Math.floor(longestTimer / 3), problems)
  requireMethods('connectRedis: logger', logger, ['info', 'error'], problems)
  const limits = resolveLimits('connectRedis: limits', options.limits, problems)
  problems.throwIfAny()
  return limits
}

function isUrl(url: unknown): boolean {
  return typeof url === 'string' && /^rediss?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}
