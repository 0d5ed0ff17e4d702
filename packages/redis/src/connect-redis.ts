import {
  type ChangeBus,
  type EventStore,
  type ProofStore,
  type RateLimiter,
  type SessionStore,
  type TaskBus,
  type TaskStore,
} from '@toolwright/core'
import { logToStderr } from '@toolwright/core/internal'
import { checkRights } from './check-rights.js'
import { describeError } from './describe-fault.js'
import { Keys } from './keys.js'
import { type RedisOptions, readRedisOptions } from './options.js'
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
  const { url, prefix, timeoutMs, limits, cluster, sentinel, tls, logger } = readRedisOptions(options)
  const log = logger ?? logToStderr('redis')
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
