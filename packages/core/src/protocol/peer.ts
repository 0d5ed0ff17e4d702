import { CallCancelled, type Cancellation } from '../context/cancellation.js'
import type { LoggingLevel } from '../context/logging-level.js'
import type { ClientInfo } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import { type SubscriptionQuota, SubscriptionShare } from '../limits/subscription-quota.js'
import type { ExactId, JsonObject, RpcResponse } from '../rpc/messages.js'
import { PendingClientRequests } from './pending-client-requests.js'
import type { Revision } from './revisions.js'
import { bytesOfUris, learnSpellings } from './subscribed-uris.js'

/**
 * The long-lived way out to a peer, for messages that belong to no request: the connection itself, or the GET stream of
 * a legacy HTTP session.
 *
 * A session may have no stream open when a message comes. It is then kept for the next one, within the limits of the
 * session's event store: the oldest go first. A message is never lost while a stream is open and read.
 */
export interface Channel {
  /** Sends a notification or a request, as JSON text. Never throws. */
  send(json: string): void
}

/** What `initialize` agreed on. */
export interface Handshake {
  readonly revision: Revision
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
}

/** What is remembered of a client from one message to the next. Never changed, only replaced. */
export interface PeerState {
  /** `null` until `initialize`, and for ever with a modern client. */
  readonly handshake: Handshake | null
  /** What `logging/setLevel` asked for; `null` before. */
  readonly logLevel: LoggingLevel | null
  /** `notifications/initialized` has come: from then on the client takes notifications. */
  readonly isInitialized: boolean
  /** What `resources/subscribe` asked for. */
  readonly subscribedUris: ReadonlySet<string>
  /** The same of what is hidden from it: it takes the room that what is not there would take, and is never told of. */
  readonly mutedUris: ReadonlySet<string>
}

/** Of a client that has said nothing so far. */
export const nothingYet: PeerState = {
  handshake: null,
  logLevel: null,
  isInitialized: false,
  subscribedUris: new Set(),
  mutedUris: new Set(),
}

/** The other end of a connection (stdio, in memory) or of a legacy session: what outlives a single message. */
export class Peer {
  /** What legacy calls have asked this client, and what it has not answered yet. */
  readonly clientRequests = new PendingClientRequests()
  /** Who it is, as its last request said. */
  principal: Principal | null = null
  readonly subscriptionShare: SubscriptionShare
  readonly #inFlight = new Map<ExactId, Cancellation>()
  readonly #goneListeners: (() => void)[] = []
  #state: PeerState = nothingYet

  /**
   * @param channel For messages that belong to no request.
   * @param caller Whom its subscriptions count for.
   */
  constructor(
    readonly channel: Channel,
    quota: SubscriptionQuota,
    caller: string,
  ) {
    this.subscriptionShare = new SubscriptionShare(quota, caller)
  }

  get state(): PeerState {
    return this.#state
  }

  set state(state: PeerState) {
    learnSpellings(state.subscribedUris, this.#state.subscribedUris)
    this.subscriptionShare.take(bytesOfUris(state.subscribedUris) + bytesOfUris(state.mutedUris))
    this.#state = state
  }

  /** A promise where others have to be told. @throws what `change` throws */
  remember(change: (state: PeerState) => PeerState): void | Promise<void> {
    this.state = change(this.state)
  }

  /** Whether it is this node that sends its client what changes. */
  get isTeller(): boolean {
    return true
  }

  /** Whether another node may have changed what is remembered. */
  get mayBeOutdated(): boolean {
    return false
  }

  /** Looks at what is remembered now, where other nodes share it. */
  refresh(): void | Promise<void> {}

  /** Whether the id was free. An id may be used again once its request is answered. */
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

  /**
   * The client has cancelled a request. Does nothing for an id that is unknown or already answered: the spec wants such
   * races ignored. A promise where others have to be told.
   */
  cancel(id: unknown): void | Promise<void> {
    this.#inFlight.get(id as ExactId)?.cancel(new CallCancelled('the client cancelled the request'))
  }

  /** The client has answered a question. Ignores what nobody waits for: it may only have come too late. As above. */
  answer(response: RpcResponse): void | Promise<void> {
    this.clientRequests.receive(response)
  }

  /** Runs the listener when the peer is gone, or is to be told of nothing more. */
  onGone(listener: () => void): void {
    this.#goneListeners.push(listener)
  }

  /**
   * The connection or session has ended: cancels the requests in flight and ends its subscriptions.
   *
   * @param answer The error for requests in flight whose client can still be answered.
   */
  gone(reason: string, answer: ProtocolError | null = null): void {
    for (const cancellation of this.#inFlight.values()) cancellation.cancel(new CallCancelled(reason, answer))
    this.fallSilent()
  }

  /** The connection broke, which cancels nothing by itself: what runs goes on, and has nobody left to ask or to tell. */
  disconnected(): void {
    this.clientRequests.abandon()
    this.fallSilent()
  }

  /** Nothing is told any more but what belongs to requests in flight. */
  fallSilent(): void {
    this.subscriptionShare.close()
    for (const listener of this.#goneListeners.splice(0)) listener()
  }

  get inFlight(): number {
    return this.#inFlight.size
  }
}
