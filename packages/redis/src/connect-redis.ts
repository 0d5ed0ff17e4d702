import { type ChangeBus, type LoginStore, type ProofStore, type RateLimiter, type RoundStore } from '@toolwright/core'
import { logToStderr } from '@toolwright/server/program'
import type { EventStore, SessionStore } from '@toolwright/sessions'
import { type TaskBus, type TaskStore } from '@toolwright/tasks'
import { checkRights } from './check-rights.js'
import { describeError } from './describe-error.js'
import { Keys } from './keys.js'
import { type RedisOptions, readRedisOptions } from './options.js'
import { RedisBus } from './redis-bus.js'
import { RedisEventStore } from './redis-event-store.js'
import { RedisLoginStore } from './redis-login-store.js'
import { RedisProofStore } from './redis-proof-store.js'
import { RedisRateLimiter } from './redis-rate-limiter.js'
import { RedisRoundStore } from './redis-round-store.js'
import { RedisSessionStore } from './redis-session-store.js'
import { RedisTaskStore } from './redis-task-store.js'
import { findServers } from './servers.js'
import { StoreConnection } from './store-connection.js'
import { StoresOwner } from './stores-owner.js'
import { Subscriptions } from './subscriptions.js'
import { warnOfEviction } from './warn-of-eviction.js'

/** Stores that nodes share. Pass the stores as options of each server. */
export interface RedisStores {
  /** Stores the sessions of legacy clients. */
  readonly sessionStore: SessionStore
  /** Stores the events of event streams, for clients that reconnect. */
  readonly eventStore: EventStore
  /** Sends change notifications to every node. */
  readonly changeBus: ChangeBus
  /** Stores tasks, and sends changes of tasks to every node. */
  readonly tasks: { readonly store: TaskStore; readonly bus: TaskBus }
  /** Stores the steps and responses of calls with client requests. */
  readonly roundStore: RoundStore
  /** Counts the calls of all nodes together. */
  readonly rateLimiter: RateLimiter
}

export interface Redis {
  /** Options of the server. Pass all stores, or only some of them. */
  readonly stores: RedisStores
  /**
   * Stores DPoP proofs, for the option `dpop` of an authenticator: a proof that was used at one node is rejected by all
   * nodes.
   */
  readonly proofStore: ProofStore
  /** Stores logins, for the option `store` of `login`: each step of a login can run on another node. */
  readonly loginStore: LoginStore
  /** Rejects if Redis does not answer, accepts no writes, or has no free memory. Meant for the readiness check. */
  readonly check: () => Promise<void>
  /**
   * Closes the connections as soon as the servers that use them are closed. @returns When they are closed, or at once if a
   * server still uses them.
   */
  close(): Promise<void>
}

/**
 * Connects to Redis, which stores the state that nodes share.
 *
 * @throws BootError that lists every mistake in the options, or says why Redis cannot be used.
 */
export async function connectRedis(options: RedisOptions = {}): Promise<Redis> {
  const { url, prefix, timeoutMs, limits, cluster, sentinel, tls, logger } = readRedisOptions(options)
  const log = logger ?? logToStderr('redis')
  const keys = new Keys(prefix)
  const servers = findServers({ url, cluster, sentinel, tls, timeoutMs, probeKey: keys.of('nothing') })
  // With sentinels or a cluster, a connection may ask several servers, one after the other.
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
  servers.onTakeover(() => both.forEach((each) => each.replace('another server has become the primary')))
  const close = async (): Promise<void> => {
    await Promise.all(both.map((each) => each.close()))
    servers.close()
  }
  try {
    // This connection opens first, because it finds the nodes of a cluster.
    await connection.open()
    await subscriptions.open()
    await checkRights({ connection, subscriptions, keys, isCluster: servers.isCluster })
  } catch (error) {
    void close()
    throw describeError(error, servers)
  }
  await warnOfEviction(subscriptions, log)
  const owner = new StoresOwner({ connection, keys, limits, given: options.limits ?? {} })
  return {
    stores: createStores({ connection, subscriptions, keys, owner }),
    proofStore: new RedisProofStore(connection, keys),
    loginStore: new RedisLoginStore(connection, keys),
    check: async () => {
      // This write is not part of the connection's probe: if Redis has no free memory, another connection would not
      // help.
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
    roundStore: new RedisRoundStore(connection, keys, owner),
    rateLimiter: new RedisRateLimiter(connection, keys),
  }
}
