import type { Limits } from '@toolwright/core'
import {
  checkNames,
  Diagnostics,
  longestTimer,
  type NamesOf,
  requireMethods,
  requireNumber,
  requireObject,
  resolveLimits,
} from '@toolwright/core/internal'
import type { RedisOptions } from './connect-redis.js'
import { redisUrl } from './servers.js'

const names: NamesOf<RedisOptions> = {
  url: true,
  cluster: true,
  sentinel: true,
  tls: true,
  prefix: true,
  limits: true,
  timeoutMs: true,
  logger: true,
}

/** @returns The limits, those that are left out as in `defaultLimits`. @throws BootError that lists every mistake. */
export function checkRedisOptions(options: RedisOptions): Limits {
  const diagnostics = new Diagnostics()
  const { url, cluster, sentinel, prefix, timeoutMs = 1, logger } = options
  checkNames(options, Object.keys(names), diagnostics, { prefix: 'connectRedis: ' })
  if (url !== undefined && typeof url !== 'function') checkUrl('connectRedis: url', url, diagnostics)
  checkServers(options, diagnostics)
  if (prefix !== undefined && (typeof prefix !== 'string' || prefix === '')) {
    diagnostics.addBadOption('connectRedis: prefix', prefix, "Give a string, such as 'weather:'.")
  }
  if (cluster !== undefined && /^[^{]*\{\}/.test(String(prefix))) {
    diagnostics.addBadOption(
      'connectRedis: prefix',
      prefix,
      'A cluster needs text between the first braces: leave them out.',
    )
  }
  requireNumber('connectRedis: timeoutMs', timeoutMs, 1, Math.floor(longestTimer / 3), diagnostics)
  requireMethods('connectRedis: logger', logger, ['info', 'error'], diagnostics)
  const limits = resolveLimits('connectRedis: limits', options.limits, diagnostics)
  diagnostics.throwIfAny()
  return limits

  function checkServers({ tls }: RedisOptions, found: Diagnostics): void {
    const given = Object.entries({ url, cluster, sentinel }).filter(([, value]) => value !== undefined)
    if (given.length > 1) {
      const listed = given.map(([name]) => name).join(' and ')
      found.add('bad-option', `connectRedis: ${listed} are given together. Give one of them.`)
    }
    requireObject('connectRedis: tls', tls, found)
    const isPlain = typeof url === 'string' && /^(redis|valkey):/.test(url)
    if (tls !== undefined && (isPlain || given.length === 0)) {
      found.add(
        'bad-option',
        'connectRedis: tls is given, and the url is one without TLS. Begin the url with rediss://.',
      )
    }
    const { rootNodes } = requireObject('connectRedis: cluster', cluster, found)
    if (cluster !== undefined && requireNodes('connectRedis: cluster.rootNodes', rootNodes, found)) {
      for (const [index, node] of (rootNodes ?? []).entries()) {
        if (node.url !== undefined) checkUrl(`connectRedis: cluster.rootNodes[${index}].url`, node.url, found)
      }
    }
    const { name, sentinelRootNodes } = requireObject('connectRedis: sentinel', sentinel, found)
    if (sentinel === undefined) return
    requireNodes('connectRedis: sentinel.sentinelRootNodes', sentinelRootNodes, found)
    if (typeof name !== 'string' || name === '') {
      found.addBadOption('connectRedis: sentinel.name', name, "Give the name of the primary, such as 'mymaster'.")
    }
  }
}

function requireNodes(option: string, nodes: unknown, diagnostics: Diagnostics): boolean {
  const isList =
    Array.isArray(nodes) && nodes.length > 0 && nodes.every((node) => typeof node === 'object' && node !== null)
  if (!isList) diagnostics.addBadOption(option, nodes, 'Give an array of nodes, one at least.')
  return isList
}

/** The value may hold a password: it is not repeated. */
export function checkUrl(option: string, given: unknown, diagnostics: Diagnostics): void {
  const url = typeof given === 'string' ? redisUrl(given) : given
  if (!isUrl(url)) {
    diagnostics.add(
      'bad-option',
      `${option} is not a redis:, rediss:, valkey: or valkeys: URL. Give one such as 'redis://127.0.0.1:6379'.`,
    )
    return
  }
  if (!isDecodable(new URL(url))) {
    diagnostics.add('bad-option', `${option} has a user or a password with a % in it. Write it as %25.`)
  }
  if (!/^\/?\d*$/.test(new URL(url).pathname)) {
    diagnostics.add('bad-option', `${option} has a path that is not the number of a database. Give one, or none.`)
  }
}

function isUrl(url: unknown): url is string {
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
