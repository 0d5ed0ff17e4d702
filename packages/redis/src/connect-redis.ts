import {
  BootError,
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
import { Connection } from './connection.js'
import { Keys } from './keys.js'
import type { Logger } from './outage-log.js'
import { RedisBus } from './redis-bus.js'
import { RedisEventStore } from './redis-event-store.js'
import { RedisProofStore } from './redis-proof-store.js'
import { RedisRateLimiter } from './redis-rate-limiter.js'
import { RedisSessionStore } from './redis-session-store.js'
import { RedisTaskStore } from './redis-task-store.js'
import { Subscriptions } from './subscriptions.js'
import { warnOfEviction } from './warn-of-eviction.js'
import { messageOf } from './without-secrets.js'

/** Where Redis is, and how much is kept there. */
export interface RedisOptions {
  /** `redis://` or, with TLS, `rediss://`; user, password and number of the database are part of it. Default: `redis://127.0.0.1:6379`. */
  readonly url?: string
  /** Text that every key and channel begins with. Nodes that serve the same clients need the same one. Default: `toolwright:`. */
  readonly prefix?: string
  /** The limits of the server: what they say of sessions, events and tasks then holds for all nodes together. */
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
  const { logger: log = logToStderr('redis') } = options
  const init = { url, timeoutMs, log }
  const keys = new Keys(prefix)
  const connection = new Connection({
    ...init,
    purpose: 'the stores',
    // Takes away what is not there. A replica refuses it: after a failover the one that is to be asked has the same name.
    probe: (client) => client.del(keys.of('nothing')),
  })
  const subscriptions = new Subscriptions(init, connection)
  const close = (): void => {
    for (const each of [connection, subscriptions]) each.close()
  }
  try {
    await Promise.all([connection.open(), subscriptions.open()])
    await checkRights(connection, subscriptions, keys)
  } catch (error) {
    close()
    throw unreachable(url, error)
  }
  await warnOfEviction(connection, log)
  return {
    stores: createStores({ connection, subscriptions, keys, limits }),
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
  readonly connection: Connection
  readonly subscriptions: Subscriptions
  readonly keys: Keys
  readonly limits: Limits
}

function createStores({ connection, subscriptions, keys, limits }: Parts): RedisStores {
  return {
    sessionStore: new RedisSessionStore(connection, subscriptions, keys, limits),
    eventStore: new RedisEventStore(connection, subscriptions, keys, limits),
    changeBus: new RedisBus(connection, subscriptions, keys.of('changes')),
    tasks: {
      store: new RedisTaskStore(connection, keys, limits),
      bus: new RedisBus(connection, subscriptions, keys.of('tasks', 'changed')),
    },
    rateLimiter: new RedisRateLimiter(connection, keys),
  }
}

/** For the operator, as mistakes in the options are: where in this package it failed is of no use to anybody. */
function unreachable(url: string, cause: unknown): BootError {
  const message = `Redis at ${new URL(url).host} cannot be reached: ${messageOf(cause)}. Start it, or correct the url.`
  return new BootError([{ code: 'bad-option', message }])
}
