import type { Principal } from '../../context/principal.js'
import { type ErrorLog, logFailure } from '../../errors/log-failure.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { inBackground } from '../../limits/store-client.js'
import type { SubscriptionQuota } from '../../limits/subscription-quota.js'
import {
  type ExactId,
  encodeId,
  isRequestId,
  type JsonObject,
  type RpcMessage,
  type RpcResponse,
  readMessage,
} from '../../rpc/messages.js'
import { restoreIds } from '../../rpc/parse-json.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import { type Channel, Peer, type PeerState } from '../peer.js'
import type { OfferedRevisions } from '../revisions.js'
import { notifyChangedLists, rememberLists } from './notify-changed-lists.js'
import { type NotifyDependencies, notifyChanges } from './notify-changes.js'
import { changeState, decodeState, type StoredSession } from './stored-session.js'

/** Sessions of legacy clients over HTTP. Several nodes can serve the same session. */
export interface Sessions {
  /** Stores a new session. @returns Its id. @throws LimitError (503) if there are too many sessions, or the store fails. */
  open(session: StoredSession): Promise<string>
  /**
   * Finds a session. Returns `undefined` for unknown, ended and expired sessions, and for sessions of other callers.
   *
   * @throws LimitError (503) if the store fails.
   */
  find(id: string, principal: Principal | null): MaybePromise<Session | undefined>
  /** Ends a session on every node. Rejects with a LimitError (503) if the store fails. */
  end(session: Session): Promise<void>
  /**
   * Registers an endpoint that accepts messages. @returns A function that unregisters the endpoint. When the last endpoint is
   * unregistered, calls stop waiting for answers of clients, unless other nodes can forward answers.
   */
  registerEndpoint(): () => void
  close(): void
}

/** Parts of the server that {@link Sessions} need. */
export interface SessionServer extends NotifyDependencies {
  readonly revisions: OfferedRevisions
  readonly subscriptionQuota: SubscriptionQuota
  readonly log: ErrorLog
}

/** The event stream of one request, which the client can resume. */
export interface SessionStream {
  readonly reader: SessionReader
  send(json: string): void
  /** Sends the last message; `null`: the stream ends without a message. */
  end(json: string | null): void
  /** Ends the connection after all messages so far. The client can reconnect. */
  disconnect(): void
}

export interface SessionReader {
  /** Whether this is the GET stream, which does not end by itself. */
  readonly isChannel: boolean
  /**
   * Returns the next events: an empty array if no event comes within `waitMs`, and `null` at the end. Rejects if the store fails.
   */
  next(waitMs: number): Promise<readonly StreamEvent[] | null>
  /** Ends after the events that are stored now. */
  finish(): void
  close(): void
}

export interface StreamEvent {
  /** Event id; empty if the session has ended, because the client cannot resume. */
  readonly id: string
  /** JSON text; `''` for an event that only carries the position. */
  readonly message: string
}

export function sessionNotFound(): ProtocolError {
  return new ProtocolError('sessionNotFound', 'Session not found: call initialize again')
}

const cancelled = 'notifications/cancelled'

/** Message between nodes: the stored state of a session has changed. Clients never get this message. */
const remembered = 'toolwright/session_remembered'

const randomId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * This node's part of a legacy HTTP session. The store contains the state of the session. Messages that belong to requests of
 * another node are forwarded to all nodes.
 */
export abstract class Session<Stored extends StoredSession = StoredSession> extends Peer {
  #isOutdated = false
  #record: Stored

  constructor(
    channel: Channel,
    private readonly server: SessionServer,
    caller: string,
    record: Stored,
  ) {
    super(channel, server.subscriptionQuota, caller, 'http')
    this.#record = record
    this.state = decodeState(record)
  }

  get record(): Stored {
    return this.#record
  }

  /** Whether streams of requests begin with an event without data, from which the client can resume. */
  abstract get hasPriming(): boolean

  abstract openStream(): SessionStream

  /**
   * Opens the GET stream at the position where its previous connection ended. Closes the previous connection if it is still open.
   * Rejects if the store fails.
   */
  abstract openChannel(): Promise<SessionReader>

  /**
   * Continues a stream after the client's last event. Returns `undefined` if that is impossible: the session has no such event, or
   * later events were evicted. Returns `null` if the stream has ended. Rejects if the store fails.
   */
  abstract resume(lastEventId: string): Promise<SessionReader | undefined | null>

  /** Changes the stored state. `change` can run more than once. @returns Whether the session exists. Rejects if the store fails. */
  protected abstract tryUpdate(change: (stored: Stored) => Stored): Promise<boolean>

  protected abstract forward(message: string): Promise<void>

  /** Handles a notification between nodes that the sessions themselves send. Ignores unknown notifications. */
  protected abstract receivedNotification(method: string, params: JsonObject): void

  protected abstract used(): void

  protected abstract closeStreams(): void

  load(record: Stored): void {
    this.#isOutdated = false
    if (record === this.#record) return
    this.#record = record
    this.state = decodeState(record)
  }

  /** Changes the stored state. `change` can run more than once. Rejects if the session has ended, or the store fails. */
  async update(change: (stored: Stored) => Stored): Promise<void> {
    if (!(await this.tryUpdate(change))) throw sessionNotFound()
  }

  /**
   * Called when this node begins to serve the session, after `principal` is set. @returns A function to call if the client could
   * have missed changes.
   */
  startNotifications(): () => void {
    const { server } = this
    const onMissed = notifyChanges(this, server, () => inBackground(rememberLists(this, server.catalog)))
    inBackground(notifyChangedLists(this, server.catalog))
    return onMissed
  }

  override async remember(change: (state: PeerState) => PeerState): Promise<void> {
    await this.update((stored) => changeState(stored, change))
    // Another node notifies the client. This message makes that node read the state before the next notification.
    if (!this.isNotifier()) await this.forward(JSON.stringify({ jsonrpc: '2.0', method: remembered, params: {} }))
  }

  override get mayBeOutdated(): boolean {
    return this.#isOutdated
  }

  override async cancel(id: unknown): Promise<void> {
    if (this.isInFlight(id)) return super.cancel(id)
    if (!isRequestId(id)) return
    await this.forward(`{"jsonrpc":"2.0","method":"${cancelled}","params":{"requestId":${encodeId(id)}}}`)
  }

  override async answer(response: RpcResponse): Promise<void> {
    if (this.clientRequests.receive(response)) return
    const { id, result, error } = response
    // Ids of client requests are random. Other ids are not forwarded.
    if (typeof id !== 'string' || !randomId.test(id)) return
    await this.forward(JSON.stringify({ jsonrpc: '2.0', id, result, error }))
  }

  /** Handles a message that another node forwarded. Never forwards the message again. */
  received(text: string): void {
    const message = readForwarded(text, this.server.log)
    if (message?.kind === 'response') void super.answer(message)
    // Other messages are ignored, because a node of another version can forward messages of other kinds.
    else if (message?.kind !== 'notification') return
    else if (message.method === remembered) this.#isOutdated = true
    else if (message.method === cancelled) void super.cancel(message.params['requestId'])
    else this.receivedNotification(message.method, message.params)
  }

  override end(id: ExactId): void {
    super.end(id)
    this.used()
  }

  override gone(reason: string, answer: ProtocolError | null = null): void {
    super.gone(reason, answer)
    this.closeStreams()
  }

  ended(): void {
    this.gone('the session ended', sessionNotFound())
  }

  serverClosed(): void {
    this.gone('the server was closed', new ProtocolError('unavailable', 'The server is closing'))
  }
}

/** Parses a forwarded message; `null` if the message is not valid JSON. Messages of the store are not trusted. */
function readForwarded(text: string, log: ErrorLog): RpcMessage | null {
  try {
    const message: unknown = JSON.parse(text)
    restoreIds(message, text)
    return readMessage(message)
  } catch (error) {
    logFailure(log, error, {}, 'the session store forwarded an invalid message')
    return null
  }
}
