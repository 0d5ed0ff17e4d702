import type { ConnectionOptions } from 'node:tls'
import type { RedisClusterOptions, RedisSentinelOptions } from '@redis/client'
import {
  type ChangeBus,
  type EventStore,
  type Limits,
  type ProofStore,
  type RateLimiter,
  type SessionStore,
  type TaskBus,
  type TaskStore,
} from '@toolwright/core'
import { logToStderr } from '@toolwright/core/internal'
import { checkRedisOptions } from './check-options.js'
import { checkRights } from './check-rights.js'
import { describeError } from './describe-fault.js'
import { Keys } from './keys.js'
import type { Logger } from './outage-log.js'
import { RedisBus } from './redis-bus.js'
import { RedisEventStore } from './redis-event-store.js'
import { RedisProofStore } from './redis-proof-store.js'
import { RedisRateLimiter } from './redis-rate-limiter.js'
import { RedisSessionStore } from './redis-session-store.js'
import { RedisTaskStore } from './redis-task-store.js'
import { findServers } from './servers.js'
import { StoreConnection } from './store-connection.js'
import { StoresOwner } from './stores-owner.js'
import { Subscriptions } from './subscriptions.js'
import { warnOfEviction } from './warn-of-eviction.js'

/** A cluster, as `createCluster` of node-redis takes it. Reads go to the primaries. */
export interface RedisClusterServers {
  /** Some of its nodes, by which the others are found. */
  readonly rootNodes: RedisClusterOptions['rootNodes']
  /** Options of every connection. User, password and TLS default to those in the `url` of the first root node. */
  readonly defaults?: RedisClusterOptions['defaults']
  /** Addresses of nodes as they are reached from here. */
  readonly nodeAddressMap?: RedisClusterOptions['nodeAddressMap']
}

/** A server that sentinels watch, as `createSentinel` of node-redis takes it. */
export interface RedisSentinelServers {
  /** The name that the sentinels have for it. */
  readonly name: string
  readonly sentinelRootNodes: RedisSentinelOptions['sentinelRootNodes']
  /** Options of connections to Redis, such as `username` and `password`. */
  readonly nodeClientOptions?: RedisSentinelOptions['nodeClientOptions']
  /** Options of connections to sentinels. */
  readonly sentinelClientOptions?: RedisSentinelOptions['sentinelClientOptions']
  /** Addresses of servers as they are reached from here. */
  readonly nodeAddressMap?: RedisSentinelOptions['nodeAddressMap']
}

/** Where Redis is, and how much is kept there. */
export interface RedisOptions {
  /**
   * `redis://` or, with TLS, `rediss://` (or `valkey://`, `valkeys://`); user, password and number of the database are part
   * of it. A function is called before each connection, so that a password may change. Default: `redis://127.0.0.1:6379`.
   */
  readonly url?: string | (() => string | Promise<string>)
  /** In place of `url`: a cluster. */
  readonly cluster?: RedisClusterServers
  /** In place of `url`: sentinels, which name the server that takes writes. */
  readonly sentinel?: RedisSentinelServers
  /** Options of TLS for Node, such as `ca`, `cert` and `key`. */
  readonly tls?: ConnectionOptions
  /** Text that every key and channel begins with. Nodes that serve the same clients need the same one. Default: `toolwright:`. */
  readonly prefix?: string
  /** The limits of sessions, events and tasks, where the stores are used without a server: it brings its own. */
  readonly limits?: Partial<Limits>
  /** Milliseconds that Redis has for each answer. Default: 1,000. */
  readonly timeoutMs?: number
  /** Hears of connections that break. Default: pino, to stderr. */
  readonly logger?: Logger
}

/** What nodes share: options of a server. */
export interface RedisStores {
  /** Keeps the sessions of older clients. */
  readonly sessionStore: SessionStore
  /** Keeps what was sent over event streams, for clients that come back. */
  readonly eventStore: EventStore
  /** Tells every node of changes. */
  readonly changeBus: ChangeBus
  /** Keeps tasks, and tells every node of them. */
  readonly tasks: { readonly store: TaskStore; readonly bus: TaskBus }
  /** Counts for all nodes together. */
  readonly rateLimiter: RateLimiter
}

/** A connection to Redis, and what nodes share through it. */
export interface Redis {
  /** Options of the server, all of them or some. */
  readonly stores: RedisStores
  /** Remembers DPoP proofs, for the option `dpop` of an authenticator: one that was used at a node is good at none. */
  readonly proofStore: ProofStore
  /** Rejects when Redis does not answer, takes no writes, or has no memory for any: for the probe that asks whether this node is ready. */
  readonly check: () => Promise<void>
  /** Ends the connections, as soon as the servers are closed that use them. */
  close(): void
}

/**
 * Connects to Redis, in which nodes share what outlives a request.
 *
 * @throws BootError that lists every mistake in the options, or says why Redis cannot be reached.
 */
export async function connectRedis(options: RedisOptions = {}): Promise<Redis> {
  const limits = checkRedisOptions(options)
  const { url = 'redis://127.0.0.1:6379', prefix = 'toolwright:', timeoutMs = 1000 } = options
  const { cluster, sentinel, tls, logger: log = logToStderr('redis') } = options
  const keys = new Keys(prefix)
  const servers = findServers({ url, cluster, sentinel, tls, timeoutMs, probeKey: keys.of('nothing') })
  // Several servers are asked, one after the other.
  const openMs = timeoutMs * (sentinel !== undefined ? 5 : cluster !== undefined ? 3 : 1)
  const init = { timeoutMs, openMs, log, withoutSecrets: (error: unknown) => servers.withoutSecrets(error) }
  const connection = new StoreConnection({
    ...init,
    purpose: 'the stores',
    openClient: () => servers.openClient(),
    isKept: servers.isCluster,
    probe: (client) => servers.probe(client),
  })
  const subscriptions = new Subscriptions({ ...init, openClient: () => servers.openNode() }, connection)
  const both = [connection, subscriptions]
  servers.onTakeover(() => both.forEach((each) => each.replace('another server has taken over')))
  const close = (): void => {
    for (const each of both) each.close()
    servers.close()
  }
  try {
    // The nodes of a cluster are found over the first one.
    await connection.open()
    await subscriptions.open()
    await checkRights({ connection, subscriptions, keys, isCluster: servers.isCluster })
  } catch (error) {
    close()
    throw describeError(error, servers)
  }
  await warnOfEviction(subscriptions, log)
  const owner = new StoresOwner({ connection, keys, limits, given: options.limits ?? {} })
  return {
    stores: createStores({ connection, subscriptions, keys, owner }),
    proofStore: new RedisProofStore(connection, keys),
    check: async () => {
      // Not what the connection itself is probed with: where there is no memory left, another one would not help.
      const write = connection.run((client) => client.set(keys.of('nothing'), '', { PX: 1000 }))
      await Promise.all([write, subscriptions.check()])
    },
    close: () => subscriptions.whenUnused(close),
  }
}

interface Parts {
  readonly connection: StoreConnection
  readonly subscriptions: Subscriptions
  readonly keys: Keys
  readonly owner: StoresOwner
}

function createStores({ connection, subscriptions, keys, owner }: Parts): RedisStores {
  return {
    sessionStore: new RedisSessionStore(connection, subscriptions, keys, owner),
    eventStore: new RedisEventStore(connection, subscriptions, keys, owner),
    changeBus: new RedisBus(connection, subscriptions, keys.of('changes')),
    tasks: {
      store: new RedisTaskStore(connection, keys, owner),
      bus: new RedisBus(connection, subscriptions, keys.of('tasks', 'changed')),
    },
    rateLimiter: new RedisRateLimiter(connection, keys),
  }
}
