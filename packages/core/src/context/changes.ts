import { type Bus, InProcessBus, publishTo } from '../bus.js'
import { ownedHere } from '../copies/copies.js'
import type { ErrorLog } from '../errors/log-failure.js'
import type { JsonObject } from '../rpc/messages.js'
import type { Audience } from './audience.js'
import type { EnabledDecision } from './enabled-decision.js'
import type { NotifyOptions } from './notify-options.js'
import type { TransportName } from './viewer.js'

/** A change that clients can subscribe to. Plain data, so that it can be sent to other processes. */
export type Change =
  | {
      readonly kind: 'tools' | 'prompts' | 'resources'
      /** Audiences for which the list changed; left out: all clients. */
      readonly audiences?: readonly Audience[]
      /** Transports for which the list changed; left out: all transports. */
      readonly transports?: readonly TransportName[]
      /** The only node whose clients are notified; left out: all nodes. */
      readonly node?: string
    }
  | {
      readonly kind: 'resource'
      readonly uri: string
      /** Callers who were allowed to read the resource when it changed; left out: all clients. */
      readonly audience?: Audience
    }
  | OwnNotification
  | EnabledChange

/** Decisions of `catalog.enable` and `catalog.disable`, for other nodes. Clients are not notified of them. */
export interface EnabledChange {
  readonly kind: 'enabled'
  readonly node: string
  readonly decisions: readonly EnabledDecision[]
  /**
   * Whether the decisions are older, and repeated for nodes that lack them. Such nodes notify their clients: otherwise, the node
   * that made the decision notifies all clients.
   */
  readonly isRepeated?: true
  readonly asks?: true
}

export interface OwnNotification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: JsonObject
  /** Callers who are allowed to get the notification; left out: all clients. */
  readonly audience?: Audience
  /** The only session or connection that gets the notification; left out: all sessions and connections. */
  readonly sessionId?: string
  /**
   * The only node that sends the notification to sessions without an open stream. Otherwise, each node that serves such a session
   * would send the notification.
   */
  readonly node: string
}

/**
 * Carries changes to all subscribed clients. Several processes can share a bus. An error of `publish` is logged, and
 * the affected clients are not notified.
 */
export interface ChangeBus extends Bus<Change> {}

/** The default bus, which reaches only clients of this process. */
export class InProcessChangeBus extends InProcessBus<Change> implements ChangeBus {}

type AudienceOf = (uri: string) => Audience | null

type CreateNotification = (method: string, params: JsonObject, options: NotifyOptions) => OwnNotification

export let bindChanges: (changes: Changes, audienceOf: AudienceOf, createNotification: CreateNotification) => void

/**
 * Notifies clients of changes that the server cannot detect itself, such as new content of a resource. The catalog reports its
 * own changes. Several changes of the same kind within one tick of the event loop are sent once.
 */
export class Changes {
  readonly #pending = new Map<string, Change>()
  #audienceOf: AudienceOf = () => null
  #createNotification: CreateNotification = () => {
    throw new Error('A notification can only be sent after the server has booted.')
  }
  #notifications = 0

  static {
    bindChanges = (changes, audienceOf, createNotification) => {
      changes.#audienceOf = audienceOf
      changes.#createNotification = createNotification
    }
  }

  constructor(
    private readonly bus: ChangeBus,
    private readonly log: ErrorLog,
  ) {}

  /** Notifies subscribers that the content of this resource has changed. */
  resourceUpdated(uri: string): void {
    const key = `resource ${uri}`
    const pending = this.#pending.get(key) as Extract<Change, { kind: 'resource' }> | undefined
    // Look up the audience now: the resource and its rule could be removed before the change is sent.
    const audience = pending?.audience ?? this.#audienceOf(uri)
    this.#add(key, audience === null ? { kind: 'resource', uri } : { kind: 'resource', uri, audience })
  }

  /**
   * Sends a custom notification to one session, or to all clients that meet the `options`. Clients ignore unknown methods. The
   * notification is not repeated: disconnected clients, and clients without a connection or session, miss it. A client that opens
   * its stream at another node at the same moment can get the notification twice.
   *
   * Clients of 2025-11-25 and older get the notification over their connection or session. A modern client (from 2026-07-28 on)
   * gets the notification if an extension declares the method, and the client subscribes to that extension.
   *
   * @param method Name of the notification, such as `notifications/acme/price`.
   * @param params Parameters that JSON can express.
   * @throws BootError if the method belongs to the protocol, `params` are not JSON, an option is unknown, or no offered revision
   * can carry the notification.
   */
  notify(method: string, params: JsonObject = {}, options: NotifyOptions = {}): void {
    // Each notification has a different key, so that it does not replace an earlier notification.
    this.#add(`notification ${this.#notifications++}`, this.#createNotification(method, params, options))
  }

  /** Asks clients to list tools again. Only needed for changes that the catalog does not report. */
  toolsChanged(): void {
    this.#add('tools', { kind: 'tools' })
  }

  /** Asks clients to list prompts again. Only needed for changes that the catalog does not report. */
  promptsChanged(): void {
    this.#add('prompts', { kind: 'prompts' })
  }

  /** Asks clients to list resources and templates again. Only needed for changes that the catalog does not report. */
  resourcesChanged(): void {
    this.#add('resources', { kind: 'resources' })
  }

  /**
   * Records that a feature with this audience and these transports was added or removed. `null` means all clients or all
   * transports. Internal.
   *
   * @param node The only node whose clients are notified. Default: all nodes.
   */
  listChanged(
    kind: 'tools' | 'prompts' | 'resources',
    audience: Audience | null,
    transports: readonly TransportName[] | null,
    node?: string,
  ): void {
    const key = node === undefined ? kind : `${kind} of this node`
    const pending = this.#pending.get(key) as Extract<Change, { kind: typeof kind }> | undefined
    const isForAll = audience === null || (pending !== undefined && pending.audiences === undefined)
    const isOverAll = transports === null || (pending !== undefined && pending.transports === undefined)
    this.#add(key, {
      kind,
      ...(node === undefined ? {} : { node }),
      ...(isForAll ? {} : { audiences: [...(pending?.audiences ?? []), audience] }),
      ...(isOverAll ? {} : { transports: [...new Set([...(pending?.transports ?? []), ...transports])] }),
    })
  }

  #add(key: string, change: Change): void {
    // Not `queueMicrotask`, which the fake timers of test runners replace.
    if (this.#pending.size === 0) void Promise.resolve().then(() => this.#publish())
    this.#pending.set(key, change)
  }

  #publish(): void {
    const changes = [...this.#pending.values()]
    this.#pending.clear()
    for (const change of changes) void publishTo(this.bus, change, this.log, { change: change.kind })
  }
}
ownedHere(Changes)
