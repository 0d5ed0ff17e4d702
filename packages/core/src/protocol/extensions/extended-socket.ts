import type { Logger } from 'pino'
import type { Catalog } from '../../catalog/catalog.js'
import type { RequestHeaders } from '../../context/mcp-context.js'
import type { Principal } from '../../context/principal.js'
import type { InFlight } from '../../limits/in-flight.js'
import type { Limits } from '../../limits/limits.js'
import type { SubscriptionQuota } from '../../limits/subscription-quota.js'
import type { Gauges } from '../../metrics/gauges.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import type { Exchange } from '../exchange.js'
import type { OfferedRevisions } from '../revisions.js'

/** Parts of the server that an extension with WebSockets can use. The extension calls features through `receive`. */
export interface ExtendedServer {
  readonly catalog: Catalog
  readonly gauges: Gauges
  readonly inFlight: InFlight
  readonly limits: Limits
  readonly log: Logger
  readonly subscriptionQuota: SubscriptionQuota
  /** Versions of the protocol that the server offers, newest first. */
  readonly offered: Pick<OfferedRevisions, 'modern' | 'legacy'>
  /** Serves the message of an exchange, and sends the answer through the exchange. Never throws. */
  receive(exchange: Exchange): void
}

/** A WebSocket of a client. JSON-RPC and the extension share the WebSocket. */
export interface ExtendedSocket {
  /** The caller, who was authenticated before the upgrade. */
  readonly principal: Principal | null
  /** Headers of the upgrade request. */
  readonly headers: RequestHeaders
  /** Network address of the client. */
  readonly address: string
  /** Whether frames can be sent. If not, `send` drops them. */
  readonly isOpen: boolean
  /** Number of bytes in the send buffer that the client has not read yet. */
  readonly bufferedBytes: number
  /**
   * Sends a text frame or a binary frame. Disconnects a client whose buffer exceeds `limits.maxBufferedBytes`: compare
   * `bufferedBytes` with this limit before you send data.
   *
   * @param onSent Called when the frame has left the buffer. Not called if the frame is dropped because the WebSocket has closed.
   */
  send(frame: string | Uint8Array, onSent?: () => void): void
  /**
   * Checks that a call can start. Call this method before each call.
   *
   * @throws ProtocolError when the server is closing, or the credentials of the caller have expired.
   */
  checkStart(): void
  /** Stops reading from the client, including JSON-RPC messages. @returns A function that resumes reading. */
  hold(): () => void
  /** @param code A close code of RFC 6455, section 7.4. */
  close(code: number, reason: string): void
}

/** Serves the frames of one WebSocket. Frames arrive in the order in which the client sent them. */
export interface SocketHandler {
  /**
   * Serves a text frame.
   *
   * @param message The parsed JSON. Its size is within the limits of the server.
   * @param bytes Length of the frame.
   * @returns Whether the message belongs to the extension. Other messages are JSON-RPC. Without this method, all messages are.
   */
  receiveText?(message: unknown, bytes: number): boolean
  /**
   * Serves a binary frame.
   *
   * @returns Whether the frame belongs to the extension. If not, or without this method, the WebSocket is closed.
   */
  receiveBinary?(frame: Uint8Array): boolean
  /** Called when the server begins to close. Start no new work. Calls in flight can still finish. */
  closing?(): void
  /**
   * Called when the credentials of the caller have expired. Start no new work. The WebSocket closes when the result has
   * resolved.
   */
  expired?(): MaybePromise<void>
  /** Called when the WebSocket has closed. */
  disconnected?(): void
}

export type OpenSocketHandler = (socket: ExtendedSocket) => SocketHandler
