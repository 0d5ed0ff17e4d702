import { randomUUID } from 'node:crypto'
import { CallCancelled, type Cancellation } from '../context/cancellation.js'
import type { LoggingLevel } from '../context/logging-level.js'
import type { ClientInfo } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { TransportName } from '../context/viewer.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import { type SubscriptionQuota, SubscriptionShare } from '../limits/subscription-quota.js'
import type { ExactId, JsonObject, RpcResponse } from '../rpc/messages.js'
import { PendingClientRequests } from './client-requests/pending-client-requests.js'
import { RootsCache } from './client-requests/roots-cache.js'
import { bytesOfUris, cacheSpellings } from './notifications/subscribed-uris.js'
import type { Revision } from './revisions.js'

/**
 * Sends messages that belong to no request: over the connection itself, or over the GET stream of a legacy HTTP session.
 *
 * If the session has no open stream, the event store keeps the message for the next stream, within the limits of the store. No
 * message is lost while a stream is open and being read.
 */
export interface Channel {
  send(json: string): void
}

export interface Handshake {
  readonly revision: Revision
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
}

export interface PeerState {
  /** Result of `initialize`; `null` before this request, and for modern clients. */
  readonly handshake: Handshake | null
  /** Level set by `logging/setLevel`; `null` if the client has not set a level. */
  readonly logLevel: LoggingLevel | null
  /** Whether `notifications/initialized` has arrived. The client accepts no notifications before this message. */
  readonly isInitialized: boolean
  readonly subscribedUris: ReadonlySet<string>
  /**
   * Subscribed URIs of resources that are hidden from the client. These URIs count toward the limits, but the client gets no
   * notifications for them.
   */
  readonly mutedUris: ReadonlySet<string>
  readonly rootsChanges: number
}

export const initialState: PeerState = {
  handshake: null,
  logLevel: null,
  isInitialized: false,
  subscribedUris: new Set(),
  mutedUris: new Set(),
  rootsChanges: 0,
}

export class Peer {
  readonly clientRequests = new PendingClientRequests()
  readonly roots = new RootsCache()
  principal: Principal | null = null
  readonly subscriptionShare: SubscriptionShare
  readonly #inFlight = new Map<ExactId, Cancellation>()
  readonly #goneListeners: (() => void)[] = []
  #state = initialState
  #id: string | null = null

  /**
   * @param channel Sends messages that belong to no request.
   * @param caller Key of the caller, for the quota of subscriptions.
   */
  constructor(
    readonly channel: Channel,
    quota: SubscriptionQuota,
    caller: string,
    readonly transport: TransportName | null,
  ) {
    this.subscriptionShare = new SubscriptionShare(quota, caller)
  }

  get state(): PeerState {
    return this.#state
  }

  set state(state: PeerState) {
    cacheSpellings(state.subscribedUris, this.#state.subscribedUris)
    this.subscriptionShare.take(bytesOfUris(state.subscribedUris) + bytesOfUris(state.mutedUris))
    this.#state = state
  }

  async remember(change: (state: PeerState) => PeerState): Promise<void> {
    this.state = change(this.state)
  }

  /** Id that selects only this client for a notification. The id is random, and therefore unique among all nodes. */
  get sessionId(): string {
    this.#id ??= randomUUID()
    return this.#id
  }

  /**
   * Whether this node notifies the client of changes.
   *
   * @param publisher Node that published the notification. If no node has the client's GET stream open, only the publishing node
   * sends the notification.
   */
  isNotifier(_publisher?: string): boolean {
    return true
  }

  get mayBeOutdated(): boolean {
    return false
  }

  refresh(): Promise<void> | null {
    return null
  }

  /** Registers a request. @returns Whether the id was free. An id can be reused after its request is answered. */
  begin(id: ExactId, cancellation: Cancellation): boolean {
    if (this.#inFlight.has(id)) return false
    this.#inFlight.set(id, cancellation)
    return true
  }

  end(id: ExactId): void {
    this.#inFlight.delete(id)
  }

  isInFlight(id: unknown): boolean {
    return this.#inFlight.has(id as ExactId)
  }

  /** Cancels a request on behalf of the client. Ignores the id of an unknown or answered request, as the spec requires. */
  async cancel(id: unknown): Promise<void> {
    this.#inFlight.get(id as ExactId)?.cancel(new CallCancelled('the client cancelled the request'))
  }

  /** Handles a client's answer to a request. Ignores unexpected answers, such as late answers. */
  async answer(response: RpcResponse): Promise<void> {
    this.clientRequests.receive(response)
  }

  onGone(listener: () => void): void {
    this.#goneListeners.push(listener)
  }

  /**
   * Ends the connection or session: cancels the requests in flight, and ends the subscriptions.
   *
   * @param answer The error for requests in flight that can still be answered.
   */
  gone(reason: string, answer: ProtocolError | null = null): void {
    for (const cancellation of this.#inFlight.values()) cancellation.cancel(new CallCancelled(reason, answer))
    this.stopNotifications()
  }

  /** Stops all notifications except notifications that belong to requests in flight. */
  stopNotifications(): void {
    this.subscriptionShare.close()
    for (const listener of this.#goneListeners.splice(0)) listener()
  }

  get inFlight(): number {
    return this.#inFlight.size
  }
}
