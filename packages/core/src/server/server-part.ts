import type { Logger } from 'pino'
import type { Bus } from '../bus.js'
import type { Principal } from '../context/principal.js'
import type { StoreOwner } from '../limits/limits.js'
import type { StoreClient } from '../limits/store-client.js'
import type { OptionRows, ReadOptions } from '../options/option.js'
import type { PartExtension } from '../protocol/extensions/extension.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import type { serverOptions } from './options.js'

/** A capability outside core: its options, and the extension that serves it. */
export interface ServerPart<Rows extends OptionRows = OptionRows> {
  readonly options: Rows
  /** Names of those options that add features: a server with such an option needs no `controllers`. Default: none. */
  readonly addingFeatures?: readonly string[]
  create(options: ReadOptions<Rows> & ReadOptions<typeof serverOptions>, server: PartServices): PartExtension
}

/** Parts of the server that a {@link ServerPart} can use. */
export interface PartServices {
  readonly log: Logger
  /**
   * Returns a store with a time limit for each operation. If the store fails or times out, the client gets an error that asks for
   * a retry. Boot calls `prepare` of the given store.
   */
  readonly connectStore: <Store extends PreparedStore>(store: Store, description: StoreDescription<Store>) => Store
  /** Returns a bus that logs all its failures. @param fieldsOf Returns fields for the log line about a message. */
  readonly connectBus: <Message>(bus: Bus<Message>, fieldsOf: (message: Message) => object) => Bus<Message>
  /** Registers a store, so that boot calls its `prepare`. `connectStore` does so itself. */
  readonly prepareStore: (store: PreparedStore) => void
  /**
   * Returns a client for a store that `connectStore` does not fit: its operations can be synchronous, or their answers have to be
   * checked.
   *
   * @param name Name in the log, such as `the session store`.
   * @param rejection Message for clients, such as `Sessions are temporarily unavailable`.
   */
  readonly createStoreClient: (name: string, rejection: string) => StoreClient
  /** Calls a function of the application. Its error is only logged, with the message. */
  readonly runFenced: (run: () => unknown, message: string) => void
  /** Returns the key of a caller and its client, to which state is bound; `null` for unauthenticated callers. */
  readonly ownerKeyOf: (principal: Principal | null) => string | null
  /** Returns the key of a caller, for limits per caller; `null`: only the limits for all callers together apply. */
  readonly quotaKeyOf: (principal: Principal | null) => string | null
}

export interface PreparedStore {
  prepare?(owner: StoreOwner): MaybePromise<void>
}

export interface StoreDescription<Store> {
  /** Name in the log, such as `the task store`. */
  readonly name: string
  /** Message for clients, such as `Tasks are temporarily unavailable`. */
  readonly rejection: string
  /** All methods except `prepare`. Each returns a promise. */
  readonly methods: readonly (string & keyof Store)[]
  /** The class of the default store, which cannot fail. Its instances are returned unchanged. Default: none. */
  readonly inMemory?: abstract new (
    ...args: never[]
  ) => Store
}
