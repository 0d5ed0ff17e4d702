import type { ConnectionOptions } from 'node:tls'
import type { RedisClusterOptions, RedisSentinelOptions } from '@redis/client'
import {
  custom,
  Diagnostics,
  isObject,
  limitsOption,
  longestTimer,
  milliseconds,
  type OptionsOf,
  object,
  type ReadOptions,
  readNamedOptions,
  text,
  withMethods,
} from '@toolwright/core/options'
import { redisUrl } from './common-servers.js'
import type { Logger } from './outage-log.js'

/** A cluster, with options of node-redis's `createCluster`. Reads go to the primaries. */
export interface RedisClusterServers {
  /** Some nodes of the cluster. Redis returns the addresses of the other nodes. */
  readonly rootNodes: RedisClusterOptions['rootNodes']
  /** Options of every connection. User, password and TLS default to those in the `url` of the first root node. */
  readonly defaults?: RedisClusterOptions['defaults']
  /** Maps the addresses of nodes to addresses that this process can reach. */
  readonly nodeAddressMap?: RedisClusterOptions['nodeAddressMap']
}

/** A server that sentinels watch, with options of node-redis's `createSentinel`. */
export interface RedisSentinelServers {
  /** Name of the server in the configuration of the sentinels. */
  readonly name: string
  readonly sentinelRootNodes: RedisSentinelOptions['sentinelRootNodes']
  /** Options of connections to Redis, such as `username` and `password`. */
  readonly nodeClientOptions?: RedisSentinelOptions['nodeClientOptions']
  /** Options of connections to sentinels. */
  readonly sentinelClientOptions?: RedisSentinelOptions['sentinelClientOptions']
  /** Maps the addresses of servers to addresses that this process can reach. */
  readonly nodeAddressMap?: RedisSentinelOptions['nodeAddressMap']
}

type Url = string | (() => string | Promise<string>)

export const redisOptions = {
  /**
   * `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` with TLS (or `valkey://`, `valkeys://`; no Unix
   * sockets). A function is called before each connection, and can return a rotated password. Default:
   * `redis://127.0.0.1:6379`.
   */
  url: custom<Url, Url>('`string`, or a function that returns or resolves to one', checkUrlOption, {
    default: 'redis://127.0.0.1:6379',
  }),
  /**
   * A cluster, instead of `url`.
   * @see docs/reference/redis.md#a-cluster
   */
  cluster: custom<RedisClusterServers>('`RedisClusterServers`', checkCluster),
  /**
   * Sentinels, instead of `url`.
   * @see docs/reference/redis.md#sentinels
   */
  sentinel: custom<RedisSentinelServers>('`RedisSentinelServers`', checkSentinel),
  /** Options of TLS connections: `ca`, `cert`, `key` and others. A `url` must begin with `rediss://`. */
  tls: object<ConnectionOptions>('`ConnectionOptions` of `node:tls`'),
  /**
   * Prefix of every key and channel. Nodes that serve the same clients need the same prefix. Different servers on one
   * Redis need different prefixes, even with different databases. Default: `toolwright:`.
   */
  prefix: text({ default: 'toolwright:', pattern: /./s, fix: "Give a string, such as 'weather:'." }),
  /**
   * Timeout of each response of Redis. The `storeTimeoutMs` of the server also applies. Default: 1,000.
   * @see docs/reference/options.md#time
   */
  timeoutMs: milliseconds({ default: 1000, max: Math.floor(longestTimer / 3) }),
  /** Logs broken connections. Default: pino, to stderr. */
  logger: withMethods<Logger>('pino `Logger`', ['info', 'error']),
  /**
   * Apply until a server uses the stores. Boot fails if these limits differ from the server's. Default:
   * `defaultLimits`.
   * @see docs/reference/options.md#limits
   */
  limits: limitsOption,
}

export interface RedisOptions extends OptionsOf<typeof redisOptions> {}

export function readRedisOptions(options: RedisOptions): ReadOptions<typeof redisOptions> {
  const diagnostics = new Diagnostics()
  const read = readNamedOptions(redisOptions, options, { prefix: 'connectRedis: ' }, diagnostics)
  checkCombinations(options, diagnostics)
  diagnostics.throwIfAny()
  return read
}

function checkCombinations({ url, cluster, sentinel, tls, prefix }: RedisOptions, diagnostics: Diagnostics): void {
  const report = (message: string): void => diagnostics.add('bad-option', `connectRedis: ${message}`)
  const given = Object.entries({ url, cluster, sentinel }).filter(([, value]) => value !== undefined)
  if (given.length > 1) {
    report(`${given.map(([name]) => name).join(' and ')} are given together. Give one of them.`)
  }
  const isPlain = typeof url === 'string' && /^(redis|valkey):/.test(url)
  if (tls !== undefined && (isPlain || given.length === 0)) {
    report('tls is given, but the url is for connections without TLS. Begin the url with rediss://.')
  }
  if (cluster !== undefined && /^[^{]*\{\}/.test(String(prefix))) {
    const fix = 'In a cluster, the first braces of the prefix must not be empty. Remove them.'
    diagnostics.addBadOption('connectRedis: prefix', prefix, fix)
  }
}

function checkCluster(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!isServers(given, option, diagnostics)) return false
  const { rootNodes } = given as Partial<RedisClusterServers>
  if (!requireNodes(`${option}.rootNodes`, rootNodes, diagnostics)) return false
  const before = diagnostics.count
  for (const [index, node] of (rootNodes ?? []).entries()) {
    if (node.url !== undefined) checkUrl(node.url, `${option}.rootNodes[${index}].url`, diagnostics)
  }
  return diagnostics.count === before
}

function checkSentinel(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!isServers(given, option, diagnostics)) return false
  const { name, sentinelRootNodes } = given as Partial<RedisSentinelServers>
  const before = diagnostics.count
  requireNodes(`${option}.sentinelRootNodes`, sentinelRootNodes, diagnostics)
  if (typeof name !== 'string' || name === '') {
    diagnostics.addBadOption(`${option}.name`, name, "Give the name of the primary, such as 'mymaster'.")
  }
  return diagnostics.count === before
}

function isServers(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (isObject(given)) return true
  diagnostics.addBadOption(option, given, 'Give an object.')
  return false
}

function requireNodes(option: string, nodes: unknown, diagnostics: Diagnostics): boolean {
  const isList =
    Array.isArray(nodes) && nodes.length > 0 && nodes.every((node) => typeof node === 'object' && node !== null)
  if (!isList) diagnostics.addBadOption(option, nodes, 'Give an array with at least one node.')
  return isList
}

function checkUrlOption(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  return typeof given === 'function' || checkUrl(given, option, diagnostics)
}

/** Checks the URL. Messages omit the URL, because it could contain a password. */
function checkUrl(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const before = diagnostics.count
  const url = typeof given === 'string' ? redisUrl(given) : given
  if (!isUrl(url)) {
    diagnostics.add(
      'bad-option',
      `${option} is not a redis:, rediss:, valkey: or valkeys: URL. Give one such as 'redis://127.0.0.1:6379'.`,
    )
    return false
  }
  if (!isDecodable(new URL(url))) {
    diagnostics.add('bad-option', `${option} has a % in its user or password that is not an escape. Write it as %25.`)
  }
  if (!/^\/?\d*$/.test(new URL(url).pathname)) {
    diagnostics.add(
      'bad-option',
      `${option} has a path that is not a database number. Give a number, or leave the path out.`,
    )
  }
  return diagnostics.count === before
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
