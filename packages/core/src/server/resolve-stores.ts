import type { Logger } from 'pino'
import { type Bus, publishTo } from '../bus.js'
import { InProcessChangeBus } from '../context/changes.js'
import { principalKey } from '../context/principal.js'
import { type Diagnostics, reportThrown } from '../errors/diagnostics.js'
import { type ErrorLog, logFailure } from '../errors/log-failure.js'
import { runFenced } from '../errors/run-fenced.js'
import type { Limits, StoreOwner } from '../limits/limits.js'
import { QuotaKeys } from '../limits/quota-keys.js'
import { InMemoryRateLimiter, type RateLimiter } from '../limits/rate-limiter.js'
import { StoreClient, type StoreClientInit } from '../limits/store-client.js'
import type { ReadOptions } from '../options/option.js'
import { InMemoryRoundStore } from '../protocol/modern/in-memory-round-store.js'
import type { RoundStore } from '../protocol/modern/round-store.js'
import { Rounds } from '../protocol/modern/rounds.js'
import type { storeOptions } from './options.js'
import type { PartServices, PreparedStore, StoreDescription } from './server-part.js'

type GivenStores = Pick<ReadOptions<typeof storeOptions>, 'rateLimiter' | 'changeBus' | 'roundStore' | 'requestState'>

export interface Stores {
  readonly rateLimiter: RateLimiter
  readonly roundStore: RoundStore
}

export function resolveStores(given: GivenStores, limits: Limits, log: Logger) {
  const storeClients: StoreClientInit = { timeoutMs: limits.storeTimeoutMs, failures: { count: 0 }, log }
  const ownRates = new InMemoryRateLimiter()
  const stores: Stores = {
    rateLimiter: given.rateLimiter ?? ownRates,
    roundStore: given.roundStore ?? new InMemoryRoundStore(limits),
  }
  const quotaKeys = new QuotaKeys()
  const preparedStores: PreparedStore[] = [stores.roundStore]
  const services: PartServices = {
    log,
    connectStore: (store, description) => {
      preparedStores.push(store)
      return withClient(store, description, storeClients)
    },
    connectBus: (bus, fieldsOf) => ({
      ...withFencedEnd(bus, log),
      publish: (message) => publishTo(bus, message, log, fieldsOf(message)),
    }),
    prepareStore: (store) => preparedStores.push(store),
    createStoreClient: (name, rejection) => new StoreClient(name, rejection, storeClients),
    runFenced: (run, message) => runFenced(run, (error) => logFailure(log, error, {}, message)),
    ownerKeyOf: principalKey,
    quotaKeyOf: (principal) => quotaKeys.of(principal),
  }
  return {
    stores,
    preparedStores,
    storeClients,
    services,
    quotaKeys,
    closeStores: (): void => ownRates.close(),
    changeBus: given.changeBus === undefined ? new InProcessChangeBus() : withFencedEnd(given.changeBus, log),
    rateLimiter: withClientForLimiter(stores.rateLimiter, storeClients),
    rounds: new Rounds({
      store: withClient(stores.roundStore, roundStore, storeClients),
      stateTtlMs: given.requestState.ttlMs,
      leaseMs: limits.nodeTimeoutMs,
      quotaKeys,
      log,
    }),
  }
}

const roundStore: StoreDescription<RoundStore> = {
  name: 'the round store',
  rejection: 'Client requests are temporarily unavailable',
  methods: ['enter', 'renew', 'storeStep', 'end'],
  inMemory: InMemoryRoundStore,
}

export async function prepareStores(
  stores: readonly PreparedStore[],
  owner: StoreOwner,
  diagnostics: Diagnostics,
): Promise<void> {
  for (const store of stores) {
    // Prepares one store at a time, because stores of one library can share the result of the first call.
    // oxlint-disable-next-line no-await-in-loop
    await reportThrown('A store cannot be used', diagnostics, () => store.prepare?.(owner))
  }
}

/** Whether the store is the in-memory store itself, which cannot fail and needs no store client. A subclass can fail. */
function isEmbedded(store: object, { prototype }: { readonly prototype: object }): boolean {
  return Object.getPrototypeOf(store) === prototype
}

type AsyncMethod = (...all: unknown[]) => Promise<unknown>

function withClient<Store extends object>(
  store: Store,
  { name: what, rejection, methods, inMemory }: StoreDescription<Store>,
  init: StoreClientInit,
): Store {
  if (inMemory !== undefined && isEmbedded(store, inMemory)) return store
  const client = new StoreClient(what, rejection, init)
  const given = store as Readonly<Record<string, AsyncMethod | undefined>>
  const asked = methods
    .filter((name) => given[name] !== undefined)
    .map((name): [string, AsyncMethod] => [name, async (...all) => client.ask(() => given[name]?.(...all), asIs)])
  return Object.fromEntries(asked) as Store
}

function withClientForLimiter(limiter: RateLimiter, init: StoreClientInit): RateLimiter {
  if (isEmbedded(limiter, InMemoryRateLimiter)) return limiter
  const client = new StoreClient('the rate limiter', 'The rate limiter is temporarily unavailable', init)
  return { take: (key, limit) => client.ask(() => limiter.take(key, limit), asIs) }
}

/** Fences the end of each subscription: a session has to end even if its bus fails. */
function withFencedEnd<Message>(bus: Bus<Message>, log: ErrorLog): Bus<Message> {
  return {
    publish: (message) => bus.publish(message),
    subscribe: (listener, onGap) => fenceEnd(bus.subscribe(listener, onGap), log),
  }
}

function fenceEnd(end: () => void, log: ErrorLog): () => void {
  return () => runFenced(end, (error) => logFailure(log, error, {}, 'a subscription could not be ended'))
}

function asIs<Answer>(answer: Answer): Answer {
  return answer
}
